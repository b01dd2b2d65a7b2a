import type { Pod, Volume } from '../kube/kinds.ts';
import { parseTime } from '../kube/time.ts';
import { lastSeen, newestMatch } from '../graph/events.ts';
import { open, passed, unknown } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import { isPresent } from '../facts/claim/claim-case.ts';
import type { ClaimCase, PresentClaim } from '../facts/claim/claim-case.ts';
import { predecessorOf } from '../facts/claim/expectation.ts';
import { defaultClassOf, defaultSince } from '../facts/class/storage-class.ts';
import { nearMissesOf } from '../facts/volume/near-miss.ts';
import { chooseVolume, reservationOf } from '../facts/volume/volume-match.ts';

/** The claim exists and its class is settled. */
export function assessClaim(c: ClaimCase): Assessment {
  if (c.lookup.state === 'unknown') return unknown(`pvc/${c.name} could not be read`);
  if (!isPresent(c)) return assessAbsent(c);
  const { claim } = c;
  const wants = [c.request, ...(claim.spec?.accessModes ?? [])].filter(Boolean).join(' ');
  const since = claim.metadata.creationTimestamp;
  if (c.isBound) return passed(`${classText(c)}, ${wants}`);
  // A volume that the claim names, or that names the claim, needs neither class nor provisioner: only binding can fail.
  if (c.isReserved && !c.namesVolume)
    return passed(`volume ${c.reservedVolumes[0]?.metadata.name ?? ''} (reserved), ${wants}`);
  if (c.namesVolume || c.isLost) return passed(`volume ${c.volumeName || 'lost'} (named), ${wants}`);
  if (c.class.source === 'none') return assessNoClass(c, wants, since);
  if (c.class.name === '') return passed(`no class, binds to an existing volume only, ${wants}`);
  if (c.storageClass?.state === 'unknown' && c.isDelayed)
    return passed(`class ${c.class.name} (could not be read, waits for the first consumer), ${wants}`);
  // The volume controller asks a provisioner only for a class that it has found.
  if (c.storageClass?.state === 'unknown' && c.askedProvisioner !== undefined)
    return passed(`class ${c.class.name} (could not be read) → ${c.askedProvisioner}, ${wants}`);
  if (c.storageClass?.state === 'unknown') return unknown(`class ${c.class.name} could not be read, ${wants}`, since);
  if (c.storageClass?.state === 'missing') {
    // Static volumes need no class object (syncUnboundClaim searches first): then the problem is that no volume fits.
    return hasFittingVolume(c) || c.isStatic
      ? passed(`class ${c.class.name} (a name only: the object does not exist), ${wants}`)
      : open(`class ${c.class.name} does not exist`, since, 0);
  }
  return passed(`${classText(c)}, ${wants}`);
}

function assessAbsent(c: ClaimCase): Assessment {
  const { pods, sets } = c.expectation;
  const [expected] = sets;
  const earlier = pods.length === 0 && expected ? predecessorOf(expected, c.ask) : undefined;
  if (!expected || earlier === undefined) return open(`pvc/${c.name} does not exist`, waitingSince(pods), 0);
  // By design, for any length of time: an ordered StatefulSet creates the next claim when the previous pod is ready.
  return open(
    `pvc/${c.name} is not due yet: statefulset/${expected.set.metadata.name} waits for pod/${earlier} to be ready`,
    expected.set.metadata.creationTimestamp,
    Number.POSITIVE_INFINITY,
  );
}

/** A pod waits for a missing claim since it was created. For a StatefulSet alone no time is known. */
function waitingSince(pods: readonly Pod[]): string | undefined {
  return pods.flatMap(({ metadata }) => metadata.creationTimestamp ?? []).toSorted()[0];
}

function assessNoClass(c: ClaimCase, wants: string, since: string | undefined): Assessment {
  if (hasFittingVolume(c)) return passed(`no class, ${wants}`);
  const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
  const fallback = defaultClassOf(classes.items);
  if (!fallback && isHeldForNamesake(c)) return passed(`no class, only an existing volume can satisfy it, ${wants}`);
  if (!classes.complete && classes.items.length === 0)
    return unknown(`no class is set, and the classes could not be read, ${wants}`, since);
  if (!fallback) return open('no class is set and there is no default class', since, 30);
  const defaultTime = defaultSince(fallback);
  const isClassNewer = (parseTime(defaultTime) ?? 0) > (parseTime(since) ?? 0);
  return open(
    `no class is set; default class ${fallback.metadata.name} was not filled in`,
    isClassNewer ? defaultTime : since,
    60,
  );
}

/**
 * The claim was deleted and recreated, and its former volume still names it: it needs that volume back, not a class.
 */
