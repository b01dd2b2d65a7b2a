import { lists } from '../../facts/driver/node-plugin.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { inTreeOfDriver } from '../provision/in-tree.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { driversOfPod } from './needed-drivers.ts';
import { migratedAnnotation } from '../../facts/volume/migrated-volume.ts';

/** What a CSINode shows that is odd, and alone stops nothing. */

interface OnNode {
  readonly ask: Inquiry;
  readonly csiNode: CsiNode;
  readonly node: Node;
}

function lookAt(ask: Inquiry, name: string): OnNode | undefined {
  const csiNode = ask.get('CSINode', undefined, name, `which drivers are registered on ${name}`);
  const node = csiNode.state === 'found' ? ask.get('Node', undefined, name, `whether node ${name} is up`) : undefined;
  return csiNode.state === 'found' && node?.state === 'found'
    ? { ask, csiNode: csiNode.object, node: node.object }
    : undefined;
}

/** Only while a pod waits: nobody wants to hear it of a pod that runs. */
function lookAtPod(p: PodCase): OnNode | undefined {
  const name = p.pod.spec?.nodeName;
  return name && !hasMountedVolumes(p.pod) ? lookAt(p.ask, name) : undefined;
}

function staleOwner({ csiNode, node }: OnNode): Explanation | undefined {
  const owner = csiNode.metadata.ownerReferences?.find(({ kind }) => kind === 'Node');
  if (!owner?.uid || !node.metadata.uid || owner.uid === node.metadata.uid) return undefined;
  const name = node.metadata.name;
  return {
    about: name,
    summary: `the CSINode of ${name} belongs to an earlier node of that name, so what it says of drivers and node ids may be wrong`,
    evidence: [field(csiNode, 'metadata.ownerReferences[Node].uid', owner.uid), field(node, 'metadata.uid')],
    fix: [
      fix('see whether the node ids in it are those of the machine', `kubectl get csinode ${shellWord(name)} -o yaml`),
      fix(
        'if not, delete it, then restart the kubelet and the node plugins there: they write it anew',
        `kubectl delete csinode ${shellWord(name)}`,
        'disruptive',
      ),
    ],
  };
}

export const csinodeStaleOwner = [
  objectRule('Node', {
    cause: 'csinode-stale-owner',
    stage: 'mount',
    severity: 'warning',
    explain: (n) => withNode(lookAt(n.ask, n.name), staleOwner),
  }),
  podRule({
    cause: 'csinode-stale-owner',
    stage: 'mount',
    severity: 'warning',
    explain: (p) => withNode(lookAtPod(p), staleOwner),
  }),
];
export const csinodeStaleOwnerAtAttach = [
  podRule({
    cause: 'csinode-stale-owner',
    stage: 'attach',
    severity: 'warning',
    explain: (p) => withNode(lookAtPod(p), staleOwner),
  }),
];

function withNode(
  look: OnNode | undefined,
  explain: (look: OnNode) => Explanation | undefined,
): Explanation | undefined {
  return look && explain(look);
}

/** NodeVolumeLimits: no count means no limit, and one that is too high lets the scheduler overfill the node. */
function oddLimit({ ask, csiNode, node }: OnNode): Explanation | undefined {
  const name = node.metadata.name;
  for (const { name: driver, allocatable } of csiNode.spec?.drivers ?? []) {
    if (driver === undefined) continue;
    const peers = ask
      .list('CSINode', undefined, `how many volumes of ${driver} the other nodes may hold`)
      .items.filter((other) => other.metadata.name !== name && lists(other, driver));
    const limits = peers.map(({ spec }) => spec?.drivers?.find((entry) => entry.name === driver)?.allocatable?.count);
    const count = allocatable?.count;
    const path = `spec.drivers[${driver}].allocatable.count`;
    if (peers.length > 1 && (count ?? 0) <= 0 && limits.every((limit) => limit !== undefined && limit > 0)) {
      return {
        about: `${driver}/${name}`,
        summary: `${driver} states ${count === undefined ? 'no limit' : `a limit of ${count}`} of volumes for ${name}, unlike its other nodes`,
        evidence: [
          field(csiNode, path, count),
          ...peers.slice(0, 2).map((peer, index) => field(peer, path, limits[index])),
        ],
        fix: [
          fix(
            `check the attach limit in the configuration of ${driver}, and restart its pod on ${name}`,
            `kubectl get csinode ${shellWord(name)} -o yaml`,
          ),
        ],
      };
    }
    if (count === undefined || count <= 0) continue;
    const held = ask
      .list('VolumeAttachment', undefined, `how many volumes of ${driver} ${name} holds`)
      .items.filter(({ spec }) => spec?.attacher === driver && spec.nodeName === name).length;
    if (held < count) continue;
    return {
      about: `${driver}/${name}`,
      summary: `${name} holds ${held} of at most ${count} volumes of ${driver}: it can take no more`,
      evidence: [field(csiNode, path, count), field(node, 'attachments', held)],
      fix: [
        fix(
          'move pods with volumes to other nodes, or add a node',
          `kubectl get volumeattachments -o wide | grep -w ${shellWord(name)}`,
        ),
        fix(`if the machine could hold more, correct the attach limit of ${driver}`),
      ],
    };
  }
  return undefined;
}

