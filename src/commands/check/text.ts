import type { CheckReport } from '../../core/report/check.ts';
import type { Source, SourceContext } from '../../core/kube/snapshot.ts';
import type { Severity } from '../../core/report/report.ts';
import {
  clusterWords,
  groupFindings,
  objectWords,
  oldestSince,
  subjectList,
  subjectWords,
} from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { resultGlyph, verdictWords } from '../../terminal/check/verdict.ts';
import { renderEvidence, renderFixes, renderMore } from '../../terminal/verdict/finding.ts';
import { isWholeCluster, renderContexts } from '../../terminal/verdict/contexts.ts';
import { contextsOf, countObjects } from '../../terminal/verdict/nouns.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen, screenAt, screenOfAny } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { cutLine, firstLines } from '../../terminal/cut.ts';
import { renderSourceHeader } from '../../terminal/verdict/source.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import { stageStyle } from '../../terminal/theme.ts';
import type { Style } from '../../terminal/theme.ts';
import { displayWidth, hang, padEnd, widest } from '../../terminal/wrap.ts';

/** More reasons than this do not fit a screen; `-o wide` lists all. */
const enoughGroups: Readonly<Record<Severity, number>> = { blocking: 10, warning: 6, info: 6 };
const enoughUnknown = 5;
const enoughSubjects = 5;
/** From this width on the sentence is on the same line as the subject. */
const roomy = 120;

