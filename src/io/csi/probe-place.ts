import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { ProbeItem } from '../../core/report/probe-report.ts';
import type { Fix } from '../../core/report/report.ts';
import { guardCommand } from '../../core/kube/safe-command.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import { stageOf } from './cluster-words.ts';
import type { RouteResult } from './cluster-words.ts';
import { askThroughExec, entranceOf } from './route-exec.ts';
import type { TunnelOptions } from './route-exec.ts';
import { askHealth } from './route-healthz.ts';
import type { Ways } from './ways.ts';

export interface PlaceOptions extends TunnelOptions {
  readonly exec: boolean;
  readonly createPods: boolean;
}

/** The ways to one driver, the cheapest first: its objects, its livenessprobe, its own container. */
export async function askPlace(place: DriverPlace, ways: Ways, options: PlaceOptions): Promise<RouteResult[]> {
  const objects: RouteResult = {
    route: { via: 'objects', outcome: 'answered', note: place.known.join('; ') || place.verdict.summary },
  };
  const isPod = place.pod !== undefined && place.namespace !== undefined;
  // A pod that does not run cannot answer; its objects say why.
  if (!isPod || !place.isRunning) return [objects];
  const health = await askHealth(
    place,
    { namespace: place.namespace ?? '', name: place.pod ?? '' },
    ways,
    options.timeoutMs,
  );
  return [objects, health, await enter(place, ways, options)];
}

async function enter(place: DriverPlace, ways: Ways, options: PlaceOptions): Promise<RouteResult> {
  const entrance = entranceOf(place);
  if (typeof entrance === 'string') return { route: { via: 'exec', outcome: 'impossible', note: entrance } };
  if (!options.exec)
    return { route: { via: 'exec', outcome: 'not-asked', note: '--exec queries the driver through its container' } };
  return askThroughExec(place, entrance, ways, options);
}

/** Why a pod on the node would show nothing more; undefined if it would. */
export function whyNoProbePod(place: DriverPlace, results: readonly RouteResult[]): string | undefined {
  if (!place.isRunning) return 'the driver is not running';
  if (place.node === undefined) return 'the node of the driver is not known';
  if (place.hostSocket === undefined) return 'the directory of the socket on the node is not known';
  return results.some(({ route, told }) => route.via === 'exec' && told !== undefined)
    ? 'the driver has answered already'
    : undefined;
}

/** One item from all ways: the last one that got an answer decides. */
export function itemOf(
  place: DriverPlace,
  results: readonly RouteResult[],
  options: Pick<PlaceOptions, 'exec' | 'createPods'>,
): ProbeItem {
  const best = results.findLast(({ told }) => told !== undefined);
  const { verdict } = place;
  const isOutweighed = best?.told?.status === 'ready' && verdict.failure === 'not-registered';
  const own = isOutweighed ? { notes: [`the driver itself is ready: ${best.route.note}`] } : {};
  const told =
    best?.told === undefined || isOutweighed
      ? { ...best?.told, ...objectsVerdict(place, results, options), ...own }
      : best.told;
  return {
    via: isOutweighed || best === undefined ? 'objects' : best.route.via,
    protocol: 'csi',
    drift: [],
    calls: [],
    ...told,
    notes: [
      ...(told.notes ?? []),
      ...disagreement(results, best),
      ...(told.status === 'ready' ? inVain(results, options) : []),
    ],
    fix: [...(told.failure === 'no-connection' ? whatTellsMore(place, results, options) : []), ...told.fix],
    driver: told.driver ?? place.driver,
    endpoint: endpointOf(place),
    roles: place.roles,
    ...(place.node !== undefined && { node: place.node }),
    ...(place.namespace !== undefined && { namespace: place.namespace }),
    ...(place.pod !== undefined && { pod: place.pod }),
    ...(place.container !== undefined && { container: place.container }),
    routes: results.map(({ route }) => route),
  };
}

