import { shellWord } from '../../kube/shell-word.ts';
import { kubectl } from './steps.ts';
import type { Named } from './steps.ts';

/** An object that finalizers keep. */
interface Kept extends Named {
  readonly metadata: Named['metadata'] & { readonly finalizers?: readonly string[] };
}

/** Removes these finalizers and no other; the patch fails if the list has changed meanwhile. */
export function releaseCommand(object: Kept, finalizers: readonly string[]): string {
  const present = object.metadata.finalizers ?? [];
  const places = finalizers.map((finalizer) => present.indexOf(finalizer)).filter((index) => index >= 0);
  const patch = places
    // From the end, so that the places of the others stay as they are.
    .toSorted((a, b) => b - a)
    .flatMap((index) => {
      const path = `/metadata/finalizers/${index}`;
      return [
        { op: 'test', path, value: present[index] },
        { op: 'remove', path },
      ];
    });
  return kubectl('patch', object, `--type=json -p ${shellWord(JSON.stringify(patch))}`);
}
