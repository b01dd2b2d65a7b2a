import { guardCommand } from '../kube/safe-command.ts';
import type { Fix } from './report.ts';

/** A fix whose commands are safe to copy, whatever the names in them are. */
export function guardFix(fix: Fix): Fix {
  const { command, commands } = fix;
  if (command === undefined && commands === undefined) return fix;
  const guarded = command === undefined ? undefined : guardCommand(command);
  const all = commands?.map(guardCommand);
  const isSame = guarded === command && (all === undefined || all.every((text, index) => text === commands?.[index]));
  return isSame ? fix : { ...fix, ...(guarded !== undefined && { command: guarded }), ...(all && { commands: all }) };
}
