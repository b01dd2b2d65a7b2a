import type { Listing } from '../../graph/inquiry.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import { noProvisioner } from '../../facts/class/storage-class.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';

/** The classes that would provision a volume, as a sentence that follows another. */
export function dynamicClassesText(classes: Listing<StorageClass>): string {
  const dynamic = classes.items.filter(({ provisioner }) => provisioner !== noProvisioner);
  if (dynamic.length > 0)
    return (
      ` ${dynamic.length === 1 ? 'The class that provisions is' : 'Classes that provision are'} ` +
      `${nameAll(dynamic.map(({ metadata }) => metadata.name))}.`
    );
  return classes.complete ? ' No class of this cluster provisions volumes.' : '';
}
