import type { Finding, ReportItem, Status } from '../../core/report/report.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import { stuckSince } from '../../core/report/stuck-since.ts';
import {
  renderAdvice,
  renderBrief,
  renderEvidence,
  renderFinding,
  renderFixes,
  renderMore,
  renderTitle,
} from './finding.ts';
import { renderLogs } from './logs.ts';
import { objectName } from './nouns.ts';
import { screenAt } from '../screen.ts';
import type { Screen } from '../screen.ts';
import { renderStages } from './stages.ts';
import { statusStyle } from '../theme.ts';
import { renderUnread } from './unread.ts';
import { displayWidth, hang } from '../wrap.ts';

const labels: Readonly<Record<Status, string>> = {
  blocked: 'Cause',
  waiting: 'Waiting',
  healthy: 'Note',
  unknown: 'Cause',
};

/** The whole report on one target. */
export function renderBlock(
  item: ReportItem,
  anyScreen: Screen,
  options: { readonly unread: boolean } = { unread: true },
): string[] {
  const screen = screenAt(anyScreen, item.context);
  const causes = item.findings.filter((finding) => finding.role === 'cause');
  const sections = [
    [...renderHeader(item, screen), ...renderSaying(item, causes[0], screen), ...renderStages(item, screen)],
    ...causes.map((finding, index) => renderCause(item, finding, index, screen)),
    causes.length === 0 && item.cause !== undefined ? renderBareCause(item, item.cause, screen) : [],
    renderLogs(item, screen),
    ...renderRest(item, screen),
    options.unread ? renderUnread(item.unread, screen) : [],
    options.unread ? renderCompletion(item, screen) : [],
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

/** `pvc/data-0  namespace default  blocked 14m`; a name is never wrapped, so that it can be copied. */
export function renderHeader(item: ReportItem, screen: Screen): string[] {
  const { paint } = screen.theme;
  const name = objectName(item.target);
  const state = statusText(item, screen);
  const parts = [
    [name, paint('strong', name)],
    ...(item.target.namespace === undefined
      ? []
      : [[`namespace ${item.target.namespace}`, `namespace ${item.target.namespace}`]]),
    ...(item.context === undefined ? [] : [[`context ${item.context}`, `context ${item.context}`]]),
    [state, paint(statusStyle[item.status], state)],
    ...(screen.wide && item.target.uid !== undefined
      ? [[`uid ${item.target.uid}`, paint('faint', `uid ${item.target.uid}`)]]
      : []),
  ] as [string, string][];
  const lines: string[] = [];
  let used = 0;
  for (const [plain, painted] of parts) {
    const columns = displayWidth(plain);
    const fits = lines.length > 0 && used + 2 + columns <= screen.width;
    if (fits) lines[lines.length - 1] += `  ${painted}`;
    else lines.push((lines.length === 0 ? '' : '  ') + painted);
    used = fits ? used + 2 + columns : columns + (lines.length === 1 ? 0 : 2);
  }
  return lines;
}

/** Kubernetes' own word for the state and, if known, for how long it has lasted. */
export function statusText(item: ReportItem, screen: Screen): string {
  if (item.status === 'healthy') return item.phase ?? item.status;
  const word = item.phase ?? item.status;
  const age = screenAt(screen, item.context).age(stuckSince(item));
  return age === undefined ? word : `${word} ${age}`;
}

/** The sentence about the target, unless the cause below has the same words. */
function renderSaying(item: ReportItem, cause: Finding | undefined, screen: Screen): string[] {
  const isSaidBelow = cause?.summary === item.summary || (cause === undefined && item.cause !== undefined);
  return item.summary === '' || isSaidBelow ? [] : hang('  ', screen.theme.prose(item.summary), screen.width);
}

function renderCause(item: ReportItem, finding: Finding, index: number, screen: Screen): string[] {
  const label = index === 0 ? labels[item.status] : 'Also';
  return [
    ...renderFinding(label, finding, item.target.namespace, screen),
    ...renderAdvice(finding, item.status === 'waiting' ? 'Next' : 'Fix', screen),
  ];
}

function renderBareCause(item: ReportItem, cause: string, screen: Screen): string[] {
  return [
    ...renderTitle(labels[item.status], cause, [], screen),
    ...hang('  ', screen.theme.prose(item.summary), screen.width),
    renderMore(cause, screen),
  ];
}

/** Consequences and advice: a line each, or in full with `-o wide`. */
function renderRest(item: ReportItem, screen: Screen): string[][] {
  const consequences = item.findings.filter((finding) => finding.role === 'consequence');
  const advice = item.findings.filter((finding) => finding.role === 'advice');
  if (screen.wide)
    return [
      renderFull('Follows from the cause', consequences, item, screen),
      renderFull('Advice', advice, item, screen),
    ];
  const loud = advice.filter((finding) => finding.severity !== 'info');
  const quiet = advice.length - loud.length;
  return [
    titled(
      'Follows from the cause',
      consequences.flatMap((finding) => renderBrief(finding, screen)),
    ),
    titled(
      'Advice',
      loud.flatMap((finding) => renderBrief(finding, screen)),
    ),
    // Where nothing could be decided, advice is all there is to go on.
    item.status === 'unknown' && item.cause === undefined
      ? titled(
          'Next',
          renderFixes(
            loud.flatMap(({ fix }) => fix),
            screen,
          ),
        )
      : [],
    quiet === 0 ? [] : [screen.theme.paint('faint', `${quiet} more ${quiet === 1 ? 'note' : 'notes'} with -o wide`)],
  ];
}

/** Kinds that not every server has: one of them would make `kubectl get` of all refuse. */
const extensions = /^(?:volume(?:group)?snapshot|volumepopulators|bucket|referencegrants|volumeattributesclasses)/;

/** What is missing in a dump can often still be had. */
function renderCompletion(item: ReportItem, screen: Screen): string[] {
  const end = screen.endOf(item.context);
  if (item.status !== 'unknown' || !end.startsWith(' --from ') || end.includes(' --from -')) return [];
  const absent = item.unread.filter(({ reason }) => reason === 'not in the dump').map(({ resource }) => resource);
  const kinds = [...new Set(absent)].filter((kind) => !extensions.test(kind)).sort();
  if (kinds.length === 0) return [];
  const { namespace } = item.target;
  const place = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  return [
    'To decide it, read from the cluster what is missing, and ask again:',
    `  $ ${screen.theme.paint('strong', `kubectl get ${kinds.join(',')} -A -o yaml > missing.yaml`)}`,
    `  $ ${screen.theme.paint('strong', `kubectl csi why ${shellWord(objectName(item.target))}${place}${end} --from missing.yaml`)}`,
  ];
}

function renderFull(title: string, findings: readonly Finding[], item: ReportItem, screen: Screen): string[] {
  return titled(
    title,
    findings.flatMap((finding) => [
      ...hang(
        '  ',
        `${finding.cause} (${finding.confidence}): ${screen.theme.prose(finding.summary)}`,
        screen.width,
        4,
      ),
      ...renderEvidence(finding.evidence, item.target.namespace, screen, 4),
      ...renderFixes(finding.fix, { ...screen, width: screen.width - 2 }).map((line) => `  ${line}`),
    ]),
  );
}

function titled(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}