function objectsVerdict(
  place: DriverPlace,
  results: readonly RouteResult[],
  options: Pick<PlaceOptions, 'exec' | 'createPods'>,
): Pick<ProbeItem, 'status' | 'summary' | 'fix'> & Partial<ProbeItem> {
  const { status, summary, fix } = place.verdict;
  const failure = place.verdict.failure ?? results.findLast((result) => result.failure !== undefined)?.failure;
  const next = status === 'unknown' ? whatTellsMore(place, results, options) : [];
  return {
    status,
    ...(failure !== undefined && { failure, stage: stageOf(failure) }),
    summary,
    fix: [...fix, ...next],
  };
}

/** The flag or the right that would let the driver be asked. */
function whatTellsMore(
  place: DriverPlace,
  results: readonly RouteResult[],
  { exec, createPods }: Pick<PlaceOptions, 'exec' | 'createPods'>,
): Fix[] {
  const command = `kubectl csi probe ${shellWord(place.driver)}${place.node === undefined || place.roles.includes('controller') ? '' : ` --node ${shellWord(place.node)}`}`;
  // Both ways end in a command in a container.
  const isShut = results.some(({ failure }) => failure === 'exec-forbidden');
  const isAskable = !isShut && results.some(({ route }) => route.via === 'exec' && route.outcome === 'not-asked');
  return [
    ...results.flatMap(({ next }) => next ?? []),
    ...(isAskable && !exec
      ? [
          {
            text: 'Query the driver itself, through a command in its container.',
            command: guardCommand(`${command} --exec`),
            risk: 'safe' as const,
          },
        ]
      : []),
    ...(!isShut && !createPods && place.hostSocket !== undefined && place.node !== undefined && place.pod !== undefined
      ? [
          {
            text: 'Query the driver itself, from a short-lived pod on its node.',
            command: guardCommand(`${command} --create-pods`),
            risk: 'safe' as const,
          },
        ]
      : []),
  ];
}

/** The kubelet acts on the livenessprobe, so it matters if that disagrees with the driver. */
function disagreement(results: readonly RouteResult[], best: RouteResult | undefined): string[] {
  const health = results.find(({ route }) => route.via === 'healthz')?.told;
  if (
    health === undefined ||
    best?.told === undefined ||
    best.route.via === 'healthz' ||
    (health.status === 'ready') === (best.told.status === 'ready')
  )
    return [];
  return [
    health.status === 'ready'
      ? 'its livenessprobe reports that it is ready'
      : `its livenessprobe reports otherwise: ${health.summary}`,
  ];
}

/** A way that the user requested and that failed is reported even if another way succeeded. */
function inVain(
  results: readonly RouteResult[],
  { exec, createPods }: Pick<PlaceOptions, 'exec' | 'createPods'>,
): string[] {
  const askedFor = exec ? 'exec' : undefined;
  const wanted = createPods ? 'pod' : askedFor;
  const missed = results.find(
    ({ route, told }) =>
      route.via === wanted &&
      told === undefined &&
      (route.outcome === 'failed' || route.outcome === 'forbidden' || route.outcome === 'impossible'),
  );
  const isAnswered = results.some(({ route, told }) => route.via !== 'objects' && told !== undefined);
  return missed === undefined ||
    !isAnswered ||
    results.some(({ route, told }) => route.via === 'exec' && told !== undefined)
    ? []
    : [`the driver itself was not queried: ${missed.route.note}`];
}

function endpointOf(place: DriverPlace): string {
  if (place.address !== undefined && /^tcp:\/\//i.test(place.address)) return place.address;
  const path = place.socket ?? place.hostSocket;
  if (path !== undefined) return `unix://${path}`;
  if (place.pod !== undefined) return `pod://${place.namespace ?? ''}/${place.pod}`;
  return place.node === undefined ? `driver://${place.driver}` : `node://${place.node}`;
}
