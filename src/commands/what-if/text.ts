import type { Fix, ObjectRef, StageState } from '../../core/report/report.ts';
import type { EffectSeverity, Place, WhatIfEffect, WhatIfReport } from '../../core/report/what-if.ts';
import { renderEvidence, renderFixes, renderMore } from '../../terminal/verdict/finding.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { stageStyle } from '../../terminal/theme.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import { hang } from '../../terminal/wrap.ts';
import { effectWords, summaryWords } from './words.ts';

const looks: Readonly<Record<EffectSeverity, StageState>> = {
  breaks: 'blocked',
  wait: 'waiting',
  notice: 'passed',
};
const enoughObjects = 6;
const enoughPlaces = 5;

/** What would happen, the worst first; each effect once, with what it happens to. */
export function renderWhatIf(untrusted: WhatIfReport, options: TextOptions): string {
  const report = sanitiseReport(untrusted);
  const screen = createScreen(report.takenAt, options);
  const { paint } = screen.theme;
  const title = hang('', `What if: ${report.operations.map(({ text }) => text).join(' + ')}`, screen.width, 2);
  const blocks = report.effects.map((effect) => renderEffect(effect, screen));
  const nothing = report.effects.length === 0 ? ['', 'Nothing related to storage would change.'] : [];
  const unforeseen =
    report.unforeseen.length === 0
      ? []
      : ['', 'Cannot be foreseen', ...report.unforeseen.flatMap((one) => hang('  - ', one, screen.width))];
  const unread = report.unread.length === 0 ? [] : ['', ...renderUnreadBriefly(report.unread, screen)];
  const hint = report.unread.some(({ reason }) => reason === 'not in the dump')
    ? [paint('faint', '  Add --complete if the dump is complete.')]
    : [];
  const lines = [
    ...title.map((line) => paint('strong', line)),
    ...blocks.flatMap((block) => ['', ...block]),
    ...nothing,
    ...unforeseen,
    ...unread,
    ...hint,
    '',
    ...hang('', summaryWords(report), screen.width),
  ];
  return `${lines.join('\n')}\n`;
}

/** What is only possible is not proven to break anything. */
export function lookOf({ confidence, severity }: WhatIfEffect): StageState {
  return confidence === 'possible' && severity === 'breaks' ? 'unknown' : looks[severity];
}

function renderEffect(effect: WhatIfEffect, screen: Screen): string[] {
  const { paint, glyph, prose } = screen.theme;
  const look = lookOf(effect);
  const label = effectWords[effect.effect];
  const cause = effect.cause === undefined ? '' : `  ${effect.cause}`;
  const head = `${paint(stageStyle[look], glyph[look])} ${paint('strong', label)}${cause} (${effect.confidence})`;
  const home = effect.objects[0]?.namespace;
  const lines = [head, ...hang('  ', prose(effect.summary), screen.width), ...renderObjects(effect, screen)];
  if (effect.severity === 'breaks' || screen.wide) {
    if (effect.evidence.length > 0) lines.push('  Evidence', ...renderEvidence(effect.evidence, home, screen, 4));
    lines.push(...renderSteps('Before you start', effect.prevention, screen));
    lines.push(...renderSteps('Once it has happened', effect.fix, screen));
    if (effect.cause !== undefined) lines.push(...indent([renderMore(effect.cause, narrower(screen)).trimStart()]));
  }
  return lines;
}

/** One step shows what it takes; `-o wide` and the page of the cause have the others. */
function renderSteps(title: string, steps: readonly Fix[], screen: Screen): string[] {
  if (steps.length === 0) return [];
  const shown = screen.wide ? steps : steps.slice(0, 1);
  return [`  ${title}`, ...indent(renderFixes(shown, narrower(screen)))];
}

function narrower(screen: Screen): Screen {
  return { ...screen, width: screen.width - 2 };
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

/** Places show more than names; a single object is in the sentence already. */
function renderObjects({ objects, places, summary }: WhatIfEffect, screen: Screen): string[] {
  if (places && places.length > 0) return renderPlaces(places, screen);
  if (objects.length <= 1 && objects.every((object) => summary.includes(object.name))) return [];
  return hang('  ', listed(objects, screen.wide), screen.width, 4);
}

/** `shop: pod/a, pod/b; data: pod/c and 3 more`. */
function listed(objects: readonly ObjectRef[], isWide: boolean): string {
  const shown = isWide || objects.length <= enoughObjects + 1 ? objects : objects.slice(0, enoughObjects);
  const byNamespace = Map.groupBy(shown, ({ namespace }) => namespace ?? '');
  const text = [...byNamespace]
    .map(([namespace, members]) => `${namespace === '' ? '' : `${namespace}: `}${members.map(objectName).join(', ')}`)
    .join('; ');
  const left = objects.length - shown.length;
  return left > 0 ? `${text} and ${left} more (-o wide lists them)` : text;
}

/** Pods that have the same nodes to choose from share a line. */
function renderPlaces(places: readonly Place[], screen: Screen): string[] {
  const groups = [...Map.groupBy(places, ({ fits, nodes }) => `${fits}|${nodes.join()}`).values()];
  const shown = screen.wide ? groups : groups.slice(0, enoughPlaces);
  const lines = shown.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const more = first.fits - first.nodes.length;
    const nodes = `${first.nodes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const where = first.fits === 1 ? `only ${nodes} fits` : `${first.fits} nodes fit: ${nodes}`;
    return hang(
      '  ',
      `${listed(
        group.map(({ object }) => object),
        screen.wide,
      )} → ${where}`,
      screen.width,
      4,
    );
  });
  const left = groups.length - shown.length;
  return left > 0 ? [...lines, `  and ${left} more groups (-o wide lists them)`] : lines;
}
