import type { Volume } from '../kube/kinds.ts';
import { parseTime } from '../kube/time.ts';
import { newestMatch } from '../graph/events.ts';
import { open, passed, unknown } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import { isPresent } from '../facts/claim/claim-case.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
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
  // A volume that is chosen on either side needs neither class nor provisioner: only the bind stage can fail.
  if (c.isReserved && !c.namesVolume)
    return passed(`volume ${c.reservedVolumes[0]?.metadata.name ?? ''} (reserved), ${wants}`);
  if (c.namesVolume || c.isLost) return passed(`volume ${c.volumeName || 'lost'} (named), ${wants}`);
  if (c.class.source === 'none') return assessNoClass(c, wants, since);
  if (c.class.name === '') return passed(`no class, binds to an existing volume only, ${wants}`);
  if (c.storageClass?.state === 'unknown' && c.isDelayed)
    return passed(`class ${c.class.name} (not readable, waits for the first consumer), ${wants}`);
  // Only for a class that it found does the volume controller ask a provisioner.
  if (c.storageClass?.state === 'unknown' && c.askedProvisioner !== undefined)
    return passed(`class ${c.class.name} (not readable) → ${c.askedProvisioner}, ${wants}`);
  if (c.storageClass?.state === 'unknown') return unknown(`class ${c.class.name} could not be read, ${wants}`, since);
  if (c.storageClass?.state === 'missing') {
    // Static volumes need no class object (syncUnboundClaim searches first), and then it is the volumes that do not fit.
    return hasFittingVolume(c) || c.isStatic
      ? passed(`class ${c.class.name} (only a name, there is no such object), ${wants}`)
      : open(`class ${c.class.name} does not exist`, since, 0);
  }
  return passed(`${classText(c)}, ${wants}`);
}

function assessAbsent(c: ClaimCase): Assessment {
  const { pods, sets } = c.expectation;
  const [expected] = sets;
  const earlier = pods.length === 0 && expected ? predecessorOf(expected, c.ask) : undefined;
  if (!expected || earlier === undefined) return open(`pvc/${c.name} does not exist`, undefined, 0);
  // By design, however long it takes: an ordered set makes the next claim only when the pod before is ready.
  return open(
    `pvc/${c.name} is not due yet: statefulset/${expected.set.metadata.name} waits for pod/${earlier} to be ready`,
    expected.set.metadata.creationTimestamp,
    Number.POSITIVE_INFINITY,
  );
}

function assessNoClass(c: ClaimCase, wants: string, since: string | undefined): Assessment {
  if (hasFittingVolume(c)) return passed(`no class, ${wants}`);
  const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
  const fallback = defaultClassOf(classes.items);
  if (!fallback && isHeldForNamesake(c)) return passed(`no class, only an existing volume can satisfy it, ${wants}`);
  if (!classes.complete && classes.items.length === 0)
    return unknown(`no class is set, and the classes could not be read, ${wants}`, since);
  if (!fallback) return open('no class is set and there is no default class', since, 30);
  const started = [since, defaultSince(fallback)].reduce(
    (latest, time) => ((parseTime(time) ?? 0) > (parseTime(latest) ?? 0) ? time : latest),
    since,
  );
  return open(`no class is set; default class ${fallback.metadata.name} was not filled in`, started, 60);
}

/** A volume that was this claim's before it was deleted and made again: it needs no class, only its volume back. */
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

/** A volume was made for the claim. */
export function assessProvision(c: ClaimCase): Assessment {
  if (c.isBound || c.volumeName !== '') return passed(`volume ${c.volumeName}`);
  const made = c.reservedVolumes[0] ?? madeVolume(c);
  if (made) return passed(`volume ${made.metadata.name}`);
  const by = c.provisioner ?? c.class.name;
  return open(`no volume yet from ${by}`, c.provisionableSince, 120);
}

/** The provisioner's volume, asked for by the name that it must have had (sig-storage-lib getProvisionedVolumeNameForClaim), or that it told. */
function madeVolume(c: ClaimCase): Volume | undefined {
  const { claim } = c;
  if (!claim?.metadata.uid) return undefined;
  const told = newestMatch(c.events.items, 'ProvisioningSucceeded', /Successfully provisioned volume (\S+)/)?.match[1];
  const usual = `pvc-${claim.metadata.uid}`;
  for (const name of told === undefined || told === usual ? [usual] : [told, usual]) {
    const volume = c.ask.get('PersistentVolume', undefined, name, `whether a volume was made for pvc/${c.name}`);
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
  if (c.isLost) return open('the claim has lost its volume', since, 0);
  const [reserved] = c.reservedVolumes;
  if (c.namesVolume)
    return open(
      `waits for volume ${c.volumeName}`,
      latest(since, c.volume?.state === 'found' ? c.volume.object : undefined),
      30,
    );
  if (reserved)
    return open(
      `volume ${reserved.metadata.name} names the claim, and is not bound to it yet`,
      latest(since, reserved),
      60,
    );
  if (!c.isStatic || !isPresent(c)) return open('not bound yet', since, 30);
  const { fitting, misses } = nearMissesOf(c);
  // One that nobody has given a phase yet waits for the controller as the claim does.
  const unseen = misses.find(
    ({ failed, volume }) =>
      failed.length === 1 && failed[0] === 'phase' && (volume.status?.phase ?? 'Pending') === 'Pending',
  )?.volume;
  const chosen = chooseVolume(fitting, c.claim, { by: 'search' }, { isDelayed: c.isDelayed === true }) ?? unseen;
  return chosen
    ? open(`volume ${chosen.metadata.name} fits, and is not bound yet`, latest(since, chosen), 60)
    : open('no existing volume fits yet', since, 30);
}

/** The time from which the controller could have bound the two. */
function latest(since: string | undefined, volume: Volume | undefined): string | undefined {
  const times = [since, volume?.metadata.creationTimestamp, volume?.status?.lastPhaseTransitionTime];
  return times.reduce((later, time) => ((parseTime(time) ?? -1) > (parseTime(later) ?? -1) ? time : later), since);
}
