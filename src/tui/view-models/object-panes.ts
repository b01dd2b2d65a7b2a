import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import type { Trace } from '../../core/report/trace.ts';
import { renderBlock } from '../../terminal/verdict/block.ts';
import { objectKey } from '../../terminal/verdict/nouns.ts';
import { sanitise, sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderAccount } from '../../commands/trace/account.ts';
import { renderChain } from '../../commands/trace/chain.ts';
import { renderTimelineSection } from '../../commands/trace/text.ts';
import { answerTo } from '../state/state.ts';
import type { State, View } from '../state/state.ts';
import type { Look } from '../theme.ts';
import { eventLines } from './event-list.ts';
import { isShared, neighbourKinds, neighboursSheet } from './neighbours.ts';
import { lastOf, textSheet, wrapLong } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';
import { pending } from './pending.ts';

type ObjectView = Extract<View, { readonly type: 'object' }>;

/** The pane of the object that is being looked at. */
export function paneSheet(state: State, { target, pane }: ObjectView, width: number): Sheet {
  const { look, isWide } = state;
  if (pane === 'journey') return journeySheet(state, target, width);
  if (pane === 'yaml') {
    const answer = answerTo(state, { type: 'yaml', target });
    if (!answer.hasValue) return pending(answer.trouble);
    return answer.value === undefined
      ? textSheet([], 'the object could not be read, or is gone')
      : yamlSheet(answer.value, width);
  }
  if (pane === 'events') {
    const answer = answerTo(state, { type: 'events', target });
    return answer.value === undefined
      ? pending(answer.trouble)
      : textSheet(
          eventLines(answer.value, target.namespace, width, look),
          'there are no events about it: they are kept for an hour or so',
        );
  }
  if (pane === 'chain' && isShared(target)) return sharedSheet(state, target, width);
  const answer = answerTo(state, { type: 'trace', target });
  if (!answer.hasValue) return pending(answer.trouble);
  if (answer.value === undefined) return textSheet([], `there is no ${pane} of a ${target.kind}`);
  return pane === 'chain'
    ? chainSheet(answer.value, width, isWide, look)
    : timelineSheet(answer.value, width, isWide, look);
}

function sharedSheet(state: State, target: ObjectRef, width: number): Sheet {
  const answers = neighbourKinds.map((kind) => answerTo(state, { type: 'rows', kind }));
  const [nodes, classes, claims, attachments] = answers.map(({ value }) => value);
  if (!nodes || !classes || !claims || !attachments)
    return pending(answers.find(({ trouble }) => trouble !== undefined)?.trouble);
  return neighboursSheet(target, nodes, classes, claims, attachments, width, state.look);
}

/** The journey of any object: from the report where it is stuck, or else as it was asked for. */
export function itemOf(state: State, target: ObjectRef): ReportItem | undefined {
  return itemsOf(state.frame?.report.items).get(objectKey(target)) ?? answerTo(state, { type: 'why', target }).value;
}

const itemsOf = lastOf(
  (items: readonly ReportItem[] | undefined): ReadonlyMap<string, ReportItem> =>
    new Map((items ?? []).map((item) => [objectKey(item.target), item])),
);

export function journeySheet(state: State, target: ObjectRef, width: number): Sheet {
  const item = itemOf(state, target);
  const takenAt = state.frame?.report.takenAt ?? '';
  if (item !== undefined) return textSheet(journeyLines(item, takenAt, width, state.isWide, state.look));
  const answer = answerTo(state, { type: 'why', target });
  return answer.hasValue
    ? textSheet([], `there is no verdict on a ${target.kind}, or it is gone; its YAML: v, its events: e`)
    : pending(answer.trouble);
}

const journeyLines = lastOf(
  (item: ReportItem, takenAt: string, width: number, isWide: boolean, look: Look): readonly string[] =>
    wrapLong(renderBlock(sanitiseReport(item), createScreen(takenAt, { width, wide: isWide, ...look })), width),
);

/** The chain from the pod to the driver; the cursor rests on what one can go to. */
const chainSheet = lastOf((untrusted: Trace, width: number, isWide: boolean, look: Look): Sheet => {
  const trace = sanitiseReport(untrusted);
  const screen = createScreen(trace.takenAt, { width, wide: isWide, ...look });
  const lines: { readonly text: string; readonly pick?: Pick }[] = trace.chain.flatMap((link, index) =>
    renderChain([link], trace.target.namespace, screen).map((text, row) => ({
      text,
      ...(row === 0 &&
        link.object !== undefined && { pick: { type: 'object' as const, target: link.object, cause: String(index) } }),
    })),
  );
  return {
    head: [],
    count: lines.length,
    lineAt: (index) => lines[index]?.text ?? '',
    pickAt: (index) => lines[index]?.pick,
    empty: 'nothing belongs to it',
  };
});

const timelineSheet = lastOf((untrusted: Trace, width: number, isWide: boolean, look: Look): Sheet => {
  const trace = sanitiseReport(untrusted);
  const screen = createScreen(trace.takenAt, { width, wide: isWide, ...look });
  const sections = [
    renderTimelineSection(trace, screen),
    ...trace.accounts.map((account) => renderAccount(account, trace.accounts.length === 1, screen)),
  ].filter((section) => section.length > 0);
  return textSheet(
    wrapLong(
      sections.flatMap((section, index) => (index === 0 ? section : ['', ...section])),
      width,
    ),
    'nothing about it has a time',
  );
});

const yamlSheet = lastOf((yaml: string, width: number): Sheet =>
  textSheet(
    wrapLong(
      yaml
        .trimEnd()
        .split('\n')
        .map((line) => sanitise(line, { newlines: true })),
      width,
    ),
  ),
);
