import type { StageState } from '../../core/report/report.ts';
import type { DriverStatus, SidecarStatus, Status } from '../../core/report/status.ts';
import { ageText, parseTime } from '../../core/kube/time.ts';
import type { Screen } from '../screen.ts';
import { count, nameList } from './lists.ts';
import type { Style } from '../theme.ts';
import { displayWidth, hang } from '../wrap.ts';

export const looks: Readonly<
  Record<DriverStatus['state'], { readonly glyph: StageState; readonly style: Style; readonly word: string }>
> = {
  works: { glyph: 'passed', style: 'passed', word: 'registered; not probed' },
  trouble: { glyph: 'blocked', style: 'blocked', word: 'failing' },
  unknown: { glyph: 'unknown', style: 'unknown', word: 'not known' },
};

export function renderDrivers(status: Status, screen: Screen): string[] {
  const { paint, glyph } = screen.theme;
  const title = paint('strong', 'drivers');
  if (status.drivers.length === 0) {
    if (status.driversKnown !== 'all')
      return [title, `  ${paint('unknown', glyph.unknown)} the drivers could not be read`];
    return [
      title,
      `  ${status.namespace === undefined ? 'no CSI driver is installed' : 'no claim here uses a CSI driver'}`,
    ];
  }
  return [title, ...status.drivers.flatMap((driver) => renderDriver(driver, status, screen))];
}

function renderDriver(driver: DriverStatus, status: Status, screen: Screen): string[] {
  const { glyph, style } = looks[driver.state];
  const word = wordFor(driver);
  const { paint, glyph: glyphs } = screen.theme;
  const version = driver.version === undefined ? '' : ` ${driver.version}`;
  const others = driver.otherVersions.length === 0 ? '' : ` (also ${driver.otherVersions.join(', ')})`;
  const isOneLine = displayWidth(`  x ${driver.name}${version}${others}  ${word}`) <= screen.width;
  return [
    `  ${paint(style, glyphs[glyph])} ` +
      `${paint('strong', driver.name)}${version}${others}${isOneLine ? '  ' : '\n      '}${paint(style, word)}`,
    ...row('controller', controllerText(driver, screen), screen),
    ...troubleRows(driver, status, screen),
    ...leaderRows(driver, screen),
    ...row('sidecars', sidecarsText(driver, screen), screen),
    ...row('nodes', placedText(driver), screen),
    ...(screen.wide || driver.controller.state === 'none' || driver.isInstalled === false
      ? row('classes', driver.classes.length === 0 ? 'none' : nameList(driver.classes, screen), screen)
      : []),
    ...verdictRow(driver, screen),
  ];
}

/** Ready pods do not prove that a driver answers; where its pods are not known, not even those are. */
export function wordFor(driver: DriverStatus): string {
  if (isOnlyOnNodes(driver)) return 'degraded: not ready on every node; not probed';
  const { state, controller, placements } = driver;
  const hasPods = (controller.pods?.total ?? 0) > 0 || placements.some(({ pod }) => pod !== undefined);
  return state === 'works' && hasPods ? 'registered, pods ready; not probed' : looks[state].word;
}

function isOnlyOnNodes({ state, controller, verdict, placements }: DriverStatus): boolean {
  return (
    state === 'trouble' &&
    controller.state !== 'down' &&
    verdict?.status !== 'blocked' &&
    placements.some((placement) => placement.state === 'ready')
  );
}

function row(title: string, text: string, screen: Screen): string[] {
  return text === '' ? [] : hang(`      ${title.padEnd(12)}`, screen.theme.prose(text), screen.width);
}

export function controllerText({ controller, isInstalled, sidecars }: DriverStatus, screen: Screen): string {
  const { state, namespace, workload, pods } = controller;
  const object = isInstalled === false ? 'no CSIDriver object; ' : '';
  if (state === 'none') return `${object}no controller found`;
  if (state === 'unknown' && workload === undefined && pods === undefined) return `${object}could not be read`;
  const place = [workload, namespace === undefined ? undefined : `in ${namespace}`]
    .filter((part) => part !== undefined)
    .join(' ');
  const ready = pods === undefined || pods.total === 0 ? '' : `${pods.ready} of ${count(pods.total, 'pod')} ready`;
  const leader = screen.wide ? '' : sharedLeader(sidecars, screen);
  return object + [ready, place, leader].filter((part) => part !== '').join(', ');
}

