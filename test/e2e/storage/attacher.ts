import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import { callCsi, statusText } from './csi-call.ts';
import type { CsiAnswer } from './csi-call.ts';
import { encodeMap, encodeMessage } from './wire.ts';

/**
 * Attaches and detaches as the external-attacher does, which cannot be had from the module proxy: the same finalizers, the same
 * status, the same lease; the calls reach the same driver. The words are those that version 4.12.0 was heard to say: the driver's own
 * for what the driver refuses, and its own for a volume that is being deleted, a secret, a finalizer and a driver that does not answer.
 * After a failure it waits for a second, then twice as long each time, up to five minutes (--retry-interval-start, --retry-interval-max).
 */
export class Attacher {
  readonly #api: Api;
  readonly #driver: string;
  readonly #socket: string;
  readonly #log: string;
  readonly #leaseNamespace: string;
  /** When a call that failed is tried again, by attachment and direction. */
  readonly #pauses = new Map<string, { readonly until: number; readonly pause: number }>();
  readonly #ended = new AbortController();
  readonly #finished: Promise<void>;

  constructor(api: Api, driver: string, socket: string, log: string, leaseNamespace = 'kube-system') {
    this.#leaseNamespace = leaseNamespace;
    this.#log = log;
    this.#api = api;
    this.#driver = driver;
    this.#socket = socket;
    this.#finished = this.#run();
  }

