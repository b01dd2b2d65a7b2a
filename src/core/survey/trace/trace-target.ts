import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry, refOf } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import type { ObjectRef, Unread } from '../../report/report.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import { parseTime } from '../../kube/time.ts';
import type { Trace, TraceMoment } from '../../report/trace.ts';
import { accountOfAttachment, accountOfClaim, accountOfSnapshot, accountOfVolume, timeText } from './account.ts';
import type { Reckoning } from './account.ts';
import { castOf } from './cast.ts';
import type { Cast } from './cast.ts';
import { chainOf } from './chain.ts';
import { claimFacts } from './claim-facts.ts';
import { addEvents } from './event-facts.ts';
import { FactBook, inOrder } from './fact.ts';
import type { Fact } from './fact.ts';
import { gapsBetween } from './gaps.ts';
import type { Subject } from './object-facts.ts';
import { podFacts } from './pod-facts.ts';
import { contentFacts, snapshotFacts } from './snapshot-facts.ts';
import { surroundingFacts } from './surroundings.ts';
import { attachmentFacts, volumeFacts } from './volume-facts.ts';

export interface TraceSurvey extends Pick<
  Trace,
  'chain' | 'start' | 'timeline' | 'gaps' | 'accounts' | 'isWithoutEvents'
> {
  readonly unread: readonly Unread[];
  readonly needs: readonly Need[];
}

/** The chain of objects of one volume or snapshot, what happened to them, and where the time went. */
export function traceTarget(snapshot: Snapshot, target: TargetRef): TraceSurvey {
  const ask = new Inquiry(graphOf(snapshot));
  const cast = castOf(ask, target);
  const book = new FactBook();
  const subjects = subjectsOf(cast);
  addObjectFacts(book, cast);
  const events = subjects.map((object) => ({ object, listing: ask.eventsOf(object) }));
  for (const { object, listing } of events) addEvents(book, object, listing.items);
  const reckonings = reckonAll(cast, book);
  const start = startOf(cast, subjects);
  const facts = inOrder(dropEchoes([...book.all, ...surroundingsOf(cast, reckonings, start)]));
  const hasEvents = events.some(({ listing }) => listing.items.length > 0 || !listing.complete);
  return {
    chain: chainOf(cast),
    ...(start && { start: { at: timeText(start.at), object: start.object } }),
    timeline: start ? facts.map((fact) => momentOf(fact, start.at)) : [],
    gaps: gapsBetween(facts, reckonings[0]?.charged ?? [], ask.now),
    accounts: reckonings.map(({ account }) => account),
    ...(!hasEvents && subjects.length > 0 && { isWithoutEvents: true }),
    unread: describeUnread(ask.unanswered),
    needs: needsOf(ask.unanswered),
  };
}

/** The objects whose own life is told; what serves them is told only where it matters. */
function subjectsOf(cast: Cast): Subject[] {
  const { snapshot } = cast;
  const objects: (Subject | undefined)[] = cast.volumes.flatMap(({ claim, volume, pods, places }) => [
    claim?.claim,
    volume?.state === 'found' ? volume.object : undefined,
    ...pods.map(({ pod }) => pod),
    ...places.map(({ attachment }) => (attachment?.state === 'found' ? attachment.object : undefined)),
  ]);
  // The life of a snapshot begins with the snapshot, not with the claim of which it was taken.
  const own: (Subject | undefined)[] = snapshot ? [snapshot.snapshot, snapshot.content] : [cast.pod?.pod, ...objects];
  return [...new Set(own.filter((object) => object !== undefined))];
}

function addObjectFacts(book: FactBook, cast: Cast): void {
  const { snapshot } = cast;
  if (snapshot) {
    if (snapshot.snapshot) book.add(...snapshotFacts(snapshot.snapshot));
    if (snapshot.content) book.add(...contentFacts(snapshot.content, snapshot.snapshot?.metadata.name));
    return;
  }
  if (cast.pod) book.add(...podFacts(cast.pod.pod));
  for (const { claim, volume, pods, places } of cast.volumes) {
    // The volume's own record of the binding is the more exact one, so it comes first.
    if (volume?.state === 'found') book.add(...volumeFacts(volume.object, claim?.isBound ? claim.name : undefined));
    if (claim) book.add(...claimFacts(claim));
    for (const { pod } of pods) if (pod !== cast.pod?.pod) book.add(...podFacts(pod));
    for (const { attachment } of places)
      if (attachment?.state === 'found') book.add(...attachmentFacts(attachment.object));
  }
}

