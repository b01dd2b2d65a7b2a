import type { Pod, StorageClass, Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { giveClass } from '../bind/closest-volume.ts';
import { claimRule } from '../lib/rule.ts';
import { deleteClaimCommand } from './delete-claim.ts';
import { saidOnClaim } from './said-on-claim.ts';

/** pv_controller findProvisionablePlugin: the claim is retried forever, and recovers as soon as the class appears. */
export const scMissing = claimRule({
  cause: 'sc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { name } = c.class;
    if (name === '' || c.isBound || c.isLost || c.storageClass?.state === 'found') return undefined;
    const isProven = c.storageClass?.state === 'missing';
    const said = saidMissing(c);
    if (!isProven && !isProbable(c, said)) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'which classes there are');
    const near = nearClass(c, classes);
    const miss = isProven ? missByClass(c, classes, near) : undefined;
    return {
      confidence: confidenceOf(isProven, said),
      about: name,
      summary: `class ${name} does not exist${othersText(classes, near)}${miss ? offerText(name, miss.volume) : ''}`,
      evidence: [
        classField(c),
        ...(isProven ? [absent('StorageClass', name)] : []),
        ...(miss ? missEvidence([miss], c.claim) : []),
        ...saidOnClaim(c, said),
      ],
      fix: advise(c, miss),
    };
  },
});

function saidMissing(c: PresentClaim): EventMatch | undefined {
  const said = newestMatch(
    c.events.items,
    'ProvisioningFailed',
    /storageclass(?:es)?(?:\.storage\.k8s\.io)? "([^"]+)" not found/i,
  );
  return said?.match[1] === c.class.name ? said : undefined;
}

/** Where classes cannot be read, the controller's event or a weak sign has to do; statically created volumes need no class object behind their class name. */
function isProbable(c: PresentClaim, said: EventMatch | undefined): boolean {
  return (said !== undefined || looksImmediate(c)) && !c.looksStatic;
}

function confidenceOf(isProven: boolean, said: EventMatch | undefined): Confidence {
  if (isProven) return 'certain';
  return said ? 'likely' : 'possible';
}

function nearClass(c: PresentClaim, classes: Listing<StorageClass>): string | undefined {
  const { name } = c.class;
  return c.ask.graph.remember(`class like ${name}`, () => nearestName(name, namesOf(classes)));
}

function namesOf({ items }: Listing<StorageClass>): string[] {
  return items.map(({ metadata }) => metadata.name);
}

function othersText(classes: Listing<StorageClass>, near: string | undefined): string {
  if (near) return `; did you mean ${near}?`;
  if (classes.items.length > 0) return `; there are ${nameAll(namesOf(classes))}`;
  return classes.complete ? ' and there are no classes at all' : '';
}

function offerText(className: string, volume: Volume): string {
  const { name } = resolveClass(volume);
  const has = name === '' ? 'has none' : `is ${name}`;
  return `; volume ${volume.metadata.name} would fit if its class were ${className} (it ${has})`;
}

function classField(c: PresentClaim): Evidence {
  const isAnnotated = c.class.source === 'annotation';
  const path = isAnnotated ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName';
  return field(c.claim, path, c.class.name);
}

function advise(c: PresentClaim, miss: NearMiss | undefined): Fix[] {
  return [
    fix(
      `look which classes there are; if ${c.class.name} is meant, create it: the claim then goes on by itself`,
      'kubectl get storageclass',
    ),
    ...(miss ? [useVolume(c, miss.volume)] : []),
    fix(
      'or delete the claim and make it again with a class that exists: the class of a claim cannot be changed (of a StatefulSet: change its template as well)',
      deleteClaimCommand(c),
      'disruptive',
    ),
  ];
}

function useVolume(c: PresentClaim, volume: Volume): Fix {
  return fix(
    `or, if the claim is meant for volume ${volume.metadata.name}, give the volume the class of the claim: the two are then bound, and no class of that name need exist`,
    giveClass(volume, c.class.name),
  );
}

/**
 * A statically created volume that misses the claim by the name of the class alone: one of nearly that name, or else, where no existing
 * class has nearly that name, one of a class that does not exist. The volumes were read already, to tell whether the class is missing
 * (candidateScope).
 */
function missByClass(
  c: PresentClaim,
  classes: Listing<StorageClass>,
  nearClassName: string | undefined,
): NearMiss | undefined {
  if (c.volumeName !== '' || (c.claim.spec?.dataSource ?? c.claim.spec?.dataSourceRef)) return undefined;
  const misses = nearMissesOf(c).misses.filter(isStaticAndOfOtherClass);
  const classNames = misses.map(({ volume }) => resolveClass(volume).name);
  const near = nearestName(
    c.class.name,
    classNames.filter((name) => name !== ''),
  );
  if (near !== undefined) return misses.find(({ volume }) => resolveClass(volume).name === near);
  if (nearClassName !== undefined) return undefined;
  const known = namesOf(classes);
  return misses.find(({ volume }) => !known.includes(resolveClass(volume).name));
}

function isStaticAndOfOtherClass({ failed, volume }: NearMiss): boolean {
  return (
    failed.every((check) => check === 'class') && volume.metadata.annotations?.[provisionedByAnnotation] === undefined
  );
}

/**
 * A missing class counts as Immediate, and a class that exists and is Immediate would have left its provisioner's
 * name on the claim: a weak sign, for a dump that holds neither classes nor events. Where events can be read the
 * controller would report it again and again; and the scheduler may mean another claim of the pod.
 */
function looksImmediate(c: PresentClaim): boolean {
  if (c.askedProvisioner !== undefined || c.selectedNode !== undefined || c.ageSeconds < 120 || c.events.complete)
    return false;
  return c.consumers.items.some(
    (pod) => saysUnbound(pod) && claimNamesOf(pod).every((name) => name === c.name || isBoundClaim(c, name)),
  );
}

function saysUnbound(pod: Pod): boolean {
  return storageTexts.unboundImmediate.test(conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? '');
}

function isBoundClaim(c: PresentClaim, name: string): boolean {
  const sibling = c.ask.get('PersistentVolumeClaim', c.namespace, name, `whether pvc/${name} is bound`);
  return sibling.state === 'found' && sibling.object.status?.phase === 'Bound';
}
