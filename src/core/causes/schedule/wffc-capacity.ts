import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
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
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { hasRoom, isNear, largestVolume, viewCapacity } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';

const mostShown = 5;

function viewsOf(p: PodCase): CapacityView[] {
  const blamed = blames(p, storageTexts.freeStorage);
  return p.isScheduled || blamed === false ? [] : viewAll(p, blamed === true);
}

function viewAll(p: PodCase, isSpokenOf: boolean): CapacityView[] {
  return delayedClaims(p)
    .filter((claim) => claim.selectedNode === undefined)
    .flatMap((claim) => viewCapacity(claim, isSpokenOf) ?? []);
}

/** With storageCapacity on, no published capacity means no space anywhere (binder hasEnoughCapacity). */
export const wffcCapacityObjectsMissing = podRule({
  cause: 'wffc-capacity-objects-missing',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const isBlamed = blames(p, storageTexts.freeStorage) === true;
    // A dump that has the driver but none of its capacity was most likely taken where there was none; one without both is merely short.
    const view = viewsOf(p).find(
      ({ published, coverage, csiDriver }) =>
        published.length === 0 &&
        (coverage === 'complete' || (coverage === 'unread' && isBlamed && csiDriver !== undefined)),
    );
    if (!view) return undefined;
    const { driver, csiDriver, storageClass, claim, coverage } = view;
    const className = storageClass.metadata.name;
    return {
      confidence: coverage !== 'complete' ? 'possible' : csiDriver ? 'certain' : 'likely',
      about: `${driver}/${className}`,
      summary: `driver ${driver} promises to publish its free space and ${coverage === 'complete' ? 'has published none' : 'the dump holds none of it'} for class ${className}, so the scheduler finds room for pvc/${claim.name} nowhere`,
      evidence: [
        csiDriver ? field(csiDriver, 'spec.storageCapacity') : field(storageClass, 'provisioner'),
        coverage === 'complete'
          ? absent('CSIStorageCapacity', `storageClassName=${className}`)
          : note(
              { kind: 'CSIStorageCapacity', metadata: { name: `storageClassName=${className}` } },
              'not in the dump',
            ),
        ...schedulerSaid(p),
      ],
      fix: [
        fix(
          `look what is published, and let the external-provisioner of ${driver} publish it (--enable-capacity, the right to write csistoragecapacities, a driver that answers GetCapacity)`,
          `kubectl get csistoragecapacities -A -l csi.storage.k8s.io/drivername=${shellWord(driver)}`,
        ),
        fix(
          'or tell the scheduler not to look at capacity',
          `kubectl patch csidriver ${shellWord(driver)} --type=merge -p '{"spec":{"storageCapacity":false}}'`,
        ),
      ],
    };
  },
});

/** binder nodeHasAccess: space that belongs to no node is no space. */
export const wffcCapacityTopologyMismatch = podRule({
  cause: 'wffc-capacity-topology-mismatch',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    for (const view of viewsOf(p)) {
      const { published, claim, driver, storageClass } = view;
      const roomy = published.filter((capacity) => hasRoom(capacity, claim));
      if (roomy.length === 0) continue;
      const fits = fitNodes(p);
      if (!fits.complete || fits.items.length === 0) continue;
      const nodes = fits.items.map(({ node }) => node);
      const left = fits.items.filter(
        ({ node, refusal }) => !refusal && !published.some((capacity) => isNear(capacity, node)),
      );
      if (left.length === 0 || roomy.some((capacity) => nodes.some((node) => isNear(capacity, node)))) continue;
      return {
        about: `${driver}/${storageClass.metadata.name}`,
        summary: `driver ${driver} has room for pvc/${claim.name}, but only where no node is: ${nameAll(roomy.map(topologyText))}`,
        evidence: [
          field(roomy[0] as StorageCapacity, 'nodeTopology', topologyText(roomy[0] as StorageCapacity)),
          ...roomy.slice(1, mostShown).map((capacity) => field(capacity, 'nodeTopology', topologyText(capacity))),
          ...left.slice(0, mostShown).map(({ node }) => field(node, 'metadata.labels', labelsText(node, roomy))),
          ...schedulerSaid(p),
        ],
        fix: [
          fix(
            `see which topology labels ${driver} registered on the nodes, and restart its node plugin where they are missing`,
            `kubectl get csinodes -o custom-columns='NODE:.metadata.name,KEYS:.spec.drivers[*].topologyKeys'`,
          ),
          fix('compare with the labels of the nodes', 'kubectl get nodes --show-labels'),
        ],
      };
    }
    return undefined;
  },
});

export const wffcCapacityInsufficient = podRule({
  cause: 'wffc-capacity-insufficient',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (blames(p, storageTexts.poolSpace) === true) return explainOwnWords(p);
    const isBlamed = blames(p, storageTexts.freeStorage) === true;
    const views = viewsOf(p);
    for (const view of views) {
      const explanation = explainShortage(p, view, isBlamed);
      if (explanation) return explanation;
    }
    const isHidden = views.every(
      ({ coverage, published, csiDriver }) =>
        published.length === 0 && (coverage === 'refused' || (coverage === 'unread' && csiDriver === undefined)),
    );
    const [claim] = delayedClaims(p);
    if (!isBlamed || !isHidden || !claim) return undefined;
    // Only the scheduler's words are left: the class, the driver or its capacity could not be read.
    return {
      confidence: 'likely',
      about: aboutPod(p),
      summary: `the scheduler finds no node with enough free storage for pvc/${claim.name} (${claim.request ?? 'no size'})`,
      evidence: [
        field(claim.claim, 'spec.resources.requests.storage', claim.request ?? 'not set'),
        ...schedulerSaid(p),
      ],
      fix: [
        fix('compare what the driver publishes with what the claim asks for', 'kubectl get csistoragecapacities -A'),
      ],
    };
  },
});

