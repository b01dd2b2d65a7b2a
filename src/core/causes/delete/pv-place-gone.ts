import { newestMatch } from '../../graph/events.ts';
import type { Node, Pod, Volume } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import { absent, eventSaid, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { describeReach, fitsAffinity, isNodeLocal } from '../../facts/volume/volume-reach.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import { isNodeDeployed } from './deleter-down.ts';
import { deleterOf, deletingController, isLocalStatic, isToBeDeleted, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** The volume is a piece of a node that the cluster no longer has. */
function lostPlace(v: VolumeSubject): { readonly reach: string; readonly nodes: readonly Node[] } | undefined {
  if (v.object.spec?.nodeAffinity?.required === undefined) return undefined;
  const { items: nodes, complete } = v.ask.list('Node', undefined, `whether the node of pv/${v.name} still exists`);
  if (
    !complete ||
    nodes.length === 0 ||
    !isNodeLocal(v.object, nodes) ||
    nodes.some((node) => fitsAffinity(v.object, node))
  )
    return undefined;
  // A node that has only lost its label is still there.
  const places = placesOf(v.object);
  return nodes.some((node) => places.includes(node.metadata.name))
    ? undefined
    : { reach: places.length > 0 ? `node ${places.join(', ')}` : describeReach(v.object), nodes };
}

function placesOf({ spec }: Volume): string[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...new Set(
      terms.flatMap(({ matchExpressions = [] }) =>
        matchExpressions
          .filter(({ key = '', operator }) => operator === 'In' && !/zone|region/i.test(key))
          .flatMap(({ values = [] }) => values),
      ),
    ),
  ];
}

function explainLoss(
  v: VolumeSubject,
  { reach, nodes }: { readonly reach: string; readonly nodes: readonly Node[] },
  because: string,
): Explanation {
  return {
    about: reach,
    summary: `pv/${v.name} was on ${reach}, which is no longer in the cluster: ${because}`,
    evidence: [
      field(v.object, 'spec.nodeAffinity.required', describeReach(v.object)),
      note(
        v.object,
        `nodes that exist: ${nodes
          .slice(0, 5)
          .map(({ metadata }) => metadata.name)
          .join(', ')}${nodes.length > 5 ? ` and ${nodes.length - 5} more` : ''}`,
      ),
      field(v.object, 'status.phase'),
    ],
    fix: [
      fix('if the node comes back under its name, the volume is deleted by itself', 'kubectl get nodes'),
      fix(
        'data-loss: if it is gone for good, and the data with it, forget the volume: set Retain, so that nobody waits for the backend, and delete the object',
        `kubectl patch pv ${shellWord(v.name)} --type merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}' && kubectl delete pv ${shellWord(v.name)}`,
        'data-loss',
      ),
    ],
  };
}

/** Not CSI: a local provisioner cleans up on the node itself (static-provisioner pkg/deleter, or a helper pod that is sent there). */
export const pvDeleteNodeGone = objectRule('PersistentVolume', {
  cause: 'pv-delete-node-gone',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeDeleted(v) || v.object.spec?.csi || !v.annotation(provisionedByAnnotation)) return undefined;
    const lost = lostPlace(v);
    return lost && explainLoss(v, lost, 'what deletes such volumes runs on their node, and nobody else can');
  },
});

/** external-provisioner --node-deployment: each instance deletes only what it made on its own node. */
export const pvNodeDeploymentOrphan = objectRule('PersistentVolume', {
  cause: 'pv-node-deployment-orphan',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const deleter = deleterOf(v.object);
    if (deleter === undefined || !isToBeDeleted(v) || !v.object.spec?.csi) return undefined;
    const lost = lostPlace(v);
    if (!lost) return undefined;
    const controller = deletingController(v, deleter);
    const isProven = isNodeDeployed(controller);
    // A leader somewhere else could still be asked, and answers for itself.
    if (!isProven && (controller.lease.object || controller.pods.items.length > 0)) return undefined;
    return {
      ...explainLoss(
        v,
        lost,
        `the provisioner of ${deleter} that made it ran there, and the others delete only their own`,
      ),
      confidence: isProven ? 'certain' : 'likely',
    };
  },
});

const cleaningSeconds = 120;
const longestCleaningSeconds = 1800;

