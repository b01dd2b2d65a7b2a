import type { Attachment, Claim, Kind, ObjectOf, Volume } from '../../kube/kinds.ts';
import type { Status } from '../../report/report.ts';
import type { AttachmentState, ClaimState, Counts, SnapshotState, VolumeState } from '../../report/status.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../../journey/claim-growth.ts';
import { extentOf } from './extent.ts';

/** What the diagnosis reports about a claim; undefined for one that was not diagnosed. */
type VerdictOf = (claim: Claim) => Status | undefined;

export function countClaims(ask: Inquiry, namespace: string | undefined, verdictOf: VerdictOf): Counts<ClaimState> {
  const listing = listed(ask, 'PersistentVolumeClaim', namespace, 'which claims there are');
  return tally(listing, (claim) => stateOfClaim(ask, claim, verdictOf(claim)), { Bound: 'bound' });
}

function stateOfClaim(ask: Inquiry, claim: Claim, verdict: Status | undefined): ClaimState {
  if (claim.metadata.deletionTimestamp !== undefined) return 'terminating';
  const phase = claim.status?.phase;
  if (phase === 'Lost') return 'lost';
  if (phase !== 'Bound') return stateOfPending(verdict);
  const subject = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name);
  if (isExpanding(subject)) return 'resizing';
  return isModifying(subject) ? 'modifying' : 'bound';
}

function stateOfPending(verdict: Status | undefined): ClaimState {
  if (verdict === 'blocked') return 'stuck';
  return verdict === 'waiting' ? 'waiting' : 'pending';
}

export function countVolumes(ask: Inquiry, namespace: string | undefined): Counts<VolumeState> {
  return tally(volumesIn(ask, namespace), stateOfVolume, { Bound: 'bound', Available: 'available' });
}

function stateOfVolume({ metadata, status }: Volume): VolumeState {
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  const phases: Readonly<Record<string, VolumeState>> = {
    Bound: 'bound',
    Available: 'available',
    Released: 'released',
    Failed: 'failed',
  };
  return phases[status?.phase ?? ''] ?? 'pending';
}

/** The volumes of the whole cluster, or of the claims of one namespace. */
export function volumesIn(ask: Inquiry, namespace: string | undefined): Looked<'PersistentVolume'> {
  if (namespace === undefined) return listed(ask, 'PersistentVolume', undefined, 'which volumes there are');
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which claims there are');
  const named = claims.items.flatMap((claim) =>
    claim.spec?.volumeName ? [{ claim: claim.metadata.name, volume: claim.spec.volumeName }] : [],
  );
  const lookups = named.map(({ claim, volume }) =>
    ask.get('PersistentVolume', undefined, volume, `the volume of pvc/${claim}`),
  );
  const items = lookups.flatMap((lookup) => (lookup.state === 'found' ? [lookup.object] : []));
  return { items, complete: claims.complete && lookups.every(({ state }) => state !== 'unknown') };
}

export function countAttachments(ask: Inquiry, namespace: string | undefined): Counts<AttachmentState> {
  const all = listed(ask, 'VolumeAttachment', undefined, 'which volumes are attached');
  if (namespace === undefined) return tally(all, stateOfAttachment, {});
  const volumes = volumesIn(ask, namespace);
  const names = new Set(volumes.items.map(({ metadata }) => metadata.name));
  return tally(
    {
      items: all.items.filter(({ spec }) => names.has(spec?.source?.persistentVolumeName ?? '')),
      complete: all.complete && volumes.complete,
    },
    stateOfAttachment,
    {},
  );
}

export function stateOfAttachment({ metadata, status }: Attachment): AttachmentState {
  if (metadata.deletionTimestamp !== undefined) return 'detaching';
  if (status?.attached === true) return 'attached';
  return status?.attachError === undefined ? 'attaching' : 'failed';
}

export function countSnapshots(ask: Inquiry, namespace: string | undefined): Counts<SnapshotState> {
  return tally(listed(ask, 'VolumeSnapshot', namespace, 'which snapshots there are'), stateOfSnapshot, {});
}

function stateOfSnapshot({ metadata, status }: ObjectOf<'VolumeSnapshot'>): SnapshotState {
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  if (status?.readyToUse === true) return 'ready';
  return status?.error === undefined ? 'inProgress' : 'failed';
}

/** A listing, and how many more objects the server has counted in each phase. */
interface Looked<K extends Kind> extends Listing<ObjectOf<K>> {
  readonly states?: Readonly<Record<string, number>>;
}

/** Objects that the server has counted for the search are not read again only to be counted. */
function listed<K extends Kind>(ask: Inquiry, kind: K, namespace: string | undefined, needed: string): Looked<K> {
  const { state, states } = ask.graph.coverage.of(kind, namespace === undefined ? {} : { namespace });
  if (state !== 'partial' || states === undefined) return ask.list(kind, namespace, needed);
  return {
    items: namespace === undefined ? ask.seen(kind) : ask.graph.inNamespace(kind, namespace),
    complete: true,
    states,
  };
}

/** Each state with its count. `words` gives the state of objects that the server has only counted, by their phase. */
function tally<K extends Kind, State extends string>(
  { items, complete, states = {} }: Looked<K>,
  stateOf: (object: ObjectOf<K>) => State,
  words: Readonly<Record<string, State>>,
): Counts<State> {
  const extent = extentOf({ items, complete });
  const counts: Partial<Record<State, number>> = {};
  if (extent === 'none') return { extent, states: counts };
  const add = (state: State, count: number): void => {
    counts[state] = (counts[state] ?? 0) + count;
  };
  for (const object of items) add(stateOf(object), 1);
  let countedOnly = 0;
  for (const [word, state] of Object.entries(words)) {
    const unread = (states[word] ?? 0) - items.filter((object) => phaseOf(object) === word).length;
    if (unread <= 0) continue;
    add(state, unread);
    countedOnly += unread;
  }
  return {
    extent,
    total: items.length + countedOnly,
    states: counts,
    ...(countedOnly > 0 && { countedOnly }),
  };
}

/** The STATUS column of the server's table. */
function phaseOf(object: ObjectOf<Kind>): unknown {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const status: unknown = 'status' in object ? object.status : undefined;
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}
