import { randomBytes } from 'node:crypto';
import type { RawObject } from '../core/kube/snapshot.ts';
import { listAt, numberAt, textAt } from './fields.ts';
import { checkPodSecurity, expiredPod } from './pod-rules.ts';
import type { KindRegistry } from './served-kinds.ts';
import { alreadyExists, ApiFailure, badRequest, notFound } from './status.ts';
import type { Store } from './store.ts';

/** Pods that a client creates: scheduled, started and ended as scheduler and kubelet would, only faster. */
export class PodLife {
  readonly #store: Store;
  readonly #kinds: KindRegistry;
  readonly #now: () => number;
  readonly #stepMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Each step of a pod's life takes `stepMs`. */
  constructor(store: Store, kinds: KindRegistry, now: () => number, stepMs: number) {
    this.#store = store;
    this.#kinds = kinds;
    this.#now = now;
    this.#stepMs = stepMs;
  }

  create(namespace: string, body: Buffer, isDryRun: boolean): RawObject {
    const pod = readPod(body, namespace);
    if (
      this.#store.find('Namespace', undefined, namespace) === undefined &&
      this.#store.list(this.#kind('Namespace'), undefined).length > 0
    )
      throw notFound(this.#kind('Namespace'), namespace);
    checkPodSecurity(pod, this.#store.find('Namespace', undefined, namespace));
    if (this.#store.find('Pod', namespace, pod.metadata.name) !== undefined)
      throw alreadyExists(this.#kind('Pod'), pod.metadata.name);
    if (isDryRun) return pod;
    const stored = this.#store.apply({ ...pod, status: { phase: 'Pending', qosClass: 'BestEffort' } });
    this.#later(stored, this.#stepMs, (current) => this.#schedule(current));
    return stored;
  }

  /** The pod as it was last; it is gone a moment later, or at once without a period of grace. */
  remove(namespace: string, name: string, graceSeconds: number | undefined): RawObject {
    const pod = this.#store.find('Pod', namespace, name);
    if (pod === undefined) throw notFound(this.#kind('Pod'), name);
    const grace = graceSeconds ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds');
    const ending = this.#store.apply({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: this.#timestamp(), deletionGracePeriodSeconds: grace },
    });
    if (grace === 0) this.#store.remove('Pod', namespace, name);
    else this.#later(ending, this.#stepMs, () => this.#store.remove('Pod', namespace, name));
    return ending;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #schedule(pod: RawObject): void {
    const nodes = this.#store.list(this.#kind('Node'), undefined).map((entry) => entry.object.metadata.name);
    const wanted = wantedNode(pod);
    const node = wanted === undefined ? nodes[0] : nodes.find((name) => name === wanted);
    if (node === undefined) {
      const message =
        `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't match Pod's node ` +
        `affinity/selector. preemption: 0/${nodes.length} nodes are available: ` +
        `${nodes.length} Preemption is not helpful for scheduling.`;
      this.#store.apply({
        ...pod,
        status: {
          phase: 'Pending',
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message,
              lastTransitionTime: this.#timestamp(),
            },
          ],
        },
      });
      return;
    }
    const placed = this.#store.apply({
      ...pod,
      spec: { ...(pod['spec'] as object), nodeName: node },
      status: { phase: 'Pending', conditions: [this.#condition('PodScheduled')] },
    });
    this.#later(placed, this.#stepMs, (current) => this.#start(current));
  }

  #start(pod: RawObject): void {
    const started = this.#timestamp();
    const containerStatuses = listAt(pod, 'spec', 'containers').map((container) => ({
      name: textAt(container, 'name'),
      image: textAt(container, 'image'),
      ready: true,
      started: true,
      restartCount: 0,
      lastState: {},
      state: { running: { startedAt: started } },
    }));
    const podIP = `10.9.${randomBytes(2).join('.')}`;
    const running = this.#store.apply({
      ...pod,
      status: {
        phase: 'Running',
        startTime: started,
        podIP,
        podIPs: [{ ip: podIP }],
        conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => this.#condition(type)),
        containerStatuses,
      },
    });
    const deadline = numberAt(running, 'spec', 'activeDeadlineSeconds');
    if (deadline > 0) this.#later(running, deadline * 1000, (current) => this.#store.apply(expiredPod(current)));
  }

  /** Only if the pod is still the same one, and is not being deleted by another request. */
  #later(pod: RawObject, milliseconds: number, act: (current: RawObject) => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const current = this.#store.find('Pod', pod.metadata.namespace, pod.metadata.name);
      if (current?.metadata.uid !== pod.metadata.uid || current === undefined) return;
      if (current.metadata['deletionTimestamp'] === pod.metadata['deletionTimestamp']) act(current);
    }, milliseconds).unref();
    this.#timers.add(timer);
  }

  #kind(kind: string): ReturnType<KindRegistry['of']> {
    return this.#kinds.of({ apiVersion: 'v1', kind, metadata: { name: '' } });
  }

  #condition(type: string): Record<string, unknown> {
    return { type, status: 'True', lastProbeTime: null, lastTransitionTime: this.#timestamp() };
  }

  #timestamp(): string {
    return new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}

function readPod(body: Buffer, namespace: string): RawObject {
  let pod: unknown;
  try {
    pod = JSON.parse(body.toString());
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${error instanceof Error ? error.message : 'not JSON'}`);
  }
  if (textAt(pod, 'kind') !== 'Pod' || textAt(pod, 'apiVersion') !== 'v1')
    throw badRequest('the object provided is not a v1 Pod');
  const given = textAt(pod, 'metadata', 'namespace');
  if (given !== '' && given !== namespace)
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  const prefix = textAt(pod, 'metadata', 'generateName');
  const name =
    textAt(pod, 'metadata', 'name') || (prefix === '' ? '' : prefix + randomBytes(3).toString('hex').slice(0, 5));
  if (name === '' || listAt(pod, 'spec', 'containers').length === 0) {
    const cause =
      name === ''
        ? 'metadata.name: Required value: name or generateName is required'
        : 'spec.containers: Required value';
    throw new ApiFailure(422, 'Invalid', `Pod "${name}" is invalid: ${cause}`, { details: { name, kind: 'Pod' } });
  }
  const whole = pod as RawObject;
  return {
    ...whole,
    metadata: { ...whole.metadata, name, namespace },
    spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, ...(whole['spec'] as object) },
  };
}

/** By name, or tied to it as the pods of a DaemonSet are. */
function wantedNode(pod: RawObject): string | undefined {
  const named = textAt(pod, 'spec', 'nodeName');
  if (named !== '') return named;
  const terms = listAt(
    pod,
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  const fields = terms
    .flatMap((term) => listAt(term, 'matchFields'))
    .find((field) => textAt(field, 'key') === 'metadata.name');
  const byField = textAt(fields, 'values', 0);
  if (byField !== '') return byField;
  const host = textAt(pod, 'spec', 'nodeSelector', 'kubernetes.io/hostname');
  return host === '' ? undefined : host;
}
