import { messageOf, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { absent, eventSaid, field, note } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import {
  noBlockCleanerText,
  policyUnsupportedTexts,
  unknownLocalClassText,
} from '../lib/driver-error/sentences/provisioner.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { dataFirst } from './data-first.ts';
import { cleanerFixes, isCleanerSpec } from './local-cleaner.ts';
import { nodeNamesOf } from './lost-node.ts';
import { isLocalStatic, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';

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
 * The static provisioner's DaemonSet wipes the disk of its node, deletes the object and later discovers the disk again.
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
  const cleaners = items.filter(({ metadata, spec }) => isCleanerSpec(metadata.name, spec));
  return { node, cleaners, ready: cleaners.find(isReady), complete };
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
  const state = pod ? `pod/${pod.metadata.name} there is not ready` : 'none runs there';
  return {
    about: node,
    summary: `${releasedWords(v)} and waits to be wiped on ${node}: only the local volume provisioner of that node does it, and ${state}.`,
    evidence: [
      ...stateEvidence(v),
      pod ? field(pod, 'status.phase') : absent('Pod', `local volume provisioner on ${node}`),
    ],
    fix: dataFirst(v.object, cleanerFixes(v, node, pod), then),
  };
}

const then = 'It then wipes the disk.';

function explainFailure(v: VolumeSubject, { node, ready }: Cleaning, { event }: EventMatch): Explanation {
  const { meaning, cure } = failureOf(v, messageOf(event));
  return {
    confidence: 'likely',
    summary:
      `${releasedWords(v)} and cannot be wiped${node === undefined ? '' : ` on ${node}`}: ` +
      `${quoteWords(messageOf(event))}.${meaning}`,
    evidence: [...stateEvidence(v), eventSaid(v.object, event)],
    fix: [...dataFirst(v.object, [cure], then), ...(ready ? [logFix(ready)] : [])],
  };
}

interface CleaningFailure {
  /** A sentence with a blank before it, or empty. */
  readonly meaning: string;
  readonly cure: Fix;
}

/** What the deleter of the static provisioner reports (sig-storage-local-static-provisioner pkg/deleter). */
function failureOf(v: VolumeSubject, text: string): CleaningFailure {
  const className = v.object.spec?.storageClassName ?? '';
  const edit = `PLACEHOLDER_CONFIGMAP in PLACEHOLDER_NAMESPACE is the one from the first line; restart its DaemonSet afterwards.`;
  const commands = [
    'kubectl get configmap -A | grep -i local',
    'kubectl -n PLACEHOLDER_NAMESPACE edit configmap PLACEHOLDER_CONFIGMAP',
  ];
  if (unknownLocalClassText.test(text))
    return {
      meaning: ' The class map of the provisioner does not have its class.',
      cure: steps(`Add class "${className}" to storageClassMap in the provisioner's ConfigMap. ${edit}`, commands),
    };
  if (noBlockCleanerText.test(text))
    return {
      meaning: ' No command is set that wipes block devices.',
      cure: steps(
        `Add a blockCleanerCommand to class "${className}" in the provisioner's ConfigMap. ${edit}`,
        commands,
      ),
    };
  if (policyUnsupportedTexts.test(text))
    return {
      meaning: ' The provisioner does not know its reclaim policy.',
      cure: steps('Set the policy to Delete. The provisioner retries within a minute.', [
        patchCommand(v.object, { spec: { persistentVolumeReclaimPolicy: 'Delete' } }),
      ]),
    };
  return {
    meaning: '',
    cure: steps('Correct what the quoted error names. The provisioner retries within a minute.', []),
  };
}

function explainCleaning(v: VolumeSubject, node: string | undefined, cleaner: Pod): Explanation {
  const isLong = waitedSeconds(v) > longestCleaningSeconds;
  const place = `on ${node ?? 'its node'}`;
  return {
    severity: isLong ? 'blocking' : 'info',
    confidence: isLong ? 'possible' : 'likely',
    summary: isLong
      ? `${releasedWords(v)}, and pod/${cleaner.metadata.name} ${place} should have wiped it by now.`
      : `${releasedWords(v)} and is being wiped ${place}. A large disk takes long; this is expected.`,
    evidence: [...stateEvidence(v), note(cleaner, 'the local volume provisioner of that node is ready')],
    fix: isLong
      ? [...dataFirst(v.object, [restartFix(cleaner, undefined, 'Its DaemonSet recreates it.')], then), logFix(cleaner)]
      : [steps('Wait: the volume is offered again automatically when the disk is wiped.', [])],
  };
}

function logFix(pod: Pod): Fix {
  return steps('Read the log of the local volume provisioner on that node.', [
    kubectl('logs', pod, '--tail=50').replace(' logs pod ', ' logs '),
  ]);
}