/** A scheduler that belongs to the storage counts the space itself: what is published confirms it, and need not be there. */
function explainOwnWords(p: PodCase): Explanation | undefined {
  for (const view of viewAll(p, false)) {
    const explanation = explainShortage(p, view, false);
    if (explanation) return explanation;
  }
  const claim = delayedClaims(p).find(({ selectedNode }) => selectedNode === undefined);
  if (p.isScheduled || !claim) return undefined;
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `the scheduler finds no node with enough free storage for pvc/${claim.name}, which asks for ${claim.request ?? 'no size'} of class ${claim.class.name}`,
    evidence: [field(claim.claim, 'spec.resources.requests.storage', claim.request ?? 'not set'), ...schedulerSaid(p)],
    fix: [
      fix(
        `see which pool class ${claim.class.name} uses, and free space in it or add to it`,
        `kubectl get storageclass ${shellWord(claim.class.name)} -o yaml`,
      ),
      fix(
        'or delete the claim, which holds no data yet, and make it again, smaller',
        `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)}`,
        'disruptive',
      ),
    ],
  };
}

function explainShortage(p: PodCase, view: CapacityView, isBlamed: boolean): Explanation | undefined {
  const { published, claim, driver, storageClass } = view;
  if (published.length === 0) return undefined;
  const fits = fitNodes(p);
  const roomyNear = fits.items.filter(({ node }) =>
    published.some((capacity) => hasRoom(capacity, claim) && isNear(capacity, node)),
  );
  const isProven = fits.complete && fits.items.length > 0 && roomyNear.every(({ refusal }) => refusal);
  if (!isProven && !isBlamed) return undefined;
  const ordered = [...published].sort((a, b) => compareQuantities(largestVolume(b), largestVolume(a)));
  const best = ordered
    .slice(0, mostShown)
    .map((capacity) => `${topologyText(capacity)} ${largestVolume(capacity) ?? 'nothing'}`);
  const isNought = published.every((capacity) => compareQuantities(largestVolume(capacity), '0') <= 0);
  const isElsewhere = roomyNear.length > 0 && isProven;
  const most = isElsewhere
    ? `it has room only where the pod cannot go: ${tellRefusals(roomyNear)}`
    : `the most it has is ${nameAll(best)}`;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${storageClass.metadata.name}`,
    summary: `pvc/${claim.name} asks for ${claim.request ?? 'space'} of class ${storageClass.metadata.name}, and ${driver} has that much near no node that could take pod/${p.pod.metadata.name}; ${most}`,
    evidence: [
      field(claim.claim, 'spec.resources.requests.storage', claim.request ?? 'not set'),
      ...ordered.slice(0, mostShown).map(capacityEvidence),
      ...(isElsewhere ? refusalEvidence(roomyNear) : []),
      ...schedulerSaid(p),
    ],
    fix: [
      ...(isNought
        ? [
            fix(
              `check the pool that the parameters of class ${storageClass.metadata.name} name, and what ${driver} answers to GetCapacity: it reports nought everywhere`,
              `kubectl get storageclass ${shellWord(storageClass.metadata.name)} -o jsonpath='{.parameters}'`,
            ),
          ]
        : []),
      fix(
        'see where there is room, and free space in the pool or add to it: the figures are renewed every minute',
        `kubectl get csistoragecapacities -A -o custom-columns='CLASS:.storageClassName,CAPACITY:.capacity,MAX:.maximumVolumeSize,NODES:.nodeTopology.matchLabels'`,
      ),
      fix(
        'or delete the claim, which holds no data yet, and make it again, smaller',
        `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)}`,
        'disruptive',
      ),
    ],
  };
}

function capacityEvidence(capacity: StorageCapacity): Evidence {
  const path = capacity.maximumVolumeSize !== undefined ? 'maximumVolumeSize' : 'capacity';
  return field(capacity, path, `${largestVolume(capacity) ?? 'not set'} (${topologyText(capacity)})`);
}

function topologyText({ nodeTopology }: StorageCapacity): string {
  if (nodeTopology === undefined) return 'no node';
  const labels = Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (nodeTopology.matchExpressions ?? []).map(({ key, operator, values }) =>
    `${key ?? ''} ${operator ?? ''} ${(values ?? []).join(',')}`.trim(),
  );
  return [...labels, ...expressions].join(' and ') || 'every node';
}

function labelsText(node: Node, wanted: readonly StorageCapacity[]): string {
  const keys = new Set(
    wanted.flatMap(({ nodeTopology }) => [
      ...Object.keys(nodeTopology?.matchLabels ?? {}),
      ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }) => (key ? [key] : [])),
    ]),
  );
  return (
    [...keys].map((key) => `${key}=${node.metadata.labels?.[key] ?? '(not set)'}`).join(', ') || 'no topology asked for'
  );
}
