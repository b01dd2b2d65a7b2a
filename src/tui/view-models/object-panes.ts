import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import type { Trace } from '../../core/report/trace.ts';
import { renderAccount } from '../../commands/trace/account.ts';
import { renderChain } from '../../commands/trace/chain.ts';
import { renderTimelineSection } from '../../commands/trace/text.ts';
import { sanitise, sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderBlock } from '../../terminal/verdict/block.ts';
import { memoiseLast } from '../memoise-last.ts';
import { answerTo } from '../state/answers.ts';
import { itemOf } from '../state/selectors.ts';
import type { Pane, State } from '../state/state.ts';
import type { Look } from '../theme.ts';
import { eventLines } from './event-list.ts';
import { isShared, neighbourKinds, neighboursSheet } from './neighbours.ts';
import { pendingSheet } from './pending.ts';
import { listSheet, objectItem, textSheet, wrapLong } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { agesAt } from './viewport.ts';
import type { Viewport } from './viewport.ts';

type PaneSheet = (state: State, target: ObjectRef, width: number, viewport: Viewport) => Sheet;

/** One pane of one object. */
export function paneSheet(state: State, target: ObjectRef, pane: Pane, width: number, viewport: Viewport): Sheet {
  return paneSheets[pane](state, target, width, viewport);
}

export const journeySheet: PaneSheet = (state, target, width, viewport) => {
  const item = itemOf(state, target);
  if (item !== undefined) {
    const at = agesAt(viewport, state.frame?.report.takenAt ?? '');
    return renderedJourney(item, at, width, state.isWide, viewport.look);
  }
  const { last, trouble } = answerTo(state, { type: 'why', target });
  if (last === undefined) return pendingSheet({ trouble });
  return textSheet(
    [],
    `There is no verdict on this ${target.kind}, or it no longer exists. Press v for its YAML, e for its events.`,
  );
};

const renderedJourney = memoiseLast((item: ReportItem, at: string, width: number, isWide: boolean, look: Look): Sheet =>
  textSheet(wrapLong(renderBlock(sanitiseReport(item), createScreen(at, { width, wide: isWide, ...look })), width)),
);

const chainSheet: PaneSheet = (state, target, width, viewport) => {
  if (isShared(target)) return sharedSheet(state, target, width, viewport);
  const { last, trouble } = answerTo(state, { type: 'trace', target });
  if (last === undefined) return pendingSheet({ trouble });
  if (last.value === undefined) return textSheet([], `No chain of objects leads through a ${target.kind}.`);
  return renderedChain(last.value, agesAt(viewport, last.value.takenAt), width, state.isWide, viewport.look);
};

function sharedSheet(state: State, target: ObjectRef, width: number, { look }: Viewport): Sheet {
  const answers = neighbourKinds.map((kind) => answerTo(state, { type: 'rows', kind }));
  const [nodes, classes, claims, attachments] = answers.map(({ last }) => last?.value);
  if (!nodes || !classes || !claims || !attachments)
    return pendingSheet({ trouble: answers.find(({ trouble }) => trouble !== undefined)?.trouble });
  return neighboursSheet(target, nodes, classes, claims, attachments, width, look);
}

/** The chain from the pod to the driver; the cursor rests on the objects in it. */
const renderedChain = memoiseLast((untrusted: Trace, at: string, width: number, isWide: boolean, look: Look): Sheet => {
  const trace = sanitiseReport(untrusted);
  const screen = createScreen(at, { width, wide: isWide, ...look });
  const lines = trace.chain.flatMap((link, index) => {
    const item = link.object === undefined ? undefined : objectItem(link.object, String(index));
    return renderChain([link], trace.target.namespace, screen).map((text, line) => ({
      row: { type: 'text', text } as const,
      item: line === 0 ? item : undefined,
    }));
  });
  return listSheet(lines, { empty: 'No object is related to it.' });
});

const timelineSheet: PaneSheet = (state, target, width, viewport) => {
  const { last, trouble } = answerTo(state, { type: 'trace', target });
  if (last === undefined) return pendingSheet({ trouble });
  if (last.value === undefined) return textSheet([], `A ${target.kind} has no timeline.`);
  return renderedTimeline(last.value, agesAt(viewport, last.value.takenAt), width, state.isWide, viewport.look);
};

const renderedTimeline = memoiseLast(
  (untrusted: Trace, at: string, width: number, isWide: boolean, look: Look): Sheet => {
    const trace = sanitiseReport(untrusted);
    const screen = createScreen(at, { width, wide: isWide, ...look });
    const isOnly = trace.accounts.length === 1;
    const sections = [
      renderTimelineSection(trace, screen),
      ...trace.accounts.map((account) => renderAccount(account, isOnly, screen)),
    ].filter((section) => section.length > 0);
    const lines = sections.flatMap((section, index) => (index === 0 ? section : ['', ...section]));
    return textSheet(wrapLong(lines, width), 'Nothing about it has a time.');
  },
);

const objectEventsSheet: PaneSheet = (state, target, width, viewport) => {
  const { last, trouble } = answerTo(state, { type: 'events', target });
  if (last === undefined) return pendingSheet({ trouble });
  const at = agesAt(viewport, last.value.takenAt);
  return textSheet(
    eventLines(last.value, at, target.namespace, width, viewport.look),
    'There are no events about it. Kubernetes keeps them for about an hour.',
  );
};

const yamlSheet: PaneSheet = (state, target, width) => {
  const { last, trouble } = answerTo(state, { type: 'yaml', target });
  if (last === undefined) return pendingSheet({ trouble });
  return last.value === undefined
    ? textSheet([], 'The object could not be read, or no longer exists.')
    : renderedYaml(last.value, width);
};

const renderedYaml = memoiseLast((yaml: string, width: number): Sheet => {
  const lines = yaml.trimEnd().split('\n');
  const safe = lines.map((line) => sanitise(line, { newlines: true }));
  return textSheet(wrapLong(safe, width));
});

const paneSheets: Readonly<Record<Pane, PaneSheet>> = {
  journey: journeySheet,
  chain: chainSheet,
  timeline: timelineSheet,
  events: objectEventsSheet,
  yaml: yamlSheet,
};
