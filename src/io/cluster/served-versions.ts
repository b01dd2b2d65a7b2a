import { resourceOf } from '../../core/kube/resources.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import { Discovery, isAboutObject, isStatus } from './absence.ts';
import type { JsonAnswer } from './answers.ts';
import type { ApiClient } from './api-client.ts';
import type { Refusal } from './reader.ts';

/** The API versions in which a server serves the kinds, learned from its answers. */
export class ServedVersions {
  readonly #versions = new Map<Kind, string>();
  readonly #discovery: Discovery;

  constructor(client: ApiClient) {
    this.#discovery = new Discovery(client);
  }

  /** The version that the server is known to serve, or else the preferred one. */
  versionOf(kind: Kind): string {
    return this.#versions.get(kind) ?? (resourceOf(kind).versions[0] as string);
  }

  /** The same with the group, as objects have it. */
  apiVersion(kind: Kind): string {
    const { group } = resourceOf(kind);
    return group === '' ? this.versionOf(kind) : `${group}/${this.versionOf(kind)}`;
  }

  /**
   * Requests the version that the server is known to serve, or one version after the other until it knows the kind. A
   * 404 that names the object means that the object is missing; any other may mean that the kind is, but only of a kind
   * that some servers lack.
   */
  async request(
    kind: Kind,
    ask: (version: string) => Promise<JsonAnswer | Refusal>,
    object?: string,
  ): Promise<JsonAnswer | Refusal> {
    const known = this.#versions.get(kind);
    const { versions, isOptional, isRare, group, name } = resourceOf(kind);
    if (isRare && known === undefined && (await this.#discovery.lacksGroup(group)))
      return { state: 'absentApi', message: `the server does not know ${name}` };
    let isProven = isOptional === true;
    // After an upgrade the server may no longer serve the version that it served before.
    for (const version of known === undefined ? versions : [known, ...versions.filter((other) => other !== known)]) {
      const answer = await ask(version);
      if ('state' in answer) return answer;
      if (answer.status === 403) return { state: 'denied', message: answer.message };
      if (answer.status !== 404) {
        if (answer.status === 200) this.#versions.set(kind, version);
        return answer.status === 200 || answer.status === 410 ? answer : { state: 'failed', message: answer.message };
      }
      if (object !== undefined && isAboutObject(answer.body, name, object)) {
        this.#versions.set(kind, version);
        return answer;
      }
      isProven &&= isStatus(answer.body, 404) || answer.page === 'proven' || answer.page === 'plain';
      if (isProven && answer.page === 'plain') isProven = await this.#discovery.lacks(kind, version);
      if (!isProven) break;
    }
    if (isProven) return { state: 'absentApi', message: `the server does not know ${name}` };
    return {
      state: 'failed',
      message:
        `the server answered with status 404 for ${name}, which does not prove that there are none: ` +
        'check the address, its path, and any proxy in front of the API server',
    };
  }
}
