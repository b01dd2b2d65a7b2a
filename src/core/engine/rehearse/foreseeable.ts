import { rulesOfStage } from '../../causes/index.ts';
import { dataSourceOf } from '../../causes/provision/data-source.ts';
import { kindIsInstalled } from '../../causes/provision/populator.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import type { Explanation, Rule, RulesOfStage } from '../../causes/lib/rule.ts';
import type { Confidence, Fix, ObjectRef } from '../../report/report.ts';
import { resourceNamed } from '../../kube/resources.ts';

/** Causes that only time or somebody's word can prove: of what does not exist yet neither is known. */
const neverForeseen: ReadonlySet<string> = new Set([
  'bind-incomplete',
  'ephemeral-pvc-pending',
  'groupsnap-failed',
  'provisioner-silent',
  'retroactive-default-blocked',
  'retroactive-default-unsupported',
  'wffc-bind-timeout',
  'wffc-provision-rescheduled',
  'wffc-pv-unbound-during-bind',
  'wffc-selected-node-split',
]);

/** Causes that are a guess from silence unless they are proven. */
const foreseenWhenCertain: ReadonlySet<string> = new Set([
  'provisioning-disabled',
  'provisioner-annotation-mismatch',
  'pvc-volumename-not-found',
  'snap-controller-down',
  'snap-sidecar-down',
]);

/** Past the schedule stage almost all that goes wrong is known only when it is tried; this much the objects tell. */
const foreseenOnNode: ReadonlySet<string> = new Set([
  'attach-attacher-not-running',
  'attach-csinode-missing',
  'attach-csinode-missing-driver',
  'attach-node-unmanaged',
  'attach-secret-missing',
  'csinode-missing',
  'driver-daemonset-pod-unhealthy',
  'driver-not-on-node',
  'flexvolume-driver-missing',
  'gitrepo-disabled',
  'mount-configmap-missing',
  'mount-driver-not-registered',
  'mount-inline-unsupported',
  'mount-node-affinity',
  'mount-secret-missing',
  'mount-secret-volume-missing',
  'mount-volumemode-usage',
]);

const defaultScheduler = 'default-scheduler';

/** The rules that can speak of what does not exist yet. */
export const foreseeableRules: RulesOfStage = (stage) =>
  rulesOfStage(stage)
    .filter(({ cause, severity }) =>
      stage === 'attach' || stage === 'mount'
        ? foreseenOnNode.has(cause) || severity === 'warning'
        : !neverForeseen.has(cause),
    )
    .map((rule) => onlyWhen(rule, isAllowed));

/** A guess from silence must not stand before a proof, so it is not made at all. */
function onlyWhen(rule: Rule, allows: (rule: Rule, subject: unknown, explanation: Explanation) => boolean): Rule {
  const explain = rule.explain as (subject: unknown) => Explanation | undefined;
  return {
    ...rule,
    explain: (subject: unknown) => {
      const explanation = explain(subject);
      return explanation && allows(rule, subject, explanation) ? explanation : undefined;
    },
  } as Rule;
}

function isAllowed({ cause }: Rule, subject: unknown, { confidence = 'certain' }: Explanation): boolean {
  // Whether another scheduler runs nobody can tell before it is asked.
  if (cause === 'wffc-scheduler-missing' && subject instanceof PodCase)
    return (subject.pod.spec?.schedulerName ?? defaultScheduler) === defaultScheduler;
  // That no populator comes shows only in time, unless not even the kind is there.
  if (cause === 'datasource-populator-missing' && subject instanceof ClaimCase) return lacksSourceKind(subject);
  // Where the pod fits on no node at all, the place of its volume is not the reason.
  if (cause === 'sched-volume-node-affinity' && subject instanceof PodCase)
    return fitNodes(subject).items.some(({ refusal }) => !refusal);
  return confidence === 'certain' || !foreseenWhenCertain.has(cause);
}

function lacksSourceKind(c: ClaimCase): boolean {
  const source = dataSourceOf(c);
  return source !== undefined && kindIsInstalled(c, source) === false;
}

/** Whether a finding about something imagined is proof enough to say that it would fail. */
export function isForeseen({ confidence }: { readonly confidence: Confidence }): boolean {
  return confidence !== 'possible';
}

/** A fix for what exists, told to someone who has not made it yet: what they would delete or patch they simply write otherwise. */
export function fixBeforehand({ text, command, risk }: Fix, isImagined: (object: ObjectRef) => boolean): Fix {
  const plain = text
    .replace(/\bdelete the claim(?:, which holds no data yet,)? and make it again\b,?/, 'write the claim')
    .replace(
      /: (?:nothing is stored under a claim that was never bound|it cannot be changed|the class of a claim cannot be changed)(?= \(|$)/,
      '',
    )
    .replace(/\(of a StatefulSet: change its template as well\)/, '(of a StatefulSet: in its template)')
    .replace(
      /^save class (\S+), delete it and create it again (.*), since a class cannot be changed: .*$/,
      'write class $1 $2',
    );
  const target = command === undefined ? undefined : targetOf(command);
  const isAboutImagined = target !== undefined && isImagined(target);
  const kept = isAboutImagined ? undefined : command;
  return {
    text: plain,
    ...(kept !== undefined && { command: kept }),
    risk: isAboutImagined || plain !== text ? 'safe' : risk,
  };
}

/** The one object that a kubectl command is about. */
function targetOf(command: string): ObjectRef | undefined {
  const match =
    /^kubectl (?:-n (\S+) )?(?:get|describe|delete|patch|edit|annotate|scale|logs|rollout restart) (?:(\w+)[ /])?([\w.-]+)/.exec(
      command,
    );
  const kind = match?.[2] === undefined ? undefined : resourceNamed(match[2])?.kind;
  if (!match || kind === undefined) return undefined;
  return { kind, ...(match[1] !== undefined && { namespace: match[1] }), name: match[3] ?? '' };
}
