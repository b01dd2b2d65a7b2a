import { mergeObjects } from '../../kube/merge-objects.ts';
import { patchJson } from '../../kube/json-patch.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { patchStrategic } from '../../kube/strategic-patch.ts';
import type { KubectlCall } from './kubectl-line.ts';

/** The object after `kubectl patch`; undefined for a patch that cannot be read. */
export function patched(object: RawObject, call: KubectlCall): RawObject | undefined {
  const patch = parseJson(call.flags.get('patch')?.at(-1));
  if (call.flags.get('type')?.at(-1) === 'json') return Array.isArray(patch) ? patchJson(object, patch) : undefined;
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return undefined;
  // kubectl's default is a strategic merge.
  if ((call.flags.get('type')?.at(-1) ?? 'strategic') === 'strategic')
    return patchStrategic(object, patch) as RawObject;
  return mergeInto(object, patch);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

export const mergeInto = (object: RawObject, patch: unknown): RawObject => mergeObjects(object, patch) as RawObject;

export function withoutStatus(object: RawObject): unknown {
  const { status: _status, ...rest } = object;
  return rest;
}

/** `key=value` sets, `key-` removes. */
export function withMembers(object: RawObject, field: 'labels' | 'annotations', words: readonly string[]): RawObject {
  const changes = words.flatMap((word): [string, string | null][] => {
    if (word.includes('=')) return [[word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]];
    return word.endsWith('-') ? [[word.slice(0, -1), null]] : [];
  });
  return mergeInto(object, { metadata: { [field]: Object.fromEntries(changes) } });
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect?: string;
}

/** The node lifecycle controller sets a taint with the cordon, and removes it with it. */
export function withCordon(node: RawObject, isCordoned: boolean): RawObject {
  const changed = mergeInto(node, { spec: { unschedulable: isCordoned || null } });
  return withTaints(changed, [`node.kubernetes.io/unschedulable:NoSchedule${isCordoned ? '' : '-'}`]);
}

/** `key=value:Effect` adds a taint, `key:Effect-` and `key-` remove it. */
export function withTaints(node: RawObject, words: readonly string[]): RawObject {
  const spec = (node['spec'] ?? {}) as { readonly taints?: readonly Taint[] };
  let taints = [...(spec.taints ?? [])];
  for (const word of words.filter((each) => /[=:]|-$/.test(each))) {
    const match = /^([^=:]+?)(?:=([^:]*))?(?::(\w+))?(-)?$/.exec(word);
    if (!match) continue;
    const [, key = '', value, effect, removes] = match;
    taints = taints.filter((taint) => taint.key !== key || (effect !== undefined && taint.effect !== effect));
    if (removes === undefined)
      taints.push({ key, ...(value !== undefined && { value }), ...(effect !== undefined && { effect }) });
  }
  return { ...node, spec: { ...spec, taints } };
}

export function withReadyReplicas(object: RawObject, replicas: number): RawObject {
  return mergeInto(object, { status: { replicas, readyReplicas: replicas, availableReplicas: replicas } });
}