  /** It falls silent as a process that was killed: its lease keeps the holder and grows old. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#finished;
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        await this.#renewLease();
        for (const attachment of await this.#api.list('storage.k8s.io/v1', 'VolumeAttachment')) {
          if (
            attachment['spec'].attacher === this.#driver &&
            !this.#ended.signal.aborted &&
            !this.#pausesFor(attachment)
          )
            // Without the right to patch it, an attachment stays without finalizer, status and error, and the next one is served.
            await this.#serve(attachment).catch((error: unknown) => {
              this.#pause(attachment);
              this.#note(error);
            });
        }
      } catch (error) {
        // The API server may be away; the next round tries again.
        this.#note(error);
      }
      await sleep(500, undefined, { signal: this.#ended.signal }).catch(() => {});
    }
  }

  #note(error: unknown): void {
    appendFileSync(this.#log, `${new Date().toISOString()} ${wordsOf(error)}\n`);
  }

  #pausesFor(attachment: KubernetesObject): boolean {
    return (this.#pauses.get(workOf(attachment))?.until ?? 0) > Date.now();
  }

  #pause(attachment: KubernetesObject): void {
    const work = workOf(attachment);
    const pause = Math.min(longestPauseMs, (this.#pauses.get(work)?.pause ?? 500) * 2);
    this.#pauses.set(work, { until: Date.now() + pause, pause });
  }

  get #finalizer(): string {
    return `external-attacher/${this.#driver.replaceAll('.', '-')}`;
  }

  async #renewLease(): Promise<void> {
    const now = new Date().toISOString().replace('Z', '000Z');
    await this.#api.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: `external-attacher-leader-${this.#driver.replaceAll('.', '-')}`,
        namespace: this.#leaseNamespace,
      },
      spec: { holderIdentity: 'control-plane', leaseDurationSeconds: 6, renewTime: now },
    });
  }

  async #serve(attachment: KubernetesObject): Promise<void> {
    const finalizers = (attachment.metadata['finalizers'] as string[] | undefined) ?? [];
    const leaving = attachment.metadata['deletionTimestamp'] !== undefined;
    if (leaving ? !finalizers.includes(this.#finalizer) : attachment['status']?.attached === true) return;
    const volume = await this.#api.get({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: attachment['spec'].source.persistentVolumeName },
    });
    const csiNode = await this.#api.get({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: attachment['spec'].nodeName },
    });
    const node = (csiNode?.['spec'].drivers as { name: string; nodeID: string }[] | undefined)?.find(
      ({ name }) => name === this.#driver,
    );
    const nodeId =
      node?.nodeID ??
      (attachment.metadata['annotations'] as Record<string, string> | undefined)?.['csi.alpha.kubernetes.io/node-id'];
    if (leaving) return this.#detach(attachment, finalizers, volume, nodeId);
    if (volume === undefined || nodeId === undefined)
      return this.#fail(
        attachment,
        'attachError',
        volume === undefined
          ? 'could not find the volume'
          : `CSINode ${attachment['spec'].nodeName} does not contain driver ${this.#driver}`,
      );
    // As much as possible is done before the attachment gets its finalizer, which would block its deletion.
    const refusal = await this.#prepare(volume);
    if (typeof refusal === 'string') return this.#fail(attachment, 'attachError', refusal);
    if (!finalizers.includes(this.#finalizer))
      await this.#api.patch(attachment, {
        metadata: {
          finalizers: [...finalizers, this.#finalizer],
          annotations: { 'csi.alpha.kubernetes.io/node-id': nodeId },
        },
      });
    const answer = await this.#call('ControllerPublishVolume', [
      [1, volume['spec'].csi.volumeHandle],
      [2, nodeId],
      [
        3,
        encodeMessage([
          [2, encodeMessage([[1, volume['spec'].csi.fsType]])],
          [3, encodeMessage([[1, 1]])],
        ]),
      ],
      ...encodeMap(5, refusal.secrets),
      ...encodeMap(6, volume['spec'].csi.volumeAttributes),
    ]);
    if (answer.code !== 0) return this.#fail(attachment, 'attachError', statusText(answer), answer.code);
    await this.#api.patch(attachment, { status: { attached: true, attachError: null } }, '/status');
    this.#pauses.delete(workOf(attachment));
  }

  /** The volume's own finalizer and its secret; a text is what the attacher says where it cannot go on. */
  async #prepare(volume: KubernetesObject): Promise<string | { readonly secrets: Record<string, string> }> {
    const { name } = volume.metadata;
    if (volume.metadata['deletionTimestamp'] !== undefined) return `PersistentVolume "${name}" is marked for deletion`;
    const held = (volume.metadata['finalizers'] as string[] | undefined) ?? [];
    if (!held.includes(this.#finalizer))
      try {
        await this.#api.patch(volume, { metadata: { finalizers: [...held, this.#finalizer] } });
      } catch (error) {
        return `could not add PersistentVolume finalizer: ${wordsOf(error)}`;
      }
    const reference = volume['spec'].csi.controllerPublishSecretRef as SecretReference | undefined;
    if (reference === undefined) return { secrets: {} };
    const place = `"${reference.namespace}/${reference.name}"`;
    try {
      const secret = await this.#api.get({ apiVersion: 'v1', kind: 'Secret', metadata: { ...reference } });
      if (secret === undefined) return `failed to load secret ${place}: secrets "${reference.name}" not found`;
      const data = (secret['data'] as Record<string, string> | undefined) ?? {};
      const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
      return { secrets: Object.fromEntries(decoded) as Record<string, string> };
    } catch (error) {
      return `failed to load secret ${place}: ${wordsOf(error)}`;
    }
  }

  async #detach(
    attachment: KubernetesObject,
    finalizers: readonly string[],
    volume: KubernetesObject | undefined,
    nodeId: string | undefined,
  ): Promise<void> {
    if (volume !== undefined && nodeId !== undefined) {
      const answer = await this.#call('ControllerUnpublishVolume', [
        [1, volume['spec'].csi.volumeHandle],
        [2, nodeId],
      ]);
      if (answer.code !== 0 && answer.code !== 5)
        return this.#fail(attachment, 'detachError', statusText(answer), answer.code);
      const others = (await this.#api.list('storage.k8s.io/v1', 'VolumeAttachment')).filter(
        (other) =>
          other['spec'].source.persistentVolumeName === volume.metadata.name &&
          other.metadata.uid !== attachment.metadata.uid,
      );
      if (others.length === 0)
        await this.#api.patch(volume, {
          metadata: {
            finalizers: ((volume.metadata['finalizers'] as string[] | undefined) ?? []).filter(
              (entry) => entry !== this.#finalizer,
            ),
          },
        });
    }
    await this.#api.patch(attachment, { status: { attached: false, detachError: null } }, '/status');
    await this.#api.patch(attachment, {
      metadata: { finalizers: finalizers.filter((entry) => entry !== this.#finalizer) },
    });
  }

  async #fail(
    attachment: KubernetesObject,
    field: 'attachError' | 'detachError',
    message: string,
    code?: number,
  ): Promise<void> {
    this.#pause(attachment);
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    await this.#api.patch(
      attachment,
      { status: { [field]: { message, time: now, ...(code !== undefined && { errorCode: code }) } } },
      '/status',
    );
  }

  /** A driver that is frozen or gone answers nothing within --timeout (15s by default): both end the same way. */
  async #call(method: string, fields: Parameters<typeof encodeMessage>[0]): Promise<CsiAnswer> {
    const end = Date.now() + callTimeoutMs;
    for (;;) {
      const answer = await callCsi(this.#socket, 'Controller', method, encodeMessage(fields), end - Date.now());
      if (answer.connected) return answer;
      if (Date.now() + 1000 >= end || this.#ended.signal.aborted)
        return { ...answer, code: 4, message: 'context deadline exceeded' };
      await sleep(1000);
    }
  }
}

interface SecretReference {
  readonly namespace: string;
  readonly name: string;
}

const callTimeoutMs = 15_000;
const longestPauseMs = 300_000;

/** A deletion is new work, whatever the attaching waits for. */
function workOf({ metadata }: KubernetesObject): string {
  return `${metadata.uid} ${metadata['deletionTimestamp'] === undefined ? 'attach' : 'detach'}`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
