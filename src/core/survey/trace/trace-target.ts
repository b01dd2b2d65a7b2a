import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry, refOf } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import type { ObjectRef, Unread } from '../../report/report.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import { parseTime } from '../../kube/time.ts';
import type { Trace, TraceMoment } from '../../report/trace.ts';
import { accountOfAttachment, accountOfClaim, accountOfSnapshot, accountOfVolume } from './account.ts';
import { findRelatedObjects } from './related-objects.ts';
import type { RelatedObjects } from './related-objects.ts';
import { chainOf } from './chain.ts';
import { claimFacts } from './claim-facts.ts';
import { addEvents } from './event-facts.ts';
import { FactBook, inOrder } from './fact.ts';
import type { Fact } from './fact.ts';
import { gapsBetween } from './gaps.ts';
import type { Subject } from './object-facts.ts';
import { podFacts } from './pod-facts.ts';
import { timeText } from './reckoning.ts';
import type { Reckoning } from './reckoning.ts';
import { contentFacts, snapshotFacts } from './snapshot-facts.ts';
import { surroundingFacts } from './surroundings.ts';
import { attachmentFacts, volumeFacts } from './volume-facts.ts';

interface TraceSurvey extends Pick<Trace, 'chain' | 'start' | 'timeline' | 'gaps' | 'accounts' | 'isWithoutEvents'> {
  readonly unread: readonly Unread[];
  readonly needs: readonly Need[];
}

/** The chain of objects of one volume or snapshot, what happened to them, and where the time went. */
export function traceTarget(snapshot: Snapshot, target: TargetRef): TraceSurvey {
  const ask = new Inquiry(graphOf(snapshot));
  const related = findRelatedObjects(ask, target);
  const book = new FactBook();
  const subjects = subjectsOf(related);
  addObjectFacts(book, related);
  const events = subjects.map((object) => ({ object, listing: ask.eventsOf(object) }));
  for (const { object, listing } of events) addEvents(book, object, listing.items);
  const reckonings = reckonAll(related, book);
  const start = startOf(related, subjects);
  const facts = inOrder(dropEchoes([...book.all, ...surroundingsOf(related, reckonings, start)]));
  const hasEvents = events.some(({ listing }) => listing.items.length > 0 || !listing.complete);
  return {
    chain: chainOf(related),
    ...(start && { start: { at: timeText(start.at), object: start.object } }),
    timeline: start ? facts.map((fact) => momentOf(fact, start.at)) : [],
    gaps: gapsBetween(facts, reckonings[0]?.charged ?? [], ask.now),
    accounts: reckonings.map(({ account }) => account),
    ...(!hasEvents && subjects.length > 0 && { isWithoutEvents: true }),
    unread: describeUnread(ask.unanswered),
    needs: needsOf(ask.unanswered),
  };
}

/** The objects with a timeline of their own; what serves them appears only where it matters. */
function subjectsOf(related: RelatedObjects): Subject[] {
  const { snapshot } = related;
  const objects: (Subject | undefined)[] = related.volumes.flatMap(({ claim, volume, pods, places }) => [
    claim?.claim,
    volume?.state === 'found' ? volume.object : undefined,
    ...pods.map(({ pod }) => pod),
    ...places.map(({ attachment }) => (attachment?.state === 'found' ? attachment.object : undefined)),
  ]);
  // A snapshot's timeline begins with the snapshot, not with its source claim.
  const own: (Subject | undefined)[] = snapshot
    ? [snapshot.snapshot, snapshot.content]
    : [related.pod?.pod, ...objects];
  return [...new Set(own.filter((object) => object !== undefined))];
}

function addObjectFacts(book: FactBook, related: RelatedObjects): void {
  const { snapshot } = related;
  if (snapshot) {
    if (snapshot.snapshot) book.add(...snapshotFacts(snapshot.snapshot));
    if (snapshot.content) book.add(...contentFacts(snapshot.content, snapshot.snapshot?.metadata.name));
    return;
  }
  if (related.pod) book.add(...podFacts(related.pod.pod));
  for (const { claim, volume, pods, places } of related.volumes) {
    // The volume records the binding more exactly than the claim, so it comes first.
    if (volume?.state === 'found') book.add(...volumeFacts(volume.object, claim?.isBound ? claim.name : undefined));
    if (claim) book.add(...claimFacts(claim));
    for (const { pod } of pods) if (pod !== related.pod?.pod) book.add(...podFacts(pod));
    for (const { attachment } of places)
      if (attachment?.state === 'found') book.add(...attachmentFacts(attachment.object));
  }
}

function reckonAll({ volumes, snapshot, ask, target }: RelatedObjects, book: FactBook): Reckoning[] {
  if (snapshot) return [accountOfSnapshot(snapshot, book, ask.now)].filter((reckoning) => reckoning !== undefined);
  const objects = volumes.flatMap(({ volume, places }) =>
    [...places.map(({ attachment }) => attachment), volume].flatMap((lookup) =>
      lookup?.state === 'found' ? [lookup.object] : [],
    ),
  );
  const attachment = objects
    .filter((object) => object.kind === 'VolumeAttachment')
    .find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name);
  if (attachment)
    return [accountOfAttachment(attachment, book, ask.now)].filter((reckoning) => reckoning !== undefined);
  const claims = volumes.flatMap((volume) => accountOfClaim(volume, book, ask.now) ?? []);
  if (claims.length > 0) return claims;
  return objects.flatMap((object) =>
    object.kind === 'PersistentVolume' ? (accountOfVolume(object, book, ask.now) ?? []) : [],
  );
}

/** Offsets count from the claim; without one, from the earliest object. */
function startOf(
  related: RelatedObjects,
  subjects: readonly Subject[],
): { readonly at: number; readonly object: ObjectRef } | undefined {
  const times = subjects.flatMap((object) => {
    const at = parseTime(object.metadata.creationTimestamp);
    return at === undefined ? [] : [{ at, object: refOf(object) }];
  });
  const wanted = related.snapshot ? ['VolumeSnapshot', 'VolumeSnapshotContent'] : ['PersistentVolumeClaim'];
  const preferred = times.filter(({ object }) => wanted.includes(object.kind));
  return (preferred.length > 0 ? preferred : times).sort((a, b) => a.at - b.at)[0];
}

/** What happened to the components that serve the volume while it was on its way: later nothing waited for them. */
function surroundingsOf(
  related: RelatedObjects,
  reckonings: readonly Reckoning[],
  start: { readonly at: number } | undefined,
): Fact[] {
  if (!start) return [];
  const spans = reckonings.flatMap(({ charged }) => charged);
  const isLeaving = reckonings.length === 0;
  const end =
    isLeaving || spans.some(({ isOpen }) => isOpen)
      ? related.ask.now
      : Math.max(start.at, ...spans.map(({ to }) => to));
  const book = new FactBook();
  book.add(...surroundingFacts(related));
  return book.all.filter(({ at }) => at >= start.at && at <= end);
}

/** The claim's phase only repeats the binding, a moment later. */
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
    // Most times are whole seconds: fractions of the others would only make the order look wrong.
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