function reckonAll({ volumes, snapshot, ask, target }: Cast, book: FactBook): Reckoning[] {
  if (snapshot) return [accountOfSnapshot(snapshot, book, ask.now)].filter((reckoning) => reckoning !== undefined);
  const objects = volumes.flatMap(({ volume, places }) =>
    [...places.map(({ attachment }) => attachment), volume].flatMap((lookup) =>
      lookup?.state === 'found' ? [lookup.object] : [],
    ),
  );
  const asked =
    target.kind === 'VolumeAttachment'
      ? objects.find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
      : undefined;
  if (asked?.kind === 'VolumeAttachment')
    return [accountOfAttachment(asked, book, ask.now)].filter((reckoning) => reckoning !== undefined);
  const claims = volumes.flatMap((volume) => accountOfClaim(volume, book, ask.now) ?? []);
  if (claims.length > 0) return claims;
  return objects.flatMap((object) =>
    object.kind === 'PersistentVolume' ? (accountOfVolume(object, book, ask.now) ?? []) : [],
  );
}

/** The offsets count from the claim; where there is none, from the target or whatever came first. */
function startOf(
  cast: Cast,
  subjects: readonly Subject[],
): { readonly at: number; readonly object: ObjectRef } | undefined {
  const times = subjects.flatMap((object) => {
    const at = parseTime(object.metadata.creationTimestamp);
    return at === undefined ? [] : [{ at, object: refOf(object) }];
  });
  const wanted = cast.snapshot ? ['VolumeSnapshot', 'VolumeSnapshotContent'] : ['PersistentVolumeClaim'];
  const preferred = times.filter(({ object }) => wanted.includes(object.kind));
  return (preferred.length > 0 ? preferred : times).sort((a, b) => a.at - b.at)[0];
}

/** Of those who serve the volume, what happened while it was on its way: later nobody waited for them. */
function surroundingsOf(
  cast: Cast,
  reckonings: readonly Reckoning[],
  start: { readonly at: number } | undefined,
): Fact[] {
  if (!start) return [];
  const spans = reckonings.flatMap(({ charged }) => charged);
  const isLeaving = reckonings.length === 0;
  const end =
    isLeaving || spans.some(({ isOpen }) => isOpen) ? cast.ask.now : Math.max(start.at, ...spans.map(({ to }) => to));
  const book = new FactBook();
  book.add(...surroundingFacts(cast));
  return book.all.filter(({ at }) => at >= start.at && at <= end);
}

/** The claim's phase says again what the binding said, a moment later. */
function dropEchoes(facts: readonly Fact[]): Fact[] {
  const bound = facts.filter(({ key }) => key.startsWith('bound/'));
  return facts.map((fact) =>
    fact.key.startsWith('claim-status/') &&
    bound.some(({ key }) => key.slice('bound/'.length) === fact.key.slice('claim-status/'.length))
      ? { ...fact, isMinor: true }
      : fact,
  );
}

function momentOf(fact: Fact, start: number): TraceMoment {
  const { at, certainty, component, object, what, said, isTrouble, isMinor, count, until, sources } = fact;
  return {
    at: timeText(at),
    // Most times are whole seconds: a finer one would only make the order look wrong.
    offset: Math.floor(at / 1000) - Math.floor(start / 1000),
    certainty,
    component,
    object,
    what,
    ...(said !== undefined && { said }),
    ...(isTrouble && { isTrouble: true }),
    ...(isMinor && { isMinor: true }),
    ...(count !== undefined && count > 1 && { count }),
    ...(until !== undefined && count !== undefined && count > 1 && { until: timeText(until) }),
    sources,
  };
}