export const csinodeLimitSuspicious = objectRule('Node', {
  cause: 'csinode-limit-suspicious',
  stage: 'mount',
  severity: 'warning',
  explain: (n) => withNode(lookAt(n.ask, n.name), oddLimit),
});

function noDriverObject({ ask, csiNode }: OnNode, drivers: readonly string[]): Explanation | undefined {
  const driver = drivers
    .filter((name) => lists(csiNode, name))
    .find((name) => ask.get('CSIDriver', undefined, name, `how ${name} wants its volumes handled`).state === 'missing');
  if (driver === undefined) return undefined;
  return {
    about: driver,
    summary: `driver ${driver} has no CSIDriver object, so the defaults hold for it: it needs an attacher, serves no inline volumes and gets no pod information`,
    evidence: [
      absent('CSIDriver', driver),
      field(csiNode, 'spec.drivers', (csiNode.spec?.drivers ?? []).map(({ name }) => name).join(', ')),
    ],
    fix: [fix(`apply the CSIDriver manifest of ${driver} again`, `kubectl get csidriver ${shellWord(driver)}`)],
  };
}

const allDrivers = ({ csiNode }: OnNode): string[] => (csiNode.spec?.drivers ?? []).flatMap(({ name }) => name ?? []);

export const csidriverObjectMissing = [
  objectRule('Node', {
    cause: 'csidriver-object-missing',
    stage: 'mount',
    severity: 'warning',
    explain: (n) => withNode(lookAt(n.ask, n.name), (look) => noDriverObject(look, allDrivers(look))),
  }),
  podRule({
    cause: 'csidriver-object-missing',
    stage: 'mount',
    severity: 'warning',
    explain: (p) => withNode(lookAtPod(p), (look) => noDriverObject(look, driversOfPod(p))),
  }),
];
export const csidriverObjectMissingAtAttach = [
  podRule({
    cause: 'csidriver-object-missing',
    stage: 'attach',
    severity: 'warning',
    explain: (p) => withNode(lookAtPod(p), (look) => noDriverObject(look, driversOfPod(p))),
  }),
];

/** Kubelets say which in-tree plugins they hand to CSI; the scheduler and the attach controller believe them (csi-translation-lib, nodeinfomanager). */
function unmigrated(p: PodCase): Explanation | undefined {
  const look = lookAtPod(p);
  const listed = look?.csiNode.metadata.annotations?.[migratedAnnotation];
  if (
    !look ||
    (listed === undefined && atLeast(parseServerVersion(look.node.status?.nodeInfo?.kubeletVersion), 1, 17) !== false)
  )
    return undefined;
  for (const claim of p.claims) {
    const volume = claim.volume?.state === 'found' ? claim.volume.object : undefined;
    const driver = volume && !volume.spec?.csi ? servingDriver(volume) : undefined;
    const plugin = driver && inTreeOfDriver(driver);
    if (!volume || !plugin || (listed ?? '').split(',').includes(plugin)) continue;
    return {
      about: `${plugin}/${look.node.metadata.name}`,
      summary: `the kubelet of ${look.node.metadata.name} does not hand ${plugin} to CSI, so limits and places of pv/${volume.metadata.name} are not translated there`,
      evidence: [
        field(look.csiNode, `metadata.annotations[${migratedAnnotation}]`, listed),
        field(look.node, 'status.nodeInfo.kubeletVersion'),
      ],
      fix: [
        fix(
          'bring the kubelet to the version of the control plane',
          `kubectl get node ${shellWord(look.node.metadata.name)} -o wide`,
        ),
      ],
    };
  }
  return undefined;
}

export const csinodeMigratedAnnotation = podRule({
  cause: 'csinode-migrated-annotation',
  stage: 'mount',
  severity: 'warning',
  explain: unmigrated,
});
export const csinodeMigratedAnnotationAtAttach = podRule({
  cause: 'csinode-migrated-annotation',
  stage: 'attach',
  severity: 'warning',
  explain: unmigrated,
});
