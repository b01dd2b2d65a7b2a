import type { Volume } from '../../kube/kinds.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { explainFirstUnbound, volumesOfItsClass } from './nothing-to-bind.ts';
import { missOf } from './volume-miss.ts';
import type { VolumeMiss } from './volume-miss.ts';

const mostShown = 6;

/** binder checkVolumeProvisions: a class without a provisioner needs an existing volume that fits. */
export const wffcNoProvisionerNoPv = podRule({
  cause: 'wffc-no-provisioner-no-pv',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainFirstUnbound(p, (claim, isBlamed) => {
      const lack = findLack(p, claim, isBlamed);
      if (!lack) return undefined;
      return {
        confidence: confidenceOf(lack),
        summary: summarize(lack),
        evidence: evidenceOf(p, lack),
        fix: adviceFor(lack),
      };
    }),
});

interface Lack {
  readonly claim: PresentClaim;
  /** Volumes of the class. */
  readonly volumes: Listing<Volume>;
  readonly misses: readonly VolumeMiss[];
  /** Class, volumes and nodes were all read, and no volume fits. */
  readonly isKnown: boolean;
}

function findLack(p: PodCase, claim: PresentClaim, isBlamed: boolean): Lack | undefined {
  const isCandidate = claim.storageClassObject ? claim.provisioner === undefined : isBlamed;
  if (!isCandidate) return undefined;
  const volumes = volumesOfItsClass(claim);
  const fits = fitNodes(p);
  const misses = volumes.items.map((volume) => missOf(volume, claim, fits));
  const isKnown =
    claim.storageClassObject !== undefined &&
    volumes.complete &&
    fits.complete &&
    !misses.some(({ isUsable }) => isUsable);
  return isKnown || isBlamed ? { claim, volumes, misses, isKnown } : undefined;
}

function confidenceOf({ claim, isKnown }: Lack): Confidence {
  if (isKnown) return 'certain';
  return claim.storageClassObject ? 'likely' : 'possible';
}

function summarize(lack: Lack): string {
  const { claim } = lack;
  const className = claim.class.name;
  if (!claim.storageClassObject)
    return `the scheduler finds no volume for pvc/${claim.name}, and class ${className}, which would say whether one can be made, could not be read`;
  return `class ${className} makes no volumes itself, and ${lackText(lack)}, so pvc/${claim.name} has nothing to bind to`;
}

function lackText({ volumes, misses }: Lack): string {
  const [volume, ...more] = volumes.items;
  if (!volume) return `${volumes.complete ? 'there is' : 'the scheduler finds'} no volume of that class`;
  if (more.length > 0) return `none of its ${volumes.items.length} volumes fits where the pod can go`;
  return `its one volume does not fit: pv/${volume.metadata.name} ${misses[0]?.text ?? ''}`;
}

function evidenceOf(p: PodCase, { claim, misses }: Lack): EvidenceList {
  const storageClass = claim.storageClassObject;
  return [
    storageClass
      ? field(storageClass, 'provisioner', storageClass.provisioner ?? '')
      : field(claim.claim, 'spec.storageClassName', claim.class.name),
    ...misses.slice(0, mostShown).map(({ evidence }) => evidence),
    ...schedulerSaid(p),
  ];
}

function adviceFor({ claim, misses }: Lack): Fix[] {
  const lookAtReleased = fix(
    'look at the Released volumes: none is given out again before somebody has looked after its data and taken its claimRef away',
    'kubectl get pv | grep Released',
  );
  return [
    fix(
      `look which volumes there are, and make one of class ${claim.class.name} of at least ${claim.request ?? 'the size asked for'} on a node that can take the pod`,
      `kubectl get pv -o custom-columns='NAME:.metadata.name,CLASS:.spec.storageClassName,SIZE:.spec.capacity.storage,PHASE:.status.phase,CLAIM:.spec.claimRef.name'`,
    ),
    ...(misses.some(({ isReleased }) => isReleased) ? [lookAtReleased] : []),
  ];
}
