import type { ObjectRef } from '../../core/report/report.ts';
import type { Trace } from '../../core/report/trace.ts';
import { renderHeader } from '../../terminal/verdict/block.ts';
import { renderTitle } from '../../terminal/verdict/finding.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { statusStyle } from '../../terminal/theme.ts';
import { renderAccount } from './account.ts';
import { renderChain } from './chain.ts';
import { renderTimeline } from './timeline.ts';
import { renderSource } from '../../terminal/verdict/source.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import { hang } from '../../terminal/wrap.ts';

/** The history of one volume as text: the chain, the verdict, the timeline, and where the time went. */
export function renderTrace(untrusted: Trace, options: TextOptions): string {
  const trace = sanitiseReport(untrusted);
  const screen = createScreen(trace.takenAt, options);
  const sections = [
    renderHead(trace, screen),
    renderVerdict(trace, screen),
    renderTimelineSection(trace, screen),
    ...trace.accounts.map((account) => renderAccount(account, trace.accounts.length === 1, screen)),
    renderUnreadBriefly(trace.unread, screen),
    renderSource(trace, screen),
  ];
  return `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;
}

function renderHead(trace: Trace, screen: Screen): string[] {
  const {
    target,
    verdict: { status, phase, stage, since, summary },
  } = trace;
  const stages = stage !== undefined && since !== undefined ? [{ stage, since, state: 'open' as const }] : [];
  const header = renderHeader(
    {
      target,
      status,
      ...(phase !== undefined && { phase }),
      ...(stage !== undefined && { stage }),
      summary,
      stages,
      findings: [],
      unread: [],
    },
    screen,
  );
  return [...header, ...renderChain(trace.chain, target.namespace, screen)];
}

const words = { blocked: 'Cause', waiting: 'Waiting', unknown: 'Not known', healthy: 'Healthy' } as const;

function renderVerdict({ verdict }: Trace, screen: Screen): string[] {
  const { status, cause, confidence, summary, command } = verdict;
  const title =
    cause === undefined
      ? [screen.theme.paint(statusStyle[status], words[status])]
      : renderTitle(words[status], cause, confidence === undefined ? [] : [`(${confidence})`], screen);
  const more =
    status === 'healthy'
      ? []
      : [screen.theme.paint('faint', `  ${status === 'blocked' ? 'evidence and fix' : 'more'}: ${command}`)];
  return [...title, ...hang('  ', screen.theme.prose(summary), screen.width), ...more];
}

export function renderTimelineSection(trace: Trace, screen: Screen): string[] {
  const { theme, width } = screen;
  const lines = renderTimeline(trace, screen);
  if (lines.length === 0 || !trace.start) return [];
  const hidden = screen.wide ? 0 : trace.timeline.filter(({ isMinor }) => isMinor).length;
  const isInferred = trace.timeline.some(
    ({ certainty, isMinor }) => certainty === 'latest' && (screen.wide || !isMinor),
  );
  const notes = [
    isInferred ? '≤ means at that time or earlier' : undefined,
    trace.isWithoutEvents ? 'no events: rebuilt from the objects alone' : undefined,
    hidden > 0 ? `${hidden} minor ${hidden === 1 ? 'entry' : 'entries'} with -o wide` : undefined,
    'clocks may differ by a second',
  ].filter((note) => note !== undefined);
  return [
    ...hang('timeline  ', `from ${trace.start.at}, when ${startName(trace.start.object)} was created`, width, 2).map(
      (line, index) => (index === 0 ? line.replace('timeline', () => theme.paint('strong', 'timeline')) : line),
    ),
    ...lines,
    ...hang('  ', theme.prose(notes.join('; ')), width).map((line) => theme.paint('faint', line)),
  ];
}

/** The name of a volume is long, and the chain above shows it already. */
function startName(object: ObjectRef): string {
  const name = objectName(object);
  return name.length <= 36 ? name : `the ${object.kind === 'PersistentVolume' ? 'volume' : object.kind}`;
}
