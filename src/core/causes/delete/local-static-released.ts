import { messageOf, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, eventSaid, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import { nodeNamesOf } from './lost-node.ts';
import { isLocalStatic, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const cleaningSeconds = 120;
const longestCleaningSeconds = 1800;

/** Where the volume has to be wiped, and the pods of the static provisioner there. */
interface Cleaning {
  /** Undefined: the volume names no node. */
  readonly node: string | undefined;
  readonly cleaners: readonly Pod[];
  readonly ready: Pod | undefined;
  /** All pods of the node were read. */
  readonly complete: boolean;
}

/**
 * The static provisioner's DaemonSet wipes the disk of its node, deletes the object and later discovers the disk anew.
 */
export const localStaticReleased = objectRule('PersistentVolume', {
  cause: 'local-static-released',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeCleaned(v)) return undefined;
    const said = newestMatch(v.events.items, ['VolumeFailedDelete', 'VolumeUnsupportedReclaimPolicy'], /[^]*/);
    const cleaning = cleaningOf(v);
    const { node, ready, complete } = cleaning;
    if (node !== undefined && !ready && complete && waitedSeconds(v) >= cleaningSeconds)
      return explainNoCleaner(v, node, cleaning);
    if (said) return explainFailure(v, cleaning, said);
    // Failures are reported in events only: without them nothing proves that the cleaning goes well.
    if (!ready || areEventsHidden(v)) return undefined;
    return explainCleaning(v, node, ready);
  },
});

function isToBeCleaned(v: VolumeSubject): boolean {
  return (
    isLocalStatic(v.object) &&
    v.object.status?.phase === 'Released' &&
    !v.isTerminating &&
    v.object.spec?.persistentVolumeReclaimPolicy !== 'Retain'
  );
}

function cleaningOf(v: VolumeSubject): Cleaning {
  const [node] = nodeNamesOf(v.object);
  if (node === undefined) return { node, cleaners: [], ready: undefined, complete: false };
  const { items, complete } = v.ask.podsOnNode(node);
  const cleaners = items.filter(isCleaner);
  return { node, cleaners, ready: cleaners.find(isReady), complete };
}

function isCleaner({ metadata, spec }: Pod): boolean {
  const containers = (spec?.containers ?? []).flatMap(({ name = '', image = '' }) => [name, image]);
  return /local-(?:volume|static)?-?provisioner/.test([metadata.name, ...containers].join(' '));
}

function areEventsHidden(v: VolumeSubject): boolean {
  const { state } = v.ask.graph.coverage.of('Event', eventScope(v.object));
  return state === 'denied' || state === 'failed';
}

function stateEvidence(v: VolumeSubject): [Evidence, Evidence] {
  const { status } = v.object;
  return [
    field(v.object, 'status.phase', status?.phase, status?.lastPhaseTransitionTime),
    field(v.object, `metadata.annotations[${provisionedByAnnotation}]`, v.annotation(provisionedByAnnotation)),
  ];
}

function explainNoCleaner(v: VolumeSubject, node: string, { cleaners: [pod] }: Cleaning): Explanation {
  const state = pod ? `there, pod/${pod.metadata.name}, is not ready` : 'does not run there';
  return {
    about: node,
    summary: `pv/${v.name} is to be cleaned on node ${node}, and the local volume provisioner ${state}`,
    evidence: [
      ...stateEvidence(v),
      pod ? field(pod, 'status.phase') : absent('Pod', `local volume provisioner on ${node}`),
    ],
    fix: [
      fix(
        `make the DaemonSet of the local volume provisioner run on ${node} (node selector, tolerations)`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
    ],
  };
}

function explainFailure(v: VolumeSubject, { node, ready }: Cleaning, { event }: EventMatch): Explanation {
  return {
    confidence: 'likely',
    summary: `pv/${v.name} cannot be cleaned${node === undefined ? '' : ` on node ${node}`}: ${meaningOf(messageOf(event))}`,
    evidence: [...stateEvidence(v), eventSaid(v.object, event)],
    fix: [
      fix(
        'compare the class map of the provisioner with the class of the volume',
        `kubectl get pv ${shellWord(v.name)} -o yaml`,
      ),
      ...(ready ? [logFix(ready)] : []),
    ],
  };
}

function meaningOf(text: string): string {
  if (/Unknown storage class name/i.test(text)) return 'the class map of the provisioner does not have its class';
  if (/Blockcleaner command was empty/i.test(text)) return 'no command is set to wipe block devices';
  if (/unsupported|recycl/i.test(text)) return 'its reclaim policy is not one that the provisioner knows';
  return 'the provisioner says why';
}

function explainCleaning(v: VolumeSubject, node: string | undefined, cleaner: Pod): Explanation {
  const isLong = waitedSeconds(v) > longestCleaningSeconds;
  return {
    severity: isLong ? 'blocking' : 'info',
    confidence: isLong ? 'possible' : 'likely',
    summary: isLong
      ? `pv/${v.name} should have been cleaned by pod/${cleaner.metadata.name} on node ${node ?? ''} by now`
      : `pv/${v.name} is being cleaned on node ${node ?? ''}; wiping a large disk takes long`,
    evidence: [...stateEvidence(v), note(cleaner, 'the local volume provisioner of that node is ready')],
    fix: [logFix(cleaner)],
  };
}

function logFix({ metadata }: Pod): Fix {
  return fix(
    'read the log of the local volume provisioner on that node',
    `kubectl -n ${shellWord(metadata.namespace ?? 'default')} logs ${shellWord(metadata.name)} --tail=50`,
  );
}