/** The DaemonSet of the static provisioner wipes the disk of its node and then deletes the object, which it finds again later. */
export const localStaticReleased = objectRule('PersistentVolume', {
  cause: 'local-static-released',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (
      !isLocalStatic(v.object) ||
      v.object.status?.phase !== 'Released' ||
      v.isTerminating ||
      v.object.spec?.persistentVolumeReclaimPolicy === 'Retain'
    )
      return undefined;
    const said = newestMatch(v.events.items, ['VolumeFailedDelete', 'VolumeUnsupportedReclaimPolicy'], /[^]*/);
    const state = [
      field(v.object, 'status.phase', v.object.status.phase, v.object.status.lastPhaseTransitionTime),
      field(v.object, `metadata.annotations[${provisionedByAnnotation}]`, v.annotation(provisionedByAnnotation)),
    ] as const;
    const [place] = placesOf(v.object);
    const { pods, complete } = place === undefined ? { pods: [], complete: false } : cleanersOn(v, place);
    const ready = pods.find(isReady);
    if (place !== undefined && !ready && complete && waitedSeconds(v) >= cleaningSeconds) {
      const [pod] = pods;
      return {
        about: place,
        summary: `pv/${v.name} is to be cleaned on node ${place}, and the local volume provisioner ${pod ? `there, pod/${pod.metadata.name}, is not ready` : 'does not run there'}`,
        evidence: [...state, pod ? field(pod, 'status.phase') : absent('Pod', `local volume provisioner on ${place}`)],
        fix: [
          fix(
            `make the DaemonSet of the local volume provisioner run on ${place} (node selector, tolerations)`,
            `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(place)}`,
          ),
        ],
      };
    }
    if (said) {
      return {
        confidence: 'likely',
        summary: `pv/${v.name} cannot be cleaned${place === undefined ? '' : ` on node ${place}`}: ${meaningOf(said.event.message ?? said.event.note ?? '')}`,
        evidence: [...state, eventSaid(v.object, said.event)],
        fix: [
          fix(
            'compare the class map of the provisioner with the class of the volume',
            `kubectl get pv ${shellWord(v.name)} -o yaml`,
          ),
          ...(ready ? [logFix(ready)] : []),
        ],
      };
    }
    // Its failures are told by events alone: who could not read them cannot call it well.
    if (!ready || isKeptFromEvents(v)) return undefined;
    const isLong = waitedSeconds(v) > longestCleaningSeconds;
    return {
      severity: isLong ? 'blocking' : 'info',
      confidence: isLong ? 'possible' : 'likely',
      summary: isLong
        ? `pv/${v.name} should have been cleaned by pod/${ready.metadata.name} on node ${place ?? ''} by now`
        : `pv/${v.name} is being cleaned on node ${place ?? ''}; wiping a large disk takes long`,
      evidence: [...state, note(ready, 'the local volume provisioner of that node is ready')],
      fix: [logFix(ready)],
    };
  },
});

function isKeptFromEvents(v: VolumeSubject): boolean {
  const { state } = v.ask.graph.coverage.of('Event', eventScope(v.object));
  return state === 'denied' || state === 'failed';
}

function logFix({ metadata }: Pod): ReturnType<typeof fix> {
  return fix(
    'read the log of the local volume provisioner on that node',
    `kubectl -n ${shellWord(metadata.namespace ?? 'default')} logs ${shellWord(metadata.name)} --tail=50`,
  );
}

function cleanersOn(v: VolumeSubject, node: string): { readonly pods: readonly Pod[]; readonly complete: boolean } {
  const { items, complete } = v.ask.podsOnNode(node);
  const isCleaner = (pod: Pod): boolean =>
    /local-(?:volume|static)?-?provisioner/.test(
      [pod.metadata.name, ...(pod.spec?.containers ?? []).flatMap(({ name = '', image = '' }) => [name, image])].join(
        ' ',
      ),
    );
  return { pods: items.filter(isCleaner), complete };
}

function meaningOf(text: string): string {
  if (/Unknown storage class name/i.test(text)) return 'the class map of the provisioner does not have its class';
  if (/Blockcleaner command was empty/i.test(text)) return 'no command is set to wipe block devices';
  if (/unsupported|recycl/i.test(text)) return 'its reclaim policy is not one that the provisioner knows';
  return 'the provisioner says why';
}
