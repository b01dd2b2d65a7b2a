import type { StorageClass } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { keeperNote } from './managed-by.ts';
import { recreateCommands } from './recreate.ts';
import { steps } from './steps.ts';

/**
 * Provisioner, parameters, binding mode and topologies of a class are immutable (ValidateStorageClassUpdate); volumes
 * created with it do not depend on it any more. `how` completes "Recreate StorageClass "x" …", `change` is a JSON merge
 * patch.
 */
export function recreateClass(c: PresentClaim, how: string, change: object, then = ''): Fix {
  const storageClass: StorageClass = c.storageClassObject ?? { kind: 'StorageClass', metadata: { name: c.class.name } };
  return recreateClassObject(storageClass, how, change, then);
}

export function recreateClassObject(storageClass: StorageClass, how: string, change: object, then = ''): Fix {
  const next = then === '' ? 'Waiting claims are retried automatically within 5 minutes.' : then;
  return steps(
    `Recreate StorageClass "${storageClass.metadata.name}" ${how}: ` +
      'a class cannot be changed in place, and existing volumes do not depend on it. ' +
      `${next}${keeperNote(storageClass)}`,
    recreateCommands(storageClass, change),
  );
}
