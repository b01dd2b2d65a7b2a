import type { LabelSelector, Pod } from '../../../kube/kinds.ts';
import { matchesLabelSelector } from '../../../kube/selectors.ts';

/** Pods that a rule between pods is about, and how many of them each domain holds. */
export interface Crowd {
  readonly id: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector | undefined;
  /** Undefined: every namespace. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly counts: Map<string, number>;
}

export function belongs({ metadata: { namespace = '', labels = {} } }: Pod, { selector, namespaces }: Crowd): boolean {
  return (namespaces === undefined || namespaces.has(namespace)) && matchesLabelSelector(selector, labels);
}

const anywhere = '*';

/** Finds what is about a pod without trying every crowd of the cluster. */
export class ByLabel<T> {
  readonly #members = new Map<string, T[]>();

  /** A pod can belong to the crowd only under one of these keys. */
  static keysOf({ selector, namespaces }: Pick<Crowd, 'selector' | 'namespaces'>): readonly string[] {
    const [label] = Object.entries(selector?.matchLabels ?? {});
    return label && namespaces
      ? [...namespaces].map((namespace) => `${namespace}|${label[0]}=${label[1]}`)
      : [anywhere];
  }

  add(keys: readonly string[], member: T): void {
    for (const key of keys) {
      const members = this.#members.get(key);
      if (members) members.push(member);
      else this.#members.set(key, [member]);
    }
  }

  under(keys: readonly string[]): readonly T[] {
    return keys.flatMap((key) => this.#members.get(key) ?? []);
  }

  around({ metadata: { namespace = '', labels = {} } }: Pod): readonly T[] {
    return this.under([anywhere, ...labelKeys(namespace, labels)]);
  }
}

export function labelKeys(namespace: string, labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([key, value]) => `${namespace}|${key}=${value}`);
}
