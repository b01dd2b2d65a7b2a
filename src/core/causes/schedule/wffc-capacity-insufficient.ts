import { compareQuantities } from '../../kube/quantity.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { hasRoom, isNear, largestVolume } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  delayedClaims,
  nameAll,
  refusalEvidence,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { mostCapacitiesShown, publishedCapacity, suspectedCapacity, topologyText } from './published-capacity.ts';

/** binder hasEnoughCapacity: no node that could take the pod is near enough free space. */
export const wffcCapacityInsufficient = podRule({
  cause: 'wffc-capacity-insufficient',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (blames(p, storageTexts.poolSpace) === true) return explainFullPool(p);
    const isBlamed = blames(p, storageTexts.freeStorage) === true;
    const views = suspectedCapacity(p);
    for (const view of views) {
      const shortage = findShortage(p, view, isBlamed);
      if (shortage) return explainShortage(p, shortage);
    }
    return isBlamed && views.every(isHidden) ? explainUnread(p) : undefined;
  },
});

interface Shortage extends CapacityView {
  /** Nodes near enough free space: the pod cannot go to them. */
  readonly roomyNear: readonly NodeFit[];
  readonly isProven: boolean;
}

function findShortage(p: PodCase, view: CapacityView, isBlamed: boolean): Shortage | undefined {
  const { published, claim } = view;
  if (published.length === 0) return undefined;
  const fits = fitNodes(p);
  const roomyNear = fits.items.filter(({ node }) =>
    published.some((capacity) => hasRoom(capacity, claim) && isNear(capacity, node)),
  );
  const isProven = fits.complete && fits.items.length > 0 && roomyNear.every(({ refusal }) => refusal);
  return isProven || isBlamed ? { ...view, roomyNear, isProven } : undefined;
}

/** Space is there, but only near nodes that are known to refuse the pod. */
function isElsewhere({ roomyNear, isProven }: Shortage): boolean {
  return isProven && roomyNear.length > 0;
}

function explainShortage(p: PodCase, shortage: Shortage): Explanation {
  const { claim, driver, storageClass, roomyNear, isProven } = shortage;
  const most = isElsewhere(shortage)
    ? `it has room only where the pod cannot go: ${tellRefusals(roomyNear)}`
    : `the most it has is ${nameAll(largestFirst(shortage).map((capacity) => `${topologyText(capacity)} ${largestVolume(capacity) ?? 'nothing'}`))}`;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${storageClass.metadata.name}`,
    summary: `pvc/${claim.name} asks for ${claim.request ?? 'space'} of class ${storageClass.metadata.name}, and ${driver} has that much near no node that could take pod/${p.pod.metadata.name}; ${most}`,
    evidence: shortageEvidence(p, shortage),
    fix: shortageAdvice(shortage),
  };
}

/** The largest published capacities, a few of them. */
function largestFirst({ published }: CapacityView): StorageCapacity[] {
  return [...published]
    .sort((a, b) => compareQuantities(largestVolume(b), largestVolume(a)))
    .slice(0, mostCapacitiesShown);
}

function shortageEvidence(p: PodCase, shortage: Shortage): EvidenceList {
  return [
    requestEvidence(shortage.claim),
    ...largestFirst(shortage).map(capacityEvidence),
    ...(isElsewhere(shortage) ? refusalEvidence(shortage.roomyNear) : []),
    ...schedulerSaid(p),
  ];
}

function requestEvidence({ claim, request }: PresentClaim): Evidence {
  return field(claim, 'spec.resources.requests.storage', request ?? 'not set');
}

function capacityEvidence(capacity: StorageCapacity): Evidence {
  const path = capacity.maximumVolumeSize !== undefined ? 'maximumVolumeSize' : 'capacity';
  return field(capacity, path, `${largestVolume(capacity) ?? 'not set'} (${topologyText(capacity)})`);
}

function shortageAdvice({ published, claim, driver, storageClass }: Shortage): Fix[] {
  const { name } = storageClass.metadata;
  const isZeroEverywhere = published.every((capacity) => compareQuantities(largestVolume(capacity), '0') <= 0);
  const checkPool = fix(
    `check the pool that the parameters of class ${name} name, and what ${driver} answers to GetCapacity: it reports nought everywhere`,
    `kubectl get storageclass ${shellWord(name)} -o jsonpath='{.parameters}'`,
  );
  return [
    ...(isZeroEverywhere ? [checkPool] : []),
    fix(
      'see where there is room, and free space in the pool or add to it: the figures are renewed every minute',
      `kubectl get csistoragecapacities -A -o custom-columns='CLASS:.storageClassName,CAPACITY:.capacity,MAX:.maximumVolumeSize,NODES:.nodeTopology.matchLabels'`,
    ),
    makeSmaller(claim),
  ];
}

function makeSmaller(claim: PresentClaim): Fix {
  return fix(
    'or delete the claim, which holds no data yet, and make it again, smaller',
    `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)}`,
    'disruptive',
  );
}

/** A scheduler that belongs to the storage counts the space itself: published capacity confirms it, but may not exist. */
function explainFullPool(p: PodCase): Explanation | undefined {
  for (const view of publishedCapacity(p, false)) {
    const shortage = findShortage(p, view, false);
    if (shortage) return explainShortage(p, shortage);
  }
  const claim = delayedClaims(p).find(({ selectedNode }) => selectedNode === undefined);
  if (p.isScheduled || !claim) return undefined;
  const className = claim.class.name;
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `the scheduler finds no node with enough free storage for pvc/${claim.name}, which asks for ${claim.request ?? 'no size'} of class ${className}`,
    evidence: [requestEvidence(claim), ...schedulerSaid(p)],
    fix: [
      fix(
        `see which pool class ${className} uses, and free space in it or add to it`,
        `kubectl get storageclass ${shellWord(className)} -o yaml`,
      ),
      makeSmaller(claim),
    ],
  };
}

function isHidden({ coverage, published, csiDriver }: CapacityView): boolean {
  return published.length === 0 && (coverage === 'refused' || (coverage === 'unread' && csiDriver === undefined));
}

/** The class, the driver or its capacity could not be read: the scheduler's words are all there is. */
function explainUnread(p: PodCase): Explanation | undefined {
  const [claim] = delayedClaims(p);
  if (!claim) return undefined;
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `the scheduler finds no node with enough free storage for pvc/${claim.name} (${claim.request ?? 'no size'})`,
    evidence: [requestEvidence(claim), ...schedulerSaid(p)],
    fix: [fix('compare what the driver publishes with what the claim asks for', 'kubectl get csistoragecapacities -A')],
  };
}
