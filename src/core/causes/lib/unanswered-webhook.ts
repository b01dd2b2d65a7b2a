import type { Inquiry } from '../../graph/inquiry.ts';
import type { ContainerStatus, ObjectOf, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isCrashing, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import { unansweredWebhookWords } from './driver-error/senses/kubernetes.ts';
import { steps } from './steps.ts';

/** A webhook that the API server could not call. */
export interface UnansweredWebhook {
  readonly name: string;
  readonly service: string | undefined;
  readonly namespace: string | undefined;
  /** Why, in the words of the API server. */
  readonly reason: string;
}

type Configuration = ObjectOf<'MutatingWebhookConfiguration'> | ObjectOf<'ValidatingWebhookConfiguration'>;

/** By the words of the API server, and by its configuration where that was read. */
export function unansweredWebhookIn(ask: Inquiry, text: string): UnansweredWebhook | undefined {
  const words = unansweredWebhookWords(text);
  if (!words) return undefined;
  const { webhook: name, reason } = words;
  const configured = configurationOf(ask, name)?.webhooks?.find((webhook) => webhook.name === name)?.clientConfig
    ?.service;
  return {
    name,
    service: words.service ?? configured?.name,
    namespace: words.namespace ?? configured?.namespace,
    reason,
  };
}

function configurationOf(ask: Inquiry, name: string): Configuration | undefined {
  return [...ask.seen('ValidatingWebhookConfiguration'), ...ask.seen('MutatingWebhookConfiguration')].find(
    ({ webhooks = [] }) => webhooks.some((webhook) => webhook.name === name),
  );
}

/** A Service of the cluster, and what it is for. */
export interface ServedBy {
  readonly service: string | undefined;
  readonly namespace: string | undefined;
}

/** A pod in the namespace of the webhook that does not work, and its container that keeps ending. */
interface BrokenPod {
  readonly pod: Pod;
  readonly crashing: ContainerStatus | undefined;
}

/** The pods there that do not work, those that are named like the service first. */
function brokenPods(ask: Inquiry, { service, namespace }: ServedBy, now: number): readonly BrokenPod[] {
  if (namespace === undefined) return [];
  const [word = ''] = service?.split('-') ?? [];
  return ask
    .seen('Pod')
    .filter(
      (pod) =>
        pod.metadata.namespace === namespace && pod.status?.phase !== 'Succeeded' && pod.metadata.name.includes(word),
    )
    .map((pod) => ({ pod, crashing: containerStatusesOf(pod).find((status) => isCrashing(status, now)) }))
    .filter(({ pod, crashing }) => crashing !== undefined || !isReady(pod))
    .sort((a, b) => alikeLength(b.pod.metadata.name, service) - alikeLength(a.pod.metadata.name, service));
}

/** How many characters the name has in common with that of the service. */
function alikeLength(name: string, service = ''): number {
  const end = [...service].findIndex((character, index) => character !== name[index]);
  return end < 0 ? service.length : end;
}

function workloadOf({ metadata }: Pod, owner: ReturnType<typeof ownerOf>): string {
  return owner ? `${owner.kind.toLowerCase()}/${owner.name}` : `pod/${metadata.name}`;
}

/** ` Its service is x/y, and daemonset/z there does not work (pod/z-1: waiting (CrashLoopBackOff)).` */
export function webhookText(ask: Inquiry, webhook: UnansweredWebhook, now: number): string {
  const { service, namespace } = webhook;
  const [first] = brokenPods(ask, webhook, now);
  const broken =
    first &&
    `${workloadOf(first.pod, ownerOf(first.pod))} in namespace ${namespace ?? ''} does not work: pod/${first.pod.metadata.name} is ${whyNotRunning(first.pod)}.`;
  if (service === undefined) return broken ? ` ${broken.charAt(0).toUpperCase()}${broken.slice(1)}` : '';
  const place = ` It is served by service ${namespace === undefined ? '' : `${namespace}/`}${service}`;
  return broken ? `${place}, and ${broken}` : `${place}.`;
}

export function webhookEvidence(ask: Inquiry, webhook: UnansweredWebhook, now: number): Evidence[] {
  const configuration = configurationOf(ask, webhook.name);
  const policy = configuration?.webhooks?.find(({ name }) => name === webhook.name)?.failurePolicy;
  return [
    ...(configuration && policy !== undefined
      ? [field(configuration, `webhooks[${webhook.name}].failurePolicy`, policy)]
      : []),
    ...brokenPods(ask, webhook, now)
      .slice(0, mostShown)
      .map(({ pod, crashing }) =>
        crashing
          ? field(pod, `status.containerStatuses[${crashing.name ?? ''}].restartCount`, crashing.restartCount ?? 0)
          : note(pod, whyNotRunning(pod)),
      ),
  ];
}

const mostShown = 3;

/** The pods that serve the webhook have to work again; `then` says what goes on after that. */
export function reviveWebhook(ask: Inquiry, webhook: UnansweredWebhook, now: number, then: string): Fix[] {
  return reviveService(ask, webhook, now, `webhook "${webhook.name}"`, then);
}

/** The same for any Service; `what` is what needs it. */
export function reviveService(ask: Inquiry, served: ServedBy, now: number, what: string, then: string): Fix[] {
  const { service, namespace } = served;
  const [first] = brokenPods(ask, served, now);
  if (first) return [reviveBroken(first, what, then)];
  const place = namespace ?? 'PLACEHOLDER_NAMESPACE';
  const known = namespace === undefined ? ', PLACEHOLDER_NAMESPACE is that of its service' : '';
  return [
    steps(
      `Get the pods behind ${service === undefined ? 'the service' : `service ${service}`} of ${what} running: the first line lists the workloads there. Scale the one that serves it up if it shows 0 replicas, otherwise restart it (PLACEHOLDER_WORKLOAD${known}). ${then}`,
      [
        `kubectl ${inNamespace(place)}get deployments,statefulsets,daemonsets,pods -o wide`,
        `kubectl ${inNamespace(place)}rollout restart PLACEHOLDER_WORKLOAD`,
      ],
      'disruptive',
    ),
  ];
}

function reviveBroken({ pod, crashing }: BrokenPod, webhook: string, then: string): Fix {
  const { namespace, name } = pod.metadata;
  const workload = workloadOf(pod, ownerOf(pod));
  const words = crashing && (crashing.lastState?.terminated ?? crashing.state?.terminated)?.message?.trim();
  return crashing
    ? steps(
        `Repair ${workload}, which has to answer for ${webhook}: container ${crashing.name ?? ''} keeps crashing${words ? ` ("${words}")` : ', and its last log names the reason'}. Correct that. ${then}`,
        [
          `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(crashing.name ?? '')} --previous --tail=50`,
        ],
      )
    : steps(
        `Repair ${workload}, which has to answer for ${webhook}: pod/${name} is ${whyNotRunning(pod)}, and its events name the reason. Correct that. ${then}`,
        [`kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`],
      );
}