function isHeldForNamesake(c: ClaimCase): boolean {
  return isPresent(c) && nearMissesOf(c).misses[0]?.reason === 'stale';
}

function hasFittingVolume(c: ClaimCase): boolean {
  return isPresent(c) && nearMissesOf(c).fitting.length > 0;
}

function classText(c: ClaimCase): string {
  if (c.class.name === '') return 'no class';
  const origin = c.class.source === 'annotation' ? 'by annotation' : 'named';
  const driver = c.storageClassObject?.provisioner;
  return `class ${c.class.name} (${origin})${driver ? ` → ${driver}` : ''}`;
}

/** A volume was provisioned for the claim. */
export function assessProvision(c: ClaimCase): Assessment {
  if (c.isBound || c.volumeName !== '') return passed(`volume ${c.volumeName}`);
  const volume = c.reservedVolumes[0] ?? findProvisionedVolume(c);
  if (volume) return passed(`volume ${volume.metadata.name}`);
  const waits = open(`no volume yet from ${c.provisioner ?? c.class.name}`, c.provisionableSince, 120);
  return failedLately(c) ? { ...waits, hasFailed: true } : waits;
}

/** A provisioner that runs retries at least every five minutes, and reports each failure. */
const longestRetryMs = 6 * 60_000;

function failedLately(c: ClaimCase): boolean {
  const [last] = c.events.items
    .filter(({ reason }) => reason === 'ProvisioningFailed' || reason === 'ProvisioningSucceeded')
    .toSorted((a, b) => lastSeen(b) - lastSeen(a));
  return last?.reason === 'ProvisioningFailed' && c.now - lastSeen(last) < longestRetryMs;
}

/**
 * The volume of the provisioner, by the name it reported or must have given (sig-storage-lib
 * getProvisionedVolumeNameForClaim).
 */
function findProvisionedVolume(c: ClaimCase): Volume | undefined {
  const { claim } = c;
  if (!claim?.metadata.uid) return undefined;
  const reported = newestMatch(c.events.items, 'ProvisioningSucceeded', /Successfully provisioned volume (\S+)/);
  const names = new Set([...(reported?.match[1] ? [reported.match[1]] : []), `pvc-${claim.metadata.uid}`]);
  for (const name of names) {
    const volume = c.ask.get('PersistentVolume', undefined, name, `whether a volume was created for pvc/${c.name}`);
    if (volume.state === 'found' && reservationOf(volume.object, claim) === 'this') return volume.object;
  }
  return undefined;
}

/** The claim and a volume name each other. */
export function assessBind(c: ClaimCase): Assessment {
  if (c.isBound)
    return c.volume?.state === 'missing'
      ? open(`bound to pv/${c.volumeName}, which does not exist`, undefined, 0)
      : passed(`bound to ${c.volumeName}`);
  const since = c.claim?.metadata.creationTimestamp;
  if (c.isLost) return open('has lost its volume', since, 0);
  const [reserved] = c.reservedVolumes;
  if (c.namesVolume) {
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    return open(`waits for volume ${c.volumeName}`, bindableSince(since, volume), 30);
  }
  if (reserved)
    return open(
      `volume ${reserved.metadata.name} is reserved for the claim and not bound to it yet`,
      bindableSince(since, reserved),
      60,
    );
  if (!c.isStatic || !isPresent(c)) return open('not bound yet', since, 30);
  const fitting = findFittingVolume(c);
  if (fitting)
    return open(`volume ${fitting.metadata.name} fits and is not bound yet`, bindableSince(since, fitting), 60);
  // With delayed binding the scheduler chooses one of them.
  return open(
    nearMissesOf(c).fitting.length > 0 ? 'not bound to a volume yet' : 'no existing volume fits yet',
    since,
    30,
  );
}

/** A volume without a phase counts: it waits for the volume controller just as the claim does. */
function findFittingVolume(c: PresentClaim): Volume | undefined {
  const { fitting, misses } = nearMissesOf(c);
  const untouched = misses.find(
    ({ failed, volume }) =>
      failed.length === 1 && failed[0] === 'phase' && (volume.status?.phase ?? 'Pending') === 'Pending',
  );
  const isDelayed = c.isDelayed === true;
  return chooseVolume(fitting, c.claim, { by: 'search' }, { isDelayed }) ?? untouched?.volume;
}

/** The time from which the controller could have bound the two. */
function bindableSince(since: string | undefined, volume: Volume | undefined): string | undefined {
  const times = [since, volume?.metadata.creationTimestamp, volume?.status?.lastPhaseTransitionTime];
  return times.reduce((later, time) => ((parseTime(time) ?? -1) > (parseTime(later) ?? -1) ? time : later), since);
}
