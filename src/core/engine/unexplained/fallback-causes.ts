import type { Evidence, ObjectRef, Stage } from '../../report/report.ts';
import { isKnownKind } from '../../kube/kinds.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { typedNameOf } from '../../kube/resources.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { lastSeenText, messageOf } from '../../graph/events.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { sentence } from '../../causes/lib/sentence.ts';
import { steps } from '../../causes/lib/steps.ts';
import type { Candidate } from '../explain-stage.ts';
import type { Verdict } from '../verdict.ts';
import { ownerOfStage } from './owner-of-stage.ts';
import { tellState } from './tell-state.ts';

/** The program's own two causes: still within the usual time, and proven stuck but unexplained. */
export function fallbackCauses(verdict: Verdict, target: ObjectRef, ask: Inquiry): Candidate[] {
  const { stage, status } = verdict;
  if (stage === undefined || status === 'healthy' || status === 'unknown') return [];
  const base = {
    stage,
    confidence: 'certain',
    // Two targets that are not understood are not known to have the same cause.
    about: `${target.namespace ?? ''}/${target.kind}/${target.name}`,
  } as const;
  const state = sentence(tellState(subjectOf(verdict, target), verdict.note));
  return [
    status === 'waiting'
      ? {
          ...base,
          cause: 'in-progress',
          severity: 'info',
          summary: `${state} ${patienceWords(verdict, ask)}`,
          evidence: rawEvidence(target, verdict, ask),
          fix: [],
        }
      : { ...base, cause: 'blocked-unexplained', severity: 'blocking', ...explainOwner(verdict, target, ask, state) },
  ];
}

function nameOf({ kind, name }: ObjectRef): string {
  return isKnownKind(kind) ? `${typedNameOf(kind)}/${name}` : `${kind} ${name}`;
}

const stagesOfClaim: readonly Stage[] = ['claim', 'provision', 'bind', 'expand', 'modify'];

/** These stages of a pod are about its claim. */
function subjectOf({ stage, journey: { claim } }: Verdict, target: ObjectRef): string {
  return claim && stage !== undefined && stagesOfClaim.includes(stage) ? `pvc/${claim.name}` : nameOf(target);
}

/** How long the stage may take before it counts as stuck; some waits have no limit by design. */
function patienceWords({ graceSeconds, journey, stage }: Verdict, ask: Inquiry): string {
  if (graceSeconds === undefined || !Number.isFinite(graceSeconds)) return 'This is expected.';
  const limit = graceSeconds < 100 ? `${graceSeconds} seconds` : `${Math.round(graceSeconds / 60)} minutes`;
  const owner = stage && ownerOfStage(journey, stage, ask);
  return `This is expected: ${owner?.name ?? 'it'} may take ${limit}.`;
}

/** The component that has to take the next step, what it has done so far, and where its log is. */
function explainOwner(
  verdict: Verdict,
  target: ObjectRef,
  ask: Inquiry,
  state: string,
): Pick<Candidate, 'summary' | 'evidence' | 'fix'> {
  const since = parseTime(verdict.stages.find((result) => result.stage === verdict.stage)?.since);
  const waited = since === undefined ? '' : ` for ${ageText(since, ask.now)}`;
  const owner = verdict.stage && ownerOfStage(verdict.journey, verdict.stage, ask);
  const { progress, evidence: found, fix } = owner?.examine() ?? { progress: [], evidence: [], fix: [] };
  const [first, ...rest] = rawEvidence(target, verdict, ask);
  const known = new Set(found.map(({ path, value }) => `${path ?? ''}|${value ?? ''}`));
  const evidence = [
    ...(first ? [first] : []),
    ...found,
    ...rest.filter(({ path, value }) => !known.has(`${path ?? ''}|${value ?? ''}`)),
  ];
  if (!owner)
    return {
      summary: `${state} Nothing has changed${waited}, and no known cause explains it.`,
      evidence,
      fix: [steps('Read the events of the object, and correct what they name.', [describeCommand(target)])],
    };
  return {
    summary:
      `${state} The next step is up to ${owner.name}, and it has not completed it${waited}. ` +
      `${progress.join(' ')} No known cause explains it.`,
    evidence,
    fix:
      fix.length > 0
        ? fix
        : [
            steps(`Read the log of ${owner.name} and the events of the object, and correct what they name.`, [
              describeCommand(target),
            ]),
          ],
  };
}

/** The open stage, and the latest events on the target. */
function rawEvidence(target: ObjectRef, verdict: Verdict, ask: Inquiry): Evidence[] {
  const stage = verdict.stages.find((result) => result.stage === verdict.stage);
  const state: Evidence = {
    object: target,
    path: `stage ${verdict.stage ?? ''}`,
    value: verdict.note,
    ...(stage?.since !== undefined && { at: stage.since }),
  };
  const events = target.uid === undefined ? [] : ask.graph.eventsAbout(target.uid);
  return [state, ...events.slice(-5).map((event) => eventEvidence(target, event))];
}

function eventEvidence(target: ObjectRef, event: KubeEvent): Evidence {
  const at = lastSeenText(event);
  return {
    object: target,
    path: `event ${event.reason ?? ''}`,
    value: messageOf(event),
    ...(at !== undefined && { at }),
  };
}

/** An object that does not exist cannot be described. */
function describeCommand({ kind, namespace, name, uid }: ObjectRef): string {
  const scope = inNamespace(namespace);
  if (uid === undefined) return `kubectl ${scope}get events --sort-by=.metadata.creationTimestamp`;
  return `kubectl ${scope}describe ${shellWord(kind.toLowerCase())} ${shellWord(name)}`;
}
