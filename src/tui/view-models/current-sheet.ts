import { renderExplain } from '../../commands/explain/text.ts';
import { renderProbeText } from '../../commands/probe/text.ts';
import type { ProbeReport } from '../../core/report/probe-report.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { memoiseLast } from '../memoise-last.ts';
import { answerTo } from '../state/answers.ts';
import { topView } from '../state/selectors.ts';
import { byName, start, tabKinds } from '../state/state.ts';
import type { State, View } from '../state/state.ts';
import type { Look } from '../theme.ts';
import { chooserSheet } from './chooser-list.ts';
import { driverSheet } from './driver-list.ts';
import { eventSheet } from './event-list.ts';
import { helpSheet } from './help.ts';
import { logSheet } from './log-text.ts';
import { paneSheet } from './object-panes.ts';
import { pendingSheet } from './pending.ts';
import { textSheet, wrapLong } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { stuckSheet } from './stuck-list.ts';
import { tableSheet } from './table-list.ts';
import { agesAt } from './viewport.ts';
import type { Viewport } from './viewport.ts';

/** Longer lines of prose are hard to read. */
const readable = 100;

/** What the keys move in: the chooser, the view on top, or the tab. */
export function currentSheet(state: State, width: number, viewport: Viewport): Sheet {
  if (state.chooser !== undefined) return chooserSheet(state, state.chooser);
  const view = topView(state);
  return view === undefined ? tabSheet(state, width, viewport) : viewSheet(state, view, width, viewport);
}

function tabSheet(state: State, width: number, viewport: Viewport): Sheet {
  const { frame, tab, failure } = state;
  const { wanted } = state.positions[tab] ?? start;
  if (frame === undefined) return pendingSheet({ trouble: failure });
  if (tab === 'stuck') {
    const at = agesAt(viewport, frame.report.takenAt);
    return stuckSheet(frame, at, state.unfolded, wanted, width, viewport.look);
  }
  if (tab === 'drivers') return driversTab(state, wanted, width, viewport);
  if (tab === 'events') return eventsTab(state, wanted, width, viewport);
  return tableTab(state, wanted, width, viewport);
}

function driversTab(state: State, wanted: string, width: number, viewport: Viewport): Sheet {
  const { last, trouble } = answerTo(state, { type: 'status' });
  if (last === undefined) return pendingSheet({ trouble });
  const at = agesAt(viewport, last.value.takenAt);
  return driverSheet(last.value, at, wanted, width, state.isWide, viewport.look);
}

function eventsTab(state: State, wanted: string, width: number, viewport: Viewport): Sheet {
  const { last, trouble } = answerTo(state, { type: 'events' });
  if (last === undefined) return pendingSheet({ trouble });
  return eventSheet(last.value, agesAt(viewport, last.value.takenAt), wanted, width, viewport.look);
}

function tableTab(state: State, wanted: string, width: number, viewport: Viewport): Sheet {
  const kind = tabKinds[state.tab];
  if (kind === undefined) return pendingSheet({});
  const { last, trouble } = answerTo(state, { type: 'rows', kind });
  if (last === undefined) return pendingSheet({ trouble });
  const at = agesAt(viewport, last.value.takenAt);
  const withNamespace = state.frame?.namespace === undefined;
  const sort = state.sorts[state.tab] ?? byName;
  return tableSheet(kind, last.value, at, wanted, sort, width, state.isWide, withNamespace, viewport.look);
}

function viewSheet(state: State, view: View, width: number, viewport: Viewport): Sheet {
  switch (view.type) {
    case 'object':
      return paneSheet(state, view.target, view.pane, width, viewport);
    case 'help':
      return helpSheet(width);
    case 'cause':
      return causeSheet(state, view.cause, width, viewport);
    case 'probe':
      return probeSheet(state, view, width, viewport);
    case 'log':
      return logSheet(state, view.target, width, viewport);
  }
}

function causeSheet(state: State, cause: string, width: number, { look }: Viewport): Sheet {
  const { last, trouble } = answerTo(state, { type: 'page', cause });
  if (last === undefined) return pendingSheet({ trouble });
  return last.value === undefined
    ? textSheet([], `No page describes ${sanitise(cause)}.`)
    : renderedPage(last.value, Math.min(width, readable), look);
}

const renderedPage = memoiseLast((page: string, width: number, look: Look): Sheet => {
  const text = renderExplain(page, { width, ...look });
  return textSheet(wrapLong(text.trimEnd().split('\n'), width));
});

function probeSheet(
  state: State,
  { driver, exec }: Extract<View, { readonly type: 'probe' }>,
  width: number,
  { look }: Viewport,
): Sheet {
  const { last, trouble } = answerTo(state, { type: 'probe', driver, exec });
  if (last !== undefined) return renderedProbe(last.value, width, state.isWide, look);
  return textSheet([], trouble === undefined ? `Probing ${sanitise(driver)}` : `Could not probe: ${sanitise(trouble)}`);
}

const renderedProbe = memoiseLast((report: ProbeReport, width: number, isWide: boolean, look: Look): Sheet => {
  const text = renderProbeText(report, { width, wide: isWide, ...look });
  return textSheet(wrapLong(text.trimEnd().split('\n'), width));
});
