import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import { messageOf } from '../../graph/events.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { startFixes } from '../../facts/driver/controller-fixes.ts';
import { claimRule } from '../lib/rule.ts';
import { saveCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { quote } from '../lib/driver-error/quote.ts';
import { sourceEvidence } from './data-source.ts';
import { isRecent, populationOf } from './populator.ts';
import type { Population } from './populator.ts';
import { findMissingSource } from './populator-source-missing.ts';
import { failure } from './provisioner.ts';

const failureReasons = [
  'PopulatorFailed',
  'PopulatorCreationError',
  'PopulateOperationFailed',
  'PopulateOperationStartError',
  'PopulatorPVCPrimeCreationError',
  'reasonPVCPrimeMutatorError',
  'PopulatorStorageClassCreationError',
];
const badWaits = [
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
const primeGraceSeconds = 120;

/** lib-volume-populator: the populator reports an error, its pod fails, or its own claim gets no volume. */
export const populatorFailed = claimRule({
  cause: 'populator-failed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const population = populationOf(c);
    if (!population || findMissingSource(c, population)) return undefined;
    const failed = findFailure(c, population);
    if (!failed) return undefined;
    const { source } = population;
    return {
      confidence: failed.pod ? 'certain' : 'likely',
      about: `${source.group}/${source.kind} ${source.namespace}/${source.name}`,
      summary:
        `The populator cannot fill the volume of ${claimText(c)} from ${source.kind} "${source.name}": ` +
        `${sentence(failureText(failed))}`,
      evidence: evidenceOf(c, population, failed),
      fix: advise(population, failed),
    };
  },
});

/** A part of the populator that fails. */
interface Trouble {
  readonly name: string;
  readonly words: string;
  readonly evidence: readonly Evidence[];
}

interface PopulatorFailure {
  readonly said: KubeEvent | undefined;
  readonly pod: Trouble | undefined;
  readonly prime: Trouble | undefined;
}

export function findFailure(c: PresentClaim, { pod, events, prime }: Population): PopulatorFailure | undefined {
  const failed: PopulatorFailure = {
    said: events.findLast((event) => failureReasons.includes(event.reason ?? '') && isRecent(c, event)),
    pod: pod && (failedPod(pod) ?? startlessPod(pod)),
    prime: stuckPrime(c, prime.items[0]),
  };
  return failed.said || failed.pod || failed.prime ? failed : undefined;
}

function failedPod(pod: Pod): Trouble | undefined {
  if (pod.status?.phase !== 'Failed') return undefined;
  const { phase, reason, message } = pod.status;
  const value = [phase, reason, message, exitText(pod)].filter(Boolean).join(': ');
  return { name: pod.metadata.name, words: failedWords(pod), evidence: [field(pod, 'status.phase', value)] };
}

/** With the container's own last words, where it left some. */
function failedWords(pod: Pod): string {
  const end = exitText(pod);
  return end === undefined ? 'failed' : `failed (${end})`;
}

function exitText(pod: Pod): string | undefined {
  const end = (pod.status?.containerStatuses ?? [])
    .map((status) => status.state?.terminated)
    .find((terminated) => terminated && terminated.exitCode !== 0);
  if (!end) return undefined;
  const code = end.exitCode === undefined ? undefined : `exit code ${end.exitCode}`;
  return [end.reason, code, end.message].filter(Boolean).join(', ');
}

function startlessPod(pod: Pod): Trouble | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const waiting = statuses.find(({ state }) => badWaits.includes(state?.waiting?.reason ?? ''))?.state?.waiting;
  if (!waiting) return undefined;
  const { reason = '', message } = waiting;
  return {
    name: pod.metadata.name,
    words: `does not start (${reason})`,
    evidence: [note(pod, [reason, message].filter(Boolean).join(': '))],
  };
}

/** The populator's own claim is a claim like any other, and may be stuck like any other. */
function stuckPrime(c: PresentClaim, claim: Population['prime']['items'][number] | undefined): Trouble | undefined {
  if (claim?.status?.phase !== 'Pending') return undefined;
  const { name } = claim.metadata;
  const own = new ClaimCase(c.ask, claim.metadata.namespace ?? '', name);
  const said = failure(own, /[^]*/);
  if (!said && own.ageSeconds < primeGraceSeconds) return undefined;
  return {
    name,
    words: `its own pvc/${name} in namespace ${own.namespace} is Pending`,
    evidence: [field(claim, 'status.phase'), ...(said ? [eventSaid(claim, said.event)] : [])],
  };
}

function failureText({ pod, prime, said }: PopulatorFailure): string {
  if (pod) return `its pod/${pod.name} ${pod.words}`;
  if (prime) return prime.words;
  return said ? `it reports ${quote(messageOf(said))}` : 'it reports an error';
}

function evidenceOf(
  c: PresentClaim,
  { source }: Population,
  { said, pod, prime }: PopulatorFailure,
): Explanation['evidence'] {
  return [
    sourceEvidence(c, source),
    ...(pod?.evidence ?? []),
    ...(prime?.evidence ?? []),
    ...(said ? [eventSaid(c.claim, said)] : []),
  ];
}

function advise({ pod, prime }: Population, failed: PopulatorFailure): Fix[] {
  const namespace = prime.items[0]?.metadata.namespace ?? pod?.metadata.namespace;
  if (failed.prime && !failed.pod)
    return [
      fix(
        `Repair the populator's own claim, pvc/${failed.prime.name}: ` +
          'this explains why it is Pending, and what to do. The population then continues automatically.',
        `kubectl csi why pvc/${shellWord(failed.prime.name)} ${inNamespace(namespace)}`.trim(),
      ),
    ];
  if (failed.pod && pod) return [retryPod(pod, namespace)];
  return [
    fix(
      'Correct what the populator reports about the claim, on the claim, its source or the populator: ' +
        'the event below Evidence holds its words. It retries automatically.',
    ),
    ...(pod ? [readLog(pod, namespace)] : []),
  ];
}

/** The log goes with the pod, so it is saved before the pod is deleted. */
function retryPod(pod: Pod, namespace: string | undefined): Fix {
  const { name } = pod.metadata;
  const file = shellWord(`${name}.log`);
  if (pod.status?.phase !== 'Failed') return startFixes(pod, undefined)[0];
  return steps(
    `Save the log of pod/${name}, correct what it names (the address or the credentials of the source), and ` +
      'delete the pod. The populator then creates a new one.',
    [
      saveCommand(pod),
      `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} > ${file}`,
      `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
    ],
  );
}

function readLog(pod: Pod, namespace: string | undefined): Fix {
  return fix(
    `Read the log of the pod that fills the volume.`,
    `kubectl ${inNamespace(namespace)}logs ${shellWord(pod.metadata.name)} --tail=50`,
  );
}
