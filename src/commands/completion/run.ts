import { UserError } from '../../core/kube/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { unknownName } from '../../cli/near-names.ts';
import { print } from '../../terminal/output.ts';

/** Prints the script with which a shell completes the stand-alone name of the program. */
export async function printCompletion(shell: string | undefined): Promise<ExitCode> {
  const { completionScripts } = await import('./scripts/index.ts');
  const shells = Object.keys(completionScripts);
  if (shell === undefined)
    throw new UserError(
      'the name of a shell is missing',
      `The shells are ${shells.join(', ')}. To complete "kubectl csi", run kubectl csi completion install`,
    );
  if (!Object.hasOwn(completionScripts, shell))
    throw await unknownName('shell', shell, shells, `The shells are ${shells.join(', ')}`);
  await print(completionScripts[shell as keyof typeof completionScripts]);
  return exitCodes.ok;
}
