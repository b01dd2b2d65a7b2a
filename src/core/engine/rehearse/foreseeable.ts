import { rulesOfStage } from '../../causes/index.ts';
import { dataSourceOf } from '../../causes/provision/data-source.ts';
import { kindIsInstalled } from '../../causes/provision/populator.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { ObjectCase, ObjectKind } from '../../facts/object-case.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import type { Explanation, Rule, RulesOfStage } from '../../causes/lib/rule.ts';
import type { Confidence, Fix, ObjectRef } from '../../report/report.ts';
import { resourceNamed } from '../../kube/resources.ts';

/** Causes that only time or an event can prove, and an object that does not exist yet has neither. */
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

/** Causes that are concluded from silence unless they are certain. */
const foreseenWhenCertain: ReadonlySet<string> = new Set([
  'provisioning-disabled',
  'provisioner-annotation-mismatch',
  'modify-unsupported',
  'modify-vac-missing',
  'pvc-volumename-not-found',
  'snap-controller-down',
  'snap-sidecar-down',
]);

/**
 * What objects show beforehand about attaching and mounting: almost every other failure there shows only when it is
 * tried.
 */
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

/** The rules that can judge an object that does not exist yet. */
export const foreseeableRules: RulesOfStage = (stage, kind) =>
  rulesOfStage(stage, kind)
    .filter(({ cause, severity }) =>
      stage === 'attach' || stage === 'mount'
        ? foreseenOnNode.has(cause) || severity === 'warning'
        : !neverForeseen.has(cause),
    )
    .map(whenForeseeable);

type Subject = ClaimCase | PodCase | ObjectCase<ObjectKind>;

/** A conclusion from silence must not hide a later rule's proof, so it is dropped. */
function whenForeseeable(rule: Rule): Rule {
  const general: { explain(subject: Subject): Explanation | undefined } = rule;
  return {
    ...rule,
    explain: (subject: Subject) => {
      const explanation = general.explain(subject);
      return explanation && isForeseeable(rule, subject, explanation) ? explanation : undefined;
    },
  };
}

function isForeseeable({ cause }: Rule, subject: Subject, { confidence = 'certain' }: Explanation): boolean {
  // Whether another scheduler runs shows only when a pod asks for it.
  if (cause === 'wffc-scheduler-missing' && subject instanceof PodCase)
    return (subject.pod.spec?.schedulerName ?? defaultScheduler) === defaultScheduler;
  // A missing populator shows only in time, unless not even the kind is installed.
  if (cause === 'datasource-populator-missing' && subject instanceof ClaimCase) return lacksSourceKind(subject);
  // A resizer that was found and has not acted yet has had no time for it.
  if (cause === 'resize-no-resizer' || cause === 'resize-migrated-waiting') return confidence !== 'possible';
  // Where the pod fits on no node at all, the place of its volume is not the cause.
  if (cause === 'sched-volume-node-affinity' && subject instanceof PodCase)
    return fitNodes(subject).items.some(({ refusal }) => !refusal);
  return confidence === 'certain' || !foreseenWhenCertain.has(cause);
}

function lacksSourceKind(c: ClaimCase): boolean {
  const source = dataSourceOf(c);
  return source !== undefined && kindIsInstalled(c, source) === false;
}

/** Whether a finding about an imagined object is enough to say that it would fail. */
export function isForeseen({ confidence }: { readonly confidence: Confidence }): boolean {
  return confidence !== 'possible';
}

/**
 * Turns a fix for an existing object into one for its manifest: instead of deleting or patching it, the user edits the
 * manifest.
 */
export function fixBeforehand({ text, command, commands, risk }: Fix, isImagined: (object: ObjectRef) => boolean): Fix {
  const plain = text
    .replace(/\b([Rr])ecreate the claim\b/, (_, first: string) =>
      first === 'R' ? 'Write the claim' : 'write the claim',
    )
    .replace(/^Recreate (StorageClass "[^"]*")/, 'Write $1')
    .replace(/: (?:its spec cannot be changed, and )?it was never bound, so it holds no data(?=\.)/, '')
    .replace(/: a class cannot be changed in place, and existing volumes do not depend on it(?=\.)/, '');
  const all = commands ?? (command === undefined ? [] : [command]);
  const isAboutImagined = all.some((line) => {
    const target = targetOf(line);
    return target !== undefined && isImagined(target);
  });
  const [first, ...rest] = isAboutImagined ? [] : all;
  return {
    text: isAboutImagined ? plain : text,
    ...(first !== undefined && { command: first }),
    ...(first !== undefined && rest.length > 0 && { commands: [first, ...rest] }),
    risk: isAboutImagined ? 'safe' : risk,
  };
}

/** The object that a kubectl command names. */
function targetOf(command: string): ObjectRef | undefined {
  const match =
    /^kubectl (?:-n (\S+) )?(?:get|describe|delete|patch|edit|annotate|scale|logs|rollout restart) (?:(\w+)[ /])?([\w.-]+)/.exec(
      command,
    );
  const kind = match?.[2] === undefined ? undefined : resourceNamed(match[2])?.kind;
  if (!match || kind === undefined) return undefined;
  return { kind, ...(match[1] !== undefined && { namespace: match[1] }), name: match[3] ?? '' };
}