/** The leader of all sidecars, or all of them if they differ. */
function sharedLeader(sidecars: readonly SidecarStatus[], screen: Screen): string {
  const leaders = sidecars.flatMap(({ leader }) => (leader ? [leader] : []));
  const [first] = leaders;
  if (first === undefined) return '';
  const holders = new Set(leaders.map(({ holder }) => holder));
  if (holders.size > 1) return `leaders ${[...holders].join(', ')}`;
  const since = screen.age(first.since);
  return `leader ${first.holder}${since === undefined ? '' : ` for ${since}`}`;
}

function leaderRows({ sidecars }: DriverStatus, screen: Screen): string[] {
  if (!screen.wide) return [];
  const leading = sidecars.flatMap(({ role, leader }) => (leader ? [{ role, leader }] : []));
  const groups = Map.groupBy(
    leading,
    ({ leader }) => `${leader.holder} since ${(leader.since ?? 'an unknown time').replace(/\.\d+/, '')}`,
  );
  return [...groups].flatMap(([who, group], index) =>
    row(index === 0 ? 'leaders' : '', `${group.map(({ role }) => role).join(', ')}: ${who}`, screen),
  );
}

/** Each reason why sidecars are down, with all that it stops; then the leases that are not renewed. */
export function troubleRows({ sidecars }: DriverStatus, { takenAt }: Status, screen: Screen): string[] {
  const { paint, glyph } = screen.theme;
  const down = sidecars.filter(({ state }) => state === 'down');
  const reasons = Map.groupBy(down, ({ why }) =>
    (why ?? 'is not running').replace(/lease \S+ (?:was last renewed|is not renewed).*/, 'its lease is not renewed'),
  );
  const lines = [...reasons].map(([why, group]) => {
    const roles = [...new Set(group.map(({ role }) => role))];
    return (
      `${roles.join(', ')}: ` +
      `${roles.length === 1 ? why : why.replace(/^is not running\b/, 'are not running').replace('its lease is not renewed', 'their leases are not renewed')}`
    );
  });
  const stale = sidecars.flatMap(({ staleLease }) => (staleLease ? [staleLease] : []));
  const leases = Map.groupBy(stale, ({ holder, renewedAt }) => `${holder ?? ''}|${ageOf(renewedAt, takenAt) ?? ''}`);
  const tell = [...leases.values()].map((group) => {
    const [first] = group;
    const age = ageOf(first?.renewedAt, takenAt);
    const names = group.map(({ name, namespace }) => (namespace === undefined ? name : `${namespace}/${name}`));
    return (
      `stale ${group.length === 1 ? 'lease' : 'leases'}: ` +
      `${nameList(names, screen)}${age === undefined ? '' : `, not renewed for ${age}`}${first?.holder ? `, last held by ${first.holder}` : ''}`
    );
  });
  return [...lines, ...tell].flatMap((text) =>
    hang(`      ${paint('blocked', glyph.blocked)} `, screen.theme.prose(text), screen.width, 8),
  );
}

function ageOf(moment: string | undefined, takenAt: string): string | undefined {
  const from = parseTime(moment);
  const to = parseTime(takenAt);
  return from === undefined || to === undefined ? undefined : ageText(from, to);
}

function sidecarsText({ sidecars }: DriverStatus, screen: Screen): string {
  const text = ({ role, version, image }: SidecarStatus): string =>
    screen.wide ? `${role} ${version ?? image ?? '(version unknown)'}` : role;
  const unique = [
    ...new Map(
      sidecars.map((sidecar) => [`${sidecar.role}|${screen.wide ? (sidecar.version ?? '') : ''}`, sidecar]),
    ).values(),
  ];
  return unique.map(text).join(screen.wide ? ', ' : ' ');
}

/** What the section on nodes does not show. */
function placedText({ placed, placements, isInstalled }: DriverStatus): string {
  if (placed === 'none') return 'its registrations could not be read';
  const isNowhere = placements.every(({ isRegistered }) => isRegistered === false);
  return isNowhere && isInstalled !== false ? 'not registered on any node' : '';
}

/** The verdict, unless a sidecar's reason has the same words. */
function verdictRow({ verdict, sidecars, state }: DriverStatus, screen: Screen): string[] {
  if (verdict?.status !== 'blocked' || state !== 'trouble') return [];
  const isSaid = sidecars.some(({ why }) => why !== undefined && verdict.summary.includes(reasonIn(why)));
  return isSaid
    ? []
    : row('cause', `${verdict.cause === undefined ? '' : `${verdict.cause}: `}${verdict.summary}`, screen);
}

/** `is not running: deployment/x …` without its first part, which other sentences put differently. */
function reasonIn(why: string): string {
  return why.slice(why.indexOf(': ') + 1).trim();
}
