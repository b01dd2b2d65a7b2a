import type { ComponentLog, LogPart } from '../../core/report/component-log.ts';
import type { ObjectRef } from '../../core/report/report.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Theme } from '../../terminal/theme.ts';
import { hangWithin } from '../../terminal/wrap.ts';
import { memoiseLast } from '../memoise-last.ts';
import { answerTo } from '../state/answers.ts';
import type { State } from '../state/state.ts';
import type { Look } from '../theme.ts';
import { pendingSheet } from './pending.ts';
import { textSheet, wrapLong } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import type { Viewport } from './viewport.ts';

/** The log of the component that owns the stage at which the object is stuck. */
export function logSheet(state: State, target: ObjectRef, width: number, { look }: Viewport): Sheet {
  const { last, trouble } = answerTo(state, { type: 'log', target });
  return last === undefined
    ? pendingSheet({ trouble })
    : renderedLog(last.value, target.kind !== 'CSIDriver', width, look);
}

const renderedLog = memoiseLast((log: ComponentLog, isStuck: boolean, width: number, look: Look): Sheet => {
  const theme = createTheme(look);
  const { owner, reason, parts, commands } = log;
  const sections = [
    owner === undefined || !isStuck
      ? []
      : hangWithin('', theme.prose(`The next step is up to ${sanitise(owner)}.`), width),
    reason === undefined ? [] : hangWithin('', theme.prose(sanitise(reason)), width),
    commands.map((command) => `  $ ${sanitise(command)}`),
    ...parts.map((part) => partLines(part, theme)),
  ].filter((section) => section.length > 0);
  const lines = sections.flatMap((section, index) => (index === 0 ? section : ['', ...section]));
  return textSheet(wrapLong(lines, width));
});

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function partLines(part: LogPart, theme: Theme): string[] {
  const { namespace, pod, container, what, lines, isCut, refusal } = part;
  const place = sanitise(`container ${container} of pod/${pod} -n ${namespace}`);
  const title = theme.paint('strong', capital(`${sanitise(what)}: ${place}`));
  if (refusal !== undefined) return [title, `  ${theme.paint('blocked', theme.prose(sanitise(refusal)))}`];
  if (lines.length === 0) return [title, '  The log is empty.'];
  const extent = isCut ? [theme.paint('faint', `  the last ${lines.length} lines`)] : [];
  return [title, ...extent, ...lines.map((line) => `  ${sanitise(line)}`)];
}
