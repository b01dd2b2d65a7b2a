import { shellWord } from '../../kube/shell-word.ts';
import { fileOf, kubectl, saveCommand } from './steps.ts';
import type { Named } from './steps.ts';

interface Recreated extends Named {
  readonly metadata: Named['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
}

/** Written by controllers while they bind and place a claim: on a new claim they would be false. */
const bindingAnnotation =
  /^(?:pv\.kubernetes\.io|volume\.kubernetes\.io|volume\.beta\.kubernetes\.io)\/(?!storage-class$)/;

/**
 * Save, delete, and create again with a change: the way to change what is immutable. The file keeps the original. The
 * patch is a JSON merge patch of the saved object: null removes a field.
 */
export function recreateCommands(object: Recreated, change: object): [string, string, string] {
  const bound = Object.keys(object.metadata.annotations ?? {}).filter((name) => bindingAnnotation.test(name));
  const clean = {
    metadata: {
      uid: null,
      resourceVersion: null,
      creationTimestamp: null,
      ...(bound.length > 0 && { annotations: Object.fromEntries(bound.map((name) => [name, null])) }),
    },
    status: null,
  };
  const patch = JSON.stringify(mergePatches(clean, change));
  return [
    saveCommand(object),
    kubectl('delete', object),
    `kubectl patch --local -f ${shellWord(fileOf(object))} --type=merge -p ${shellWord(patch)} -o yaml | kubectl create -f -`,
  ];
}

/** Two merge patches as one; unlike merging into an object, null stays. */
function mergePatches(one: object, other: object): object {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = result[key];
    result[key] = isObject(known) && isObject(value) ? mergePatches(known, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
