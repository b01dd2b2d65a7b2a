import type { ObjectOf, Pod } from '../../kube/kinds.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { retryCommands, retryText } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

export type Configuration = ObjectOf<'MutatingWebhookConfiguration'> | ObjectOf<'ValidatingWebhookConfiguration'>;
type Workload = ObjectOf<'Deployment'> | ObjectOf<'StatefulSet'> | ObjectOf<'DaemonSet'>;

/** A webhook that the API server could not call, and what is known of the service behind it. */
export interface DeadWebhook {
  /** As it is printed: webhook "x". */
  readonly label: string;
  readonly name: string | undefined;
  readonly configuration: Configuration | undefined;
  readonly service: WebhookService | undefined;
  /** The words of the API server about the call. */
  readonly words: string;
}

interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: string;
  readonly path: string;
}

/** The API server calls `https://SERVICE.NAMESPACE.svc:PORT/PATH` (apiserver util/webhook client.go). */
const calledUrl = /https:\/\/([\w-]+)\.([\w-]+)\.svc(?:\.[\w.-]+)?(?::(\d+))?(\/[^?"\s]*)?/;

export function serviceOf(
  words: string,
  name: string | undefined,
  configuration?: Configuration,
): WebhookService | undefined {
  const called = calledUrl.exec(words);
  if (called) {
    const [, service = '', namespace = '', port = '443', path = ''] = called;
    return { namespace, name: service, port, path };
  }
  const known = configuration?.webhooks?.find((webhook) => webhook.name === name)?.clientConfig?.service;
  return known?.name ? { namespace: known.namespace ?? 'default', name: known.name, port: '443', path: '' } : undefined;
}

/** How the call failed: each way has a repair of its own. */
type Failure = 'noService' | 'noPods' | 'certificate' | 'timeout' | 'other';

function failureOf(words: string): Failure {
  if (/service "[^"]*" not found|no such host/i.test(words)) return 'noService';
  if (/no endpoints available|connection refused/i.test(words)) return 'noPods';
  if (/\bx509:|certificate/i.test(words)) return 'certificate';
  return /deadline exceeded|timeout|timed out|no route to host/i.test(words) ? 'timeout' : 'other';
}

/** The one workload that is behind the service by its name, and its pods, as far as they were read. */
interface Backend {
  readonly workload: Workload | undefined;
  readonly ready: Pod | undefined;
}

function backendOf(ask: Inquiry, service: WebhookService | undefined): Backend {
  if (!service) return { workload: undefined, ready: undefined };
  const stem = service.name.replace(/-(?:svc|service)$/, '');
  const workloads = [...ask.seen('Deployment'), ...ask.seen('StatefulSet'), ...ask.seen('DaemonSet')].filter(
    ({ metadata }) => metadata.namespace === service.namespace && metadata.name.includes(stem),
  );
  const [workload, ...more] = workloads;
  if (!workload || more.length > 0) return { workload: undefined, ready: undefined };
  const ready = ask
    .seen('Pod')
    .find(
      (pod) =>
        pod.metadata.namespace === service.namespace &&
        isReady(pod) &&
        matchesLabelSelector(workload.spec?.selector, pod.metadata.labels),
    );
  return { workload, ready };
}

function isUp({ workload, ready }: Backend): boolean {
  const count = workload?.kind === 'DaemonSet' ? workload.status?.numberReady : workload?.status?.readyReplicas;
  return ready !== undefined || (count ?? 0) > 0;
}

/** ` pod/x is Ready, so …`, to follow the sentence about the call. */
export function backendText(ask: Inquiry, dead: DeadWebhook): string {
  const backend = backendOf(ask, dead.service);
  const failure = failureOf(dead.words);
  if (isUp(backend) && failure === 'timeout')
    return ` ${nameOf(backend)} behind it is Ready, so the API server probably cannot reach it over the network.`;
  if (backend.workload && !isUp(backend)) return ` ${nameOf(backend)} behind it has no Ready pod.`;
  return failure === 'noService' ? ' What the webhook belonged to is probably no longer installed.' : '';
}

function nameOf({ workload, ready }: Backend): string {
  return ready
    ? `pod/${ready.metadata.name}`
    : `${(workload?.kind ?? '').toLowerCase()}/${workload?.metadata.name ?? ''}`;
}

export function backendEvidence(ask: Inquiry, dead: DeadWebhook): Evidence[] {
  const { workload, ready } = backendOf(ask, dead.service);
  const service = dead.configuration?.webhooks?.find(({ name }) => name === dead.name)?.clientConfig?.service;
  return [
    ...(dead.configuration && service
      ? [
          field(
            dead.configuration,
            `webhooks[${dead.name ?? ''}].clientConfig.service`,
            `${service.namespace ?? ''}/${service.name ?? ''}`,
          ),
        ]
      : []),
    ...(ready
      ? [field(ready, 'status.conditions[Ready]', `True${ready.spec?.nodeName ? ` on ${ready.spec.nodeName}` : ''}`)]
      : []),
    ...(workload && !ready && workload.kind !== 'DaemonSet'
      ? [
          field(
            workload,
            'status.readyReplicas',
            `${workload.status?.readyReplicas ?? 0} of ${workload.spec?.replicas ?? 1}`,
          ),
        ]
      : []),
  ];
}

/** Every claim is refused until the webhook answers again, or its configuration lets requests pass. */
export function reviveFixes(c: ClaimCase, unmade: UnmadeClaim, dead: DeadWebhook): Fix[] {
  const pass = dead.configuration ? [letPass(c, unmade, dead, dead.configuration)] : [];
  const failure = failureOf(dead.words);
  const backend = backendOf(c.ask, dead.service);
  if (failure === 'noService') return [removeLeftOver(c, unmade, dead), ...pass];
  if (failure === 'timeout' && dead.service && isUp(backend))
    return [openWay(c, unmade, dead.service, backend), ...pass];
  return [startBackend(c, unmade, dead, backend, failure), ...pass];
}

/** The API server's own proxy goes the way of the webhook call. */
function openWay(c: ClaimCase, unmade: UnmadeClaim, service: WebhookService, backend: Backend): Fix {
  const { namespace, name, port, path } = service;
  const node = backend.ready?.spec?.nodeName;
  const target = backend.workload
    ? `${backend.workload.kind.toLowerCase()}/${backend.workload.metadata.name}`
    : `pod/${backend.ready?.metadata.name ?? ''}`;
  return steps(
    `Open the way from the API server to ${nameOf(backend)}${node === undefined ? '' : ` on ${node}`}: allow the control-plane nodes to reach ` +
      `the target port of service ${namespace}/${name} (port ${port}) in firewalls, security groups, NetworkPolicies and ` +
      'the overlay network. The first line goes the same way: if it times out, too, the way is closed; if anything ' +
      'answers, even with an error code, the way is open and the webhook is slow, which its log shows.' +
      retryText(unmade),
    [
      `kubectl get --raw ${shellWord(`/api/v1/namespaces/${namespace}/services/https:${name}:${port}/proxy${path === '' ? '/' : path}`)} --request-timeout=15s`,
      `kubectl ${inNamespace(namespace)}logs ${shellWord(target)} --since=30m`,
      ...retryCommands(unmade, c.now),
    ],
  );
}

function startBackend(
  c: ClaimCase,
  unmade: UnmadeClaim,
  dead: DeadWebhook,
  { workload }: Backend,
  failure: Failure,
): Fix {
  const { service, label } = dead;
  const place = service ? `service ${service.namespace}/${service.name}` : 'its service';
  const renewal =
    failure === 'certificate'
      ? ' Most webhooks create their certificate when they start; one from cert-manager is renewed there.'
      : '';
  if (workload) {
    const isScaledDown = workload.kind !== 'DaemonSet' && workload.spec?.replicas === 0;
    return steps(
      `${isScaledDown ? 'Scale up' : 'Restart'} ${workload.kind.toLowerCase()}/${workload.metadata.name} in namespace ` +
        `${workload.metadata.namespace ?? ''}, which is behind ${place} of ${label}.${renewal}${retryText(unmade)}`,
      [
        isScaledDown ? kubectl('scale', workload, '--replicas=1') : kubectl('rollout restart', workload),
        ...retryCommands(unmade, c.now),
      ],
      isScaledDown ? 'safe' : 'disruptive',
    );
  }
  const namespace = service?.namespace ?? 'PLACEHOLDER_NAMESPACE';
  return steps(
    `Get the pods behind ${place} of ${label} running: ` +
      'scale their workload up if it shows 0 replicas, otherwise restart it (PLACEHOLDER_WORKLOAD, from the ' +
      `first line).${renewal}${retryText(unmade)}`,
    [
      `kubectl ${inNamespace(namespace)}get deployments,statefulsets,daemonsets,pods -o wide`,
      `kubectl ${inNamespace(namespace)}rollout restart PLACEHOLDER_WORKLOAD`,
      ...retryCommands(unmade, c.now),
    ],
    'disruptive',
  );
}

/** An uninstalled application often leaves its webhook behind. */
function removeLeftOver(c: ClaimCase, unmade: UnmadeClaim, { label, configuration, service, name }: DeadWebhook): Fix {
  const what = service ? `service ${service.namespace}/${service.name}` : 'its service';
  const text =
    `If the application of ${label} was uninstalled, delete the configuration that it left behind: ${what} does not exist. ` +
    `Otherwise install it again.${retryText(unmade)}`;
  if (configuration)
    return steps(
      text,
      [saveCommand(configuration), kubectl('delete', configuration), ...retryCommands(unmade, c.now)],
      'disruptive',
    );
  return steps(
    `${text} PLACEHOLDER_CONFIGURATION (TYPE/NAME) is in the output of the first line.`,
    [
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o ' +
        `custom-columns='TYPE:.kind,NAME:.metadata.name,WEBHOOKS:.webhooks[*].name' | grep -F -- ` +
        `${shellWord(name ?? 'webhook')}`,
      'kubectl delete PLACEHOLDER_CONFIGURATION',
      ...retryCommands(unmade, c.now),
    ],
    'disruptive',
  );
}

/**
 * The list of webhooks has a merge key, but other fields of the entry must stay: changed by position, if it is still
 * the same.
 */
function letPass(c: ClaimCase, unmade: UnmadeClaim, { label, name }: DeadWebhook, configuration: Configuration): Fix {
  const index = (configuration.webhooks ?? []).findIndex((webhook) => webhook.name === name);
  const patch = [
    { op: 'test', path: `/webhooks/${index}/name`, value: name },
    { op: 'add', path: `/webhooks/${index}/failurePolicy`, value: 'Ignore' },
  ];
  return steps(
    `Let requests pass while ${label} cannot be reached, if its owner agrees, and set failurePolicy ` +
      'back to Fail afterwards. What it checks is not enforced in between. The claim is then created at the next try.',
    [
      kubectl('patch', configuration, `--type=json -p ${shellWord(JSON.stringify(patch))}`),
      ...retryCommands(unmade, c.now),
    ],
  );
}
