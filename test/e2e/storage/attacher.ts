import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import { callCsi, statusText } from './csi-call.ts';
import type { CsiAnswer } from './csi-call.ts';
import { encodeMap, encodeMessage } from './wire.ts';

/**
 * Attaches and detaches as the external-attacher does, which cannot be had from the module proxy: the same finalizers, the same
 * status, the same lease; the calls reach the same driver. Its own text is the driver's, as there.
 */
export class Attacher {
  readonly #api: Api;
  readonly #driver: string;
  readonly #socket: string;
  readonly #log: string;
  readonly #leaseNamespace: string;
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
          if (attachment['spec'].attacher === this.#driver && !this.#ended.signal.aborted)
            await this.#serve(attachment);
        }
      } catch (error) {
        // The API server may be away; the next round tries again.
        appendFileSync(
          this.#log,
          `${new Date().toISOString()} ${error instanceof Error ? error.message : String(error)}\n`,
        );
      }
      await sleep(500, undefined, { signal: this.#ended.signal }).catch(() => {});
    }
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
    if (!finalizers.includes(this.#finalizer))
      await this.#api.patch(attachment, {
        metadata: {
          finalizers: [...finalizers, this.#finalizer],
          annotations: { 'csi.alpha.kubernetes.io/node-id': nodeId },
        },
      });
    const held = (volume.metadata['finalizers'] as string[] | undefined) ?? [];
    if (!held.includes(this.#finalizer))
      await this.#api.patch(volume, { metadata: { finalizers: [...held, this.#finalizer] } });
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
      ...encodeMap(6, volume['spec'].csi.volumeAttributes),
    ]);
    if (answer.code !== 0) return this.#fail(attachment, 'attachError', statusText(answer), answer.code);
    await this.#api.patch(attachment, { status: { attached: true, attachError: null } }, '/status');
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
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    await this.#api.patch(
      attachment,
      { status: { [field]: { message, time: now, ...(code !== undefined && { errorCode: code }) } } },
      '/status',
    );
  }

  #call(method: string, fields: Parameters<typeof encodeMessage>[0]): Promise<CsiAnswer> {
    return callCsi(this.#socket, 'Controller', method, encodeMessage(fields));
  }
}
