import { shellWord } from '../../kube/shell-word.ts';
import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { kubectl } from '../lib/steps.ts';

/** Removes these finalizers and no other; the patch fails if the list has changed meanwhile. */
export function releaseCommand(object: VolumeSnapshot | SnapshotContent, finalizers: readonly string[]): string {
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
