import { ownRefusals } from '../../core/report/preflight.ts';
import type { Objection, PreflightItem, PreflightReport, PreflightStatus } from '../../core/report/preflight.ts';
import type { Finding, StageState } from '../../core/report/report.ts';
import { renderBrief, renderFinding, renderFixes, renderMore } from '../../terminal/verdict/finding.ts';
import { countObjects, objectName } from '../../terminal/verdict/nouns.ts';
import { placeWords, statusWords, summaryWords } from './words.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { stageStyle } from '../../terminal/theme.ts';
import { renderUnread } from '../../terminal/verdict/unread.ts';
import { hang } from '../../terminal/wrap.ts';

export const order: readonly PreflightStatus[] = ['wouldFail', 'unknown', 'wouldWait', 'ok'];
export const looks: Readonly<Record<PreflightStatus, StageState>> = {
  ok: 'passed',
  wouldWait: 'waiting',
  wouldFail: 'blocked',
  unknown: 'unknown',
};
const enoughParts = 4;

/** What would become of each manifest, the worst first; one that is fine takes a line. */
export function renderPreflight(untrusted: PreflightReport, options: TextOptions): string {
  const report = sanitiseReport(untrusted);
  const screen = createScreen(report.takenAt, options);
  const told = new Map<string, PreflightItem>();
  const blocks = order.flatMap((status) =>
    report.items
      .filter((item) => item.status === status)
      .map((item) => renderItem(item, toldBefore(item, told), screen)),
  );
  const isLong = (lines: readonly string[]): boolean => lines.length > 2;
  const text = blocks.flatMap((lines, index) =>
    index > 0 && (isLong(lines) || isLong(blocks[index - 1] ?? [])) ? ['', ...lines] : lines,
  );
  const lacking = uniqueUnread(report);
  const hint = lacking.some(({ reason }) => reason === 'not in the dump')
    ? hang('  ', 'Add --complete if the dump is complete.', screen.width).map((line) =>
        screen.theme.paint('faint', line),
      )
    : [];
  const unread = [...renderUnread(lacking, screen), ...hint];
  const last = hang('', summaryWords(report), screen.width);
  return `${[...text, ...(text.length > 0 ? [''] : []), ...(unread.length > 0 ? [...unread, ''] : []), ...last].join('\n')}\n`;
}

/** The object that was reported before with the same cause and sentence; each cause is explained once. */
export function toldBefore(item: PreflightItem, told: Map<string, PreflightItem>): string | undefined {
  if (!item.objection) return undefined;
  if (item.becauseOf) return objectName(item.becauseOf);
  const key = `${item.status}|${item.objection.cause}|${item.objection.summary}`;
  const first = told.get(key);
  if (!first) told.set(key, item);
  return first && objectName(first.object);
}

function renderItem(item: PreflightItem, sameAs: string | undefined, screen: Screen): string[] {
  const { paint, glyph } = screen.theme;
  const look = looks[item.status];
  const name = objectName(item.object);
  const words = [
    name,
    ...(item.object.namespace === undefined ? [] : [`namespace ${item.object.namespace}`]),
    statusWords[item.status],
  ];
  const head = hang(`${glyph[look]} `, words.join('  '), screen.width).map((line, index) =>
    index === 0
      ? line.replace(glyph[look], () => paint(stageStyle[look], glyph[look])).replace(name, () => paint('strong', name))
      : line,
  );
  const place = paint('faint', `  ${placeWords(item)}`);
  const warnings = item.warnings.flatMap((warning) => renderWarning(warning, screen));
  if (!item.objection)
    return [
      ...head,
      ...hang('  ', screen.theme.prose(item.summary), screen.width),
      ...(item.status === 'ok' && warnings.length === 0 ? [] : [place]),
      ...warnings,
    ];
  if (sameAs !== undefined)
    return [
      ...head,
      place,
      ...hang('  ', `Same cause as ${sameAs}: ${item.objection.cause}`, screen.width),
      ...warnings,
    ];
  return [...head, place, ...renderParts(item, screen), ...renderObjection(item, item.objection, screen), ...warnings];
}

function renderParts({ parts, status }: PreflightItem, screen: Screen): string[] {
  const hit = parts.filter((part) => part.status === status).map(({ object }) => objectName(object));
  if (hit.length === 0) return [];
  const shown =
    screen.wide || hit.length <= enoughParts + 1
      ? hit.join(', ')
      : `${hit.slice(0, enoughParts).join(', ')} and ${hit.length - enoughParts} more`;
  return hang(
    '  ',
    `of the objects it creates (${countObjects(parts.map(({ object }) => object))}): ${shown}`,
    screen.width,
    4,
  );
}

function renderObjection(item: PreflightItem, objection: Objection, screen: Screen): string[] {
  const inner = { ...screen, width: screen.width - 2 };
  const lines = renderFinding(
    item.status === 'wouldWait' ? 'Waiting' : 'Cause',
    findingOf(objection),
    item.object.namespace,
    inner,
  );
  if (objection.fix.length > 0)
    lines.push('', item.status === 'wouldWait' ? 'Next' : 'Fix', ...renderFixes(objection.fix, inner));
  if (!ownRefusals.some(({ id }) => id === objection.cause)) lines.push(renderMore(objection.cause, inner));
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function renderWarning(warning: Objection, screen: Screen): string[] {
  const [first = '', ...rest] = renderBrief(findingOf(warning), { ...screen, width: screen.width - 9 });
  return [`  Warning: ${first.trimStart()}`, ...rest.map((line) => `       ${line}`)];
}

function findingOf(objection: Objection): Finding {
  return { ...objection, role: 'cause', severity: 'blocking' };
}

export function uniqueUnread(report: PreflightReport): PreflightItem['unread'] {
  const all = report.items.filter(({ status }) => status === 'unknown').flatMap(({ unread }) => unread);
  return [...new Map(all.map((entry) => [`${entry.resource}|${entry.needed}`, entry])).values()];
}
