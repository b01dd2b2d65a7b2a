import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { Authority, Certificate } from './certificates.ts';

/** An object as the API server speaks of it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: any;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const plurals: Readonly<Record<string, string>> = {
  StorageClass: 'storageclasses',
  ResourceQuota: 'resourcequotas',
  CSIStorageCapacity: 'csistoragecapacities',
  VolumeAttributesClass: 'volumeattributesclasses',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  VolumeSnapshotClass: 'volumesnapshotclasses',
};
const clusterScoped = [
  'Namespace',
  'Node',
  'PersistentVolume',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'VolumeAttachment',
  'VolumeAttributesClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'CustomResourceDefinition',
  'VolumeSnapshotClass',
  'VolumeSnapshotContent',
];

/** The administrator's way in. Errors are thrown with the server's own words. */
export class Api {
  readonly #port: number;
  readonly #agent: Agent;
  readonly #user: string | undefined;

  private constructor(port: number, agent: Agent, user?: string) {
    this.#port = port;
    this.#agent = agent;
    this.#user = user;
  }

  static connect(port: number, authority: Pick<Authority, 'certificate'>, { certificate, key }: Certificate): Api {
    return new Api(
      port,
      new Agent({
        keepAlive: true,
        maxSockets: 16,
        ca: readFileSync(authority.certificate),
        cert: readFileSync(certificate),
        key: readFileSync(key),
      }),
    );
  }

  /** The same way in, with no right but those of this user. */
  as(user: string): Api {
    return new Api(this.#port, this.#agent, user);
  }

  async call(method: string, path: string, body?: unknown, type = 'application/json'): Promise<any> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    // The length must be said: Node sends the body of a DELETE without it, and the server takes it for the next request.
    const headers = {
      accept: 'application/json',
      ...(this.#user !== undefined && { 'impersonate-user': this.#user }),
      ...(payload !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
    };
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: this.#port, method, path, agent: this.#agent, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
          response.on('error', reject);
        },
      );
      sent.setTimeout(30_000, () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
      sent.on('error', reject);
      sent.end(payload);
    });
    if (status >= 400) {
      let message = text;
      try {
        message = (JSON.parse(text) as { message?: string }).message ?? text;
      } catch {
        /* Not JSON: the text is the message. */
      }
      throw new ApiError(status, message);
    }
    return text.startsWith('{') ? JSON.parse(text) : text;
  }

  create<T extends KubernetesObject>(object: T): Promise<T> {
    return this.call(
      'POST',
      collectionOf(object.apiVersion, object.kind, object.metadata.namespace),
      object,
    ) as Promise<T>;
  }

  /** Creates or changes, and owns every field it names. */
  apply(object: KubernetesObject): Promise<KubernetesObject> {
    return this.call(
      'PATCH',
      `${pathTo(object)}?fieldManager=e2e&force=true`,
      object,
      'application/apply-patch+yaml',
    ) as Promise<KubernetesObject>;
  }

  patch(object: KubernetesObject, change: unknown, part = ''): Promise<KubernetesObject> {
    return this.call(
      'PATCH',
      `${pathTo(object)}${part}`,
      change,
      'application/merge-patch+json',
    ) as Promise<KubernetesObject>;
  }

  async get(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    try {
      return (await this.call('GET', pathTo(object))) as KubernetesObject;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async list(apiVersion: string, kind: string, namespace?: string): Promise<readonly KubernetesObject[]> {
    const { items } = (await this.call('GET', collectionOf(apiVersion, kind, namespace))) as {
      items: KubernetesObject[];
    };
    // The items of a list do not say what they are.
    return items.map((item) => ({ ...item, apiVersion, kind }));
  }

  async remove(object: KubernetesObject, graceSeconds?: number): Promise<void> {
    try {
      await this.call('DELETE', pathTo(object), {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function collectionOf(apiVersion: string, kind: string, namespace: string | undefined): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined || clusterScoped.includes(kind) ? '' : `/namespaces/${namespace}`;
  return `${root}${scope}/${plurals[kind] ?? `${kind.toLowerCase()}s`}`;
}

export function pathTo({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): string {
  return `${collectionOf(apiVersion, kind, namespace)}/${name}`;
}
