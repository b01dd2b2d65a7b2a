import { shellWord } from '../../kube/shell-word.ts';
import { bytesOf, compareQuantities, formatBytes } from '../../kube/quantity.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { hasRoom, isNear, largestVolume } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { field } from '../../facts/evidence.ts';
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
  tellReasons,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { openNodeFixes } from './open-node.ts';
import {
  blamesPool,
  mostCapacitiesShown,
  publishedCapacity,
  suspectedCapacity,
  topologyText,
} from './published-capacity.ts';
import { poolEvidence, zeroCapacityFixes, zeroCapacityText } from './zero-capacity.ts';

/** binder hasEnoughCapacity: no node that could take the pod is near enough free space. */
export const wffcCapacityInsufficient = podRule({
  cause: 'wffc-capacity-insufficient',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (blamesPool(p)) return explainFullPool(p);
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
  const className = storageClass.metadata.name;
  const asked = `pvc/${claim.name} asks for ${claim.request ?? 'space'} of StorageClass "${className}"`;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${className}`,
    summary: isElsewhere(shortage)
      ? `${asked}, and ${driver} has that much only where pod/${p.pod.metadata.name} cannot run: ${tellRefusals(roomyNear)}.`
      : `${asked}, and ${driver} reports less than that near every node that could take pod/${p.pod.metadata.name}: ${mostText(shortage)}.${isZeroEverywhere(shortage) ? zeroCapacityText(shortage) : ''}`,
    evidence: shortageEvidence(p, shortage),
    fix: shortageAdvice(p, shortage),
  };
}

function mostText(shortage: Shortage): string {
  if (isZeroEverywhere(shortage)) return '0 everywhere';
  return nameAll(
    largestFirst(shortage).map((capacity) => `${largestVolume(capacity) ?? '0'} (${topologyText(capacity)})`),
  );
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
    ...(isZeroEverywhere(shortage) ? poolEvidence(shortage) : []),
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

function isZeroEverywhere({ published }: CapacityView): boolean {
  return published.every((capacity) => compareQuantities(largestVolume(capacity), '0') <= 0);
}

function shortageAdvice(p: PodCase, shortage: Shortage): Fix[] {
  const { claim, driver } = shortage;
  if (isElsewhere(shortage)) return openNodeFixes(p, shortage.roomyNear);
  if (isZeroEverywhere(shortage)) return zeroCapacityFixes(p, shortage);
  const most = largestInReach(p, shortage);
  const size = most && largestVolume(most);
  const place = most ? ` (${topologyText(most)})` : '';
  const lacking = size === undefined ? undefined : formatBytes(bytesOf(claim.request) - bytesOf(size));
  const smaller = size !== undefined && compareQuantities(size, '0') > 0;
  return [
    ...(smaller
      ? [
          recreateClaim(
            claim,
            `with ${size}, if that is enough`,
            sizeChange(size),
            `The volume is then created where that much is free${place}.`,
          ),
        ]
      : []),
    steps(
      `${smaller ? 'Or add' : 'Add'} ${lacking === undefined ? 'space' : `at least ${lacking}`} to a pool ` +
        `that ${driver} uses for this class${place}. The ` +
        'figures are published again within a minute, and the pod is then scheduled.',
      [],
    ),
    deleteUnneeded(),
  ];
}

/** The largest published capacity near a node that could take the pod. */
function largestInReach(p: PodCase, shortage: Shortage): StorageCapacity | undefined {
  const open = fitNodes(p).items.filter(({ refusal }) => !refusal);
  return [...shortage.published]
    .filter((capacity) => open.some(({ node }) => isNear(capacity, node)))
    .sort((a, b) => compareQuantities(largestVolume(b), largestVolume(a)))[0];
}

/**
 * A scheduler that belongs to the storage counts the space itself: published capacity confirms it, but may not exist.
 */
function explainFullPool(p: PodCase): Explanation | undefined {
  for (const view of publishedCapacity(p, false)) {
    const shortage = findShortage(p, view, false);
    if (shortage) return explainShortage(p, shortage);
  }
  const claim = delayedClaims(p).find(({ selectedNode }) => selectedNode === undefined);
  if (p.isScheduled || !claim) return undefined;
  const className = claim.class.name;
  const words = tellReasons(reasonsLike(p.schedulingMessage, storageTexts.poolSpace));
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary:
      `The scheduler finds no node with enough free storage for pvc/${claim.name}, which asks for ` +
      `${claim.request ?? 'no size'} of StorageClass "${className}". It reports "${words}", the words of a ` +
      "storage system's own scheduler or extender.",
    evidence: [requestEvidence(claim), ...schedulerSaid(p)],
    fix: [
      steps(
        `Add space to the pool that StorageClass "${className}" uses on a node that could take ` +
          `pod/${p.pod.metadata.name}. The pod is then scheduled within minutes.`,
        [],
      ),
      makeSmaller(claim),
      deleteUnneeded(),
    ],
  };
}

/** Adding space is safe; what deletes data is a step of its own. */
function deleteUnneeded(): Fix {
  return steps('Or delete volumes there whose data is no longer needed.', [], 'data-loss');
}

/** How much would fit only the storage system itself knows. */
function makeSmaller(claim: PresentClaim): Fix {
  return recreateClaim(
    claim,
    'with a size that fits (PLACEHOLDER_SIZE, at most what the storage system shows as free on one node)',
    sizeChange('PLACEHOLDER_SIZE'),
    'The pod is then scheduled within minutes.',
  );
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
    summary:
      `The scheduler finds no node with enough free storage for pvc/${claim.name} ` +
      `(${claim.request ?? 'no size'}). What the driver reports could not be read.`,
    evidence: [requestEvidence(claim), ...schedulerSaid(p)],
    fix: [
      compareFigures(claim),
      recreateClaim(
        claim,
        'with at most the largest of these figures (PLACEHOLDER_SIZE)',
        sizeChange('PLACEHOLDER_SIZE'),
      ),
    ],
  };
}

/**
 * A pool that is full needs another fix than a driver that publishes nothing, and only the figures show which of the
 * two it is.
 */
function compareFigures(claim: PresentClaim): Fix {
  const request = claim.request ?? 'the size of the claim';
  const driver = claim.provisioner ?? claim.askedProvisioner ?? 'the driver';
  return steps(
    `Compare what ${driver} publishes for StorageClass "${claim.class.name}" with ${request}. If all lines ` +
      'show less, add space to the pool, or ask for less. If the figures are 0 or there is no line although ' +
      'the pool has space, its name in the class is wrong, or the provisioner runs without ' +
      '--enable-capacity. The figures are published again within a minute, and the pod is then scheduled.',
    [
      'kubectl get csistoragecapacities -A -o ' +
        "custom-columns='CLASS:.storageClassName,CAPACITY:.capacity,MOST:.maximumVolumeSize,NODES:.nodeTopology.matchLabels' " +
        `| grep -e CLASS -e ${shellWord(claim.class.name)}`,
      `kubectl get storageclass ${shellWord(claim.class.name)} -o jsonpath='{.parameters}'`,
    ],
  );
}
