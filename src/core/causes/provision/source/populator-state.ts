import { lastSeen } from '../../../graph/events.ts';
import type { Evidence } from '../../../report/report.ts';
import type { KubeEvent, Pod } from '../../../kube/kinds.ts';
import { parseTime } from '../../../kube/time.ts';
import { absent, eventSaid, field, fix, inNamespace, note, shellWord } from '../../../facts/evidence.ts';
import { ClaimCase } from '../../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { failure } from '../provisioner.ts';
import { sourceEvidence } from './data-source.ts';
import type { Outcome } from './data-source.ts';
import { populationOf, sourceObject } from './populator.ts';
import type { Population } from './populator.ts';
import { remakeFix } from './remake.ts';

const failures = [
  'PopulatorFailed',
  'PopulatorCreationError',
  'PopulateOperationFailed',
  'PopulateOperationStartError',
  'PopulatorPVCPrimeCreationError',
  'reasonPVCPrimeMutatorError',
  'PopulatorStorageClassCreationError',
];
const recentSeconds = 900;
const primeGraceSeconds = 120;
const badWaits = [
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

/** How far a populator has come, from what it left behind. */
export function judgePopulator(c: PresentClaim): Outcome | undefined {
  const population = populationOf(c);
  if (!population) return undefined;
  return sourceMissing(c, population) ?? failed(c, population) ?? running(c, population);
}

function sourceMissing(c: PresentClaim, { source, events, prime }: Population): Outcome | undefined {
  const object = sourceObject(c, source);
  const last = events.at(-1);
  const said = last?.reason === 'PopulatorDataSourceNotFound' ? last : undefined;
  const isGone = object.state === 'missing' && (said !== undefined || prime.items.length === 0);
  if (object.state === 'found' || (!isGone && !said)) return undefined;
  return {
    cause: 'populator-source-missing',
    confidence: object.state === 'missing' && said ? 'certain' : 'likely',
    summary: `${source.kind} ${source.name}, from which the volume is to be filled, does not exist in namespace ${source.namespace}${object.near ? `; did you mean ${object.near}?` : ''}`,
    evidence: [
      sourceEvidence(c, source),
      absent(source.kind, source.name, source.namespace),
      ...(said ? [eventSaid(c.claim, said)] : []),
    ],
    fix: [
      fix(`create ${source.kind} ${source.name}: the claim then goes on by itself`),
      remakeFix(c, 'from a source that exists'),
    ],
  };
}

function failed(c: PresentClaim, population: Population): Outcome | undefined {
  const { source, pod, events, prime } = population;
  const said = events.findLast((event) => failures.includes(event.reason ?? '') && isRecent(c, event));
  const trouble = pod && troubleOf(pod);
  const stuck = stuckPrime(c, population);
  if (!said && !trouble && !stuck) return undefined;
  const words = trouble ? `its pod ${pod.metadata.name} ${trouble.words}` : (stuck?.words ?? 'it reports an error');
  const namespace = prime.items[0]?.metadata.namespace ?? pod?.metadata.namespace;
  const evidence: Evidence[] = [
    ...(trouble ? [trouble.evidence] : []),
    ...(stuck ? stuck.evidence : []),
    ...(said ? [eventSaid(c.claim, said)] : []),
  ];
  return {
    cause: 'populator-failed',
    confidence: trouble ? 'certain' : 'likely',
    about: `${source.group}/${source.kind} ${source.namespace}/${source.name}`,
    summary: `the populator cannot fill the volume from ${source.kind} ${source.name}: ${words}`,
    evidence: [sourceEvidence(c, source), ...evidence],
    fix: [
      ...(stuck && !trouble
        ? [
            fix(
              "mend the populator's own claim first",
              `kubectl csi why-pending pvc/${shellWord(stuck.name)} ${inNamespace(namespace)}`.trim(),
            ),
          ]
        : []),
      ...(pod
        ? [
            fix(
              'read the log of the pod that fills the volume',
              `kubectl ${inNamespace(namespace)}logs ${shellWord(pod.metadata.name)} --tail=50`,
            ),
          ]
        : []),
      fix('look at what the populator says', `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`),
    ],
  };
}

function troubleOf(pod: Pod): { readonly words: string; readonly evidence: Evidence } | undefined {
  if (pod.status?.phase === 'Failed')
    return {
      words: 'failed',
      evidence: field(
        pod,
        'status.phase',
        [pod.status.phase, pod.status.reason, pod.status.message, endOf(pod)].filter(Boolean).join(': '),
      ),
    };
  const waiting = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    (status) => badWaits.includes(status.state?.waiting?.reason ?? ''),
  )?.state?.waiting;
  return (
    waiting && {
      words: `does not start (${waiting.reason ?? ''})`,
      evidence: note(pod, [waiting.reason, waiting.message].filter(Boolean).join(': ')),
    }
  );
}

function endOf(pod: Pod): string | undefined {
  const end = (pod.status?.containerStatuses ?? [])
    .map((status) => status.state?.terminated)
    .find((terminated) => terminated && terminated.exitCode !== 0);
  return (
    end &&
    [end.reason, end.exitCode === undefined ? undefined : `exit code ${end.exitCode}`, end.message]
      .filter(Boolean)
      .join(', ')
  );
}

/** The populator's own claim is a claim like any other, and may be stuck like any other. */
function stuckPrime(
  c: PresentClaim,
  { prime }: Population,
): { readonly name: string; readonly words: string; readonly evidence: Evidence[] } | undefined {
  const [claim] = prime.items;
  if (claim?.status?.phase !== 'Pending') return undefined;
  const own = new ClaimCase(c.ask, claim.metadata.namespace ?? '', claim.metadata.name);
  const said = failure(own, /[^]*/);
  if (!said && own.ageSeconds < primeGraceSeconds) return undefined;
  return {
    name: claim.metadata.name,
    words: `its own pvc/${claim.metadata.name} in namespace ${own.namespace} is Pending`,
    evidence: [field(claim, 'status.phase'), ...(said ? [eventSaid(claim, said.event)] : [])],
  };
}

function running(c: PresentClaim, { source, prime, pod, events }: Population): Outcome | undefined {
  const [claim] = prime.items;
  const last = events.findLast((event) => isRecent(c, event));
  const isProtected = (c.claim.metadata.finalizers ?? []).some((finalizer) =>
    finalizer.endsWith('/populate-target-protection'),
  );
  if (!claim && !pod && !last && !(isProtected && !prime.complete)) return undefined;
  const since = parseTime((pod ?? claim)?.metadata.creationTimestamp);
  return {
    cause: 'populator-running',
    severity: 'info',
    confidence: claim ? 'certain' : 'likely',
    summary: `a populator fills the volume from ${source.kind} ${source.name}${since === undefined ? '' : `, for ${Math.max(0, Math.round((c.now - since) / 60_000))} min now`}`,
    evidence: [
      sourceEvidence(c, source),
      ...(claim ? [field(claim, 'status.phase')] : []),
      ...(pod ? [field(pod, 'status.phase')] : []),
      ...(last ? [eventSaid(c.claim, last)] : []),
    ],
    fix: [],
  };
}

/** Whether a populator has shown itself, by what it left or by what it said of late. */
export function hasShownItself(c: PresentClaim, { prime, pod, events }: Population): boolean {
  return prime.items.length > 0 || pod !== undefined || events.some((event) => isRecent(c, event));
}

function isRecent(c: PresentClaim, event: KubeEvent): boolean {
  return (c.now - lastSeen(event)) / 1000 < recentSeconds;
}
