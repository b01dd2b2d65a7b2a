import type { StorageClass } from '../../kube/kinds.ts';
import { atLeast } from '../../kube/version.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, noProvisioner } from '../../facts/class/storage-class.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { makerOf, templateEvidence } from './claim-template.ts';
import type { ClaimMaker } from './claim-template.ts';
import { almostDefaults, needsDefaultClass } from './default-class.ts';
import { deleteClaimCommand } from './delete-claim.ts';
import { saidOnClaim } from './said-on-claim.ts';

/** The event is a Normal one, and the same for an empty class name. */
export const noClassText = /no persistent volumes available for this claim and no storage class is set/i;

/** A volume that is created together with the claim may need a moment to become Available. */
const graceSeconds = 30;
const mostShown = 3;

/** Neither the claim nor the cluster says which class (pv_controller syncUnboundClaim): it waits for either, or for a volume without a class. */
export const classNilNoDefault = claimRule({
  cause: 'class-nil-no-default',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    if (!needsDefaultClass(c)) return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    if (!said && c.ageSeconds < graceSeconds) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
    if (defaultClassOf(classes.items)) return undefined;
    return {
      confidence: confidenceOf(c, classes, said),
      about: 'no default class',
      summary: summaryOf(c, classes, said),
      evidence: evidenceOf(c, classes, said),
      fix: [...giveDefault(c, classes), ...remakeClaim(c)],
    };
  },
});

function confidenceOf(c: PresentClaim, classes: Listing<StorageClass>, said: EventMatch | undefined): Confidence {
  const areVolumesKnown = nearMissesOf(c).complete;
  if (classes.complete && areVolumesKnown) return 'certain';
  return said || classes.complete ? 'likely' : 'possible';
}

function summaryOf(c: PresentClaim, classes: Listing<StorageClass>, said: EventMatch | undefined): string {
  const maker = makerOf(c);
  const who =
    maker?.template && maker.template.className === undefined
      ? `the claim names no class, nor does the template of statefulset/${maker.set}`
      : 'the claim names no class';
  return said || classes.complete
    ? `${who}, and the cluster has no default class${whichText(classes)}`
    : `${who}, and none was filled in: most likely the cluster has no default class`;
}

function whichText(classes: Listing<StorageClass>): string {
  const [meant] = almostDefaults(classes.items);
  if (meant) return `; ${meant.storageClass.metadata.name} is not one, since ${meant.words}`;
  if (classes.items.length > 0) return ` among ${nameAll(classes.items.map(({ metadata }) => metadata.name))}`;
  return classes.complete ? ': there are no classes at all' : '';
}

function evidenceOf(
  c: PresentClaim,
  classes: Listing<StorageClass>,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const maker = makerOf(c);
  // A volume without a class could still serve it: each line says why one does not.
  const free = nearMissesOf(c).misses.filter(({ failed }) => !failed.includes('claimed'));
  return [
    field(c.claim, 'spec.storageClassName', 'not set'),
    ...(maker ? templateEvidence(maker) : []),
    ...classes.items.slice(0, mostShown).map((storageClass) => note(storageClass, 'not the default class')),
    ...missEvidence(free, c.claim),
    ...saidOnClaim(c, said),
  ];
}

/** Before 1.26 a class is filled in only when a claim is created (pv_controller assignDefaultStorageClass). */
function fillsInLater(c: PresentClaim): boolean {
  return atLeast(c.ask.graph.serverVersion, 1, 26) !== false;
}

function giveDefault(c: PresentClaim, classes: Listing<StorageClass>): Fix[] {
  const then = fillsInLater(c)
    ? ': the claim then gets it by itself (Kubernetes 1.26 and later)'
    : ': this version of Kubernetes gives it to new claims only, so the claim has to be made again after that';
  if (classes.complete && classes.items.length === 0) return createClass(c, then);
  const candidate = bestCandidate(classes.items);
  if (!candidate)
    return [fix(`look which classes there are, and make one the default${then}`, 'kubectl get storageclass')];
  return [
    fix(
      `make one class the default, such as ${candidate.metadata.name}${then}`,
      `kubectl annotate storageclass ${shellWord(candidate.metadata.name)} storageclass.kubernetes.io/is-default-class=true --overwrite`,
    ),
  ];
}

function createClass(c: PresentClaim, then: string): Fix[] {
  const size = c.request === undefined ? '' : `, of at least ${c.request}`;
  return [
    fix(`install a storage driver and create a class for it as the default class${then}`),
    fix(`or create a volume without a class by hand${size}: the claim then takes it by itself`),
  ];
}

/** The class that was meant to be the default, or one that provisions. */
function bestCandidate(classes: readonly StorageClass[]): StorageClass | undefined {
  return (
    almostDefaults(classes)[0]?.storageClass ??
    classes.find(({ provisioner }) => provisioner !== noProvisioner) ??
    classes[0]
  );
}

/** A StatefulSet creates the claim from its template, which cannot be changed in place: with the old template the same claim comes back. */
function remakeClaim(c: PresentClaim): Fix[] {
  const maker = makerOf(c);
  if (!maker) return [remakeByHand(c)];
  const className = maker.template?.className;
  return className === undefined ? remakeSet(c, maker) : [remakeFromTemplate(c, maker, className)];
}

function remakeByHand(c: PresentClaim): Fix {
  const text = fillsInLater(c)
    ? 'or delete the claim and make it again with a class (of a StatefulSet: in its template)'
    : 'then delete the claim and make it again, with a class or for the default one (of a StatefulSet: in its template)';
  return fix(text, deleteClaimCommand(c), 'disruptive');
}

function remakeFromTemplate(c: PresentClaim, maker: ClaimMaker, className: string): Fix {
  return fix(
    `${fillsInLater(c) ? 'or' : 'then'} delete the claim and its pod: statefulset ${maker.set} makes both again, with class ${className} of its template`,
    deleteClaimAndPod(c, maker),
    'disruptive',
  );
}

function remakeSet(c: PresentClaim, maker: ClaimMaker): Fix[] {
  return [
    fix(
      `or give the template a class: delete statefulset ${maker.set} without its pods, and apply it again with a class in the template`,
      `kubectl ${inNamespace(c.namespace)}delete statefulset ${shellWord(maker.set)} --cascade=orphan`,
      'disruptive',
    ),
    fix('then delete the claim and its pod: the set makes both again', deleteClaimAndPod(c, maker), 'disruptive'),
  ];
}

function deleteClaimAndPod(c: PresentClaim, maker: ClaimMaker): string {
  return `kubectl ${inNamespace(c.namespace)}delete ${shellWord(`pvc/${c.name}`)} ${shellWord(`pod/${maker.pod}`)}`;
}