/** One screen: what is wrong, the worst first, each reason once, and the result with its counts. */
export function renderCheckText(untrusted: CheckReport, options: TextOptions): string {
  const report = sanitiseReport(untrusted);
  const screen = createScreen(report.takenAt, options, report.source);
  const groups = groupFindings(report.findings);
  const fresh = groups.filter(({ outcome }) => outcome === 'new');
  const sections = [
    renderSourceHeader(report, screen),
    renderGroups('blocking', fresh, report.source, screen),
    renderGroups('warning', fresh, report.source, screen),
    screen.wide ? renderGroups('info', fresh, report.source, screen) : renderWaits(fresh, screen),
    renderUnknown(report, screen),
    screen.wide ? renderSetAside(groups, screen) : [],
    renderUnreadBriefly(
      report.unread.filter((entry) => !isWholeCluster(entry)),
      screen,
    ),
    renderContexts(report.source, report.unread, screen, isWithoutFindings),
    [...renderHint(fresh, screen), ...renderVerdict(report, screen)],
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A cluster of several in which nothing counts. */
function isWithoutFindings({ summary = {}, message }: SourceContext): boolean {
  return message === undefined && ['blocking', 'warning', 'unknown'].every((state) => (summary[state] ?? 0) === 0);
}

const severityStyle: Readonly<Record<Severity, Style>> = { blocking: 'blocked', warning: 'unknown', info: 'waiting' };

const severityTitles: Readonly<Record<Severity, string>> = {
  blocking: 'Blocking',
  warning: 'Warnings',
  info: 'Waiting (expected)',
};

function glyphOf(severity: Severity, { theme: { glyph } }: Screen): string {
  return { blocking: glyph.blocked, warning: '!', info: glyph.waiting }[severity];
}

function renderGroups(severity: Severity, groups: readonly CheckGroup[], source: Source, screen: Screen): string[] {
  const own = groups.filter((group) => group.severity === severity);
  if (own.length === 0) return [];
  const shown = screen.wide || own.length <= enoughGroups[severity] + 1 ? own : own.slice(0, enoughGroups[severity]);
  const ages = shown.map((group) => ageOf(group, screen));
  const hasAges = ages.some((age) => age !== '-');
  const cells = shown.map((group, index) => [group.id, ...(hasAges ? [ages[index] ?? ''] : []), subjectWords(group)]);
  const widths = [0, 1, 2].map((column) => widest(cells.map((row) => row[column] ?? '')));
  const lineOf = (index: number): string =>
    (cells[index] ?? []).map((text, column) => padEnd(text, widths[column] ?? 0)).join('  ');
  const mark = `  ${screen.theme.paint(severityStyle[severity], glyphOf(severity, screen))} `;
  const left = own.length - shown.length;
  return [
    screen.theme.paint('strong', severityTitles[severity]),
    ...shown.flatMap((group, index) =>
      screen.wide ? renderWhole(group, source, mark, screen) : renderGroup(group, source, mark, lineOf(index), screen),
    ),
    ...(left > 0 ? [`  and ${left} more (-o wide lists them)`] : []),
  ];
}

/** The age of a group is that of its oldest object, and is marked if there are several. */
function ageOf(group: CheckGroup, screen: Screen): string {
  const age = screenOfAny(screen, contextsOf(group.findings)).age(oldestSince(group)) ?? '-';
  return group.findings.length === 1 || age === '-' ? age : `oldest ${age}`;
}

function renderGroup(group: CheckGroup, source: Source, mark: string, line: string, screen: Screen): string[] {
  const summary = screen.theme.prose(group.summary);
  const used = 4 + displayWidth(line) + 2;
  const clusters = clusterWords(group, source, enoughSubjects);
  if (clusters === '' && screen.width >= roomy && screen.width - used >= 40)
    return [`${mark}${line}  ${cutLine(summary, screen.width - used, screen)}`.trimEnd()];
  return [
    ...titleLines(group, line.trimEnd(), mark, screen),
    ...firstLines(summary, 2, screen.width - 6, screen).map((part) => `      ${part}`),
    ...(clusters === '' ? [] : hang('      ', clusters, screen.width)),
  ];
}

/** A name is never wrapped, so that it can be copied: if it does not fit next to the id, it goes below. */
function titleLines(group: CheckGroup, line: string, mark: string, screen: Screen): string[] {
  if (4 + displayWidth(line) <= screen.width) return [mark + line];
  const age = ageOf(group, screen);
  return [`${mark}${group.id}${age === '-' ? '' : `  ${age}`}`, `      ${subjectWords(group)}`];
}

/** A reason with the evidence and fix of its first object; the other objects are named. */
function renderWhole(group: CheckGroup, source: Source, mark: string, anyScreen: Screen): string[] {
  const screen = screenAt(anyScreen, group.findings[0].context);
  const clusters = clusterWords(group, source, Number.POSITIVE_INFINITY);
  const { id, type, summary, findings } = group;
  const [first, ...others] = findings;
  const inner = { ...screen, width: screen.width - 4 };
  return [
    ...titleLines(group, `${id}  ${ageOf(group, screen)}  ${subjectWords(group)}`, mark, screen),
    ...hang('      ', screen.theme.prose(summary), screen.width),
    ...(clusters === '' ? [] : hang('      ', clusters, screen.width)),
    ...(others.length > 0
      ? hang(
          '      ',
          `${countObjects(findings.map(({ object }) => object))}: ${subjectList(group, findings.length)}`,
          screen.width,
        )
      : []),
    ...renderEvidence(first.evidence, undefined, screen, 6),
    ...(first.fix.length > 0 ? ['      fix', ...renderFixes(first.fix, inner).map((line) => `    ${line}`)] : []),
    ...(type === 'cause' ? [`    ${renderMore(id, screen)}`] : []),
  ];
}

/** Expected waits, all in one line. */
function renderWaits(groups: readonly CheckGroup[], screen: Screen): string[] {
  const waits = groups.filter(({ severity }) => severity === 'info');
  if (waits.length === 0) return [];
  const byId = Map.groupBy(waits, ({ id }) => id);
  const text = [...byId]
    .map(([id, same]) => `${countObjects(same.flatMap(({ findings }) => findings.map(({ object }) => object)))} ${id}`)
    .join(', ');
  return hang(`${screen.theme.paint('waiting', screen.theme.glyph.waiting)} waiting: `, text, screen.width, 4);
}

function renderUnknown({ unknown }: CheckReport, screen: Screen): string[] {
  if (unknown.length === 0) return [];
  const shown = screen.wide || unknown.length <= enoughUnknown + 1 ? unknown : unknown.slice(0, enoughUnknown);
  const { glyph, paint, prose } = screen.theme;
  return [
    paint('strong', 'Not known'),
    ...shown.flatMap(({ object, summary }) => [
      `  ${paint('unknown', glyph.unknown)} ${objectWords(object)}`,
      ...hang('      ', prose(summary), screen.width),
    ]),
    ...(shown.length < unknown.length ? [`  and ${unknown.length - shown.length} more (-o wide lists them)`] : []),
  ];
}

/** Findings that do not count, and why. */
function renderSetAside(groups: readonly CheckGroup[], screen: Screen): string[] {
  const aside = groups.filter(({ outcome }) => outcome !== 'new');
  if (aside.length === 0) return [];
  return [
    screen.theme.paint('strong', 'Not counted'),
    ...aside.flatMap((group) => {
      const [{ ignoredBy, reason }] = group.findings;
      const why =
        group.outcome === 'known'
          ? 'in the baseline'
          : `ignored by ${ignoredBy ?? ''}${reason === undefined ? '' : `: ${reason}`}`;
      return hang(
        `  ${screen.theme.glyph.notApplicable} `,
        `${group.id}  ${subjectList(group, enoughSubjects)}  (${why})`,
        screen.width,
        6,
      );
    }),
  ];
}

/** How to see the evidence and the fixes. */
function renderHint(groups: readonly CheckGroup[], screen: Screen): string[] {
  if (screen.wide || !groups.some(({ severity }) => severity !== 'info')) return [];
  return hang('', 'Evidence and fixes: -o wide. Meaning of a cause: kubectl csi explain CAUSE', screen.width, 2).map(
    (line) => screen.theme.paint('faint', line),
  );
}

function renderVerdict(report: CheckReport, screen: Screen): string[] {
  const state = resultGlyph[report.result];
  const { glyph, paint } = screen.theme;
  return hang(`${paint(stageStyle[state], glyph[state])} `, verdictWords(report), screen.width, 2);
}
