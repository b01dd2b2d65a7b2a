import type { Fix } from '../../report/report.ts';
import { fix } from '../../facts/evidence.ts';
import type { ProvisionError } from './provision-error.ts';
import { orphanedTexts } from '../lib/driver-error/senses/missing.ts';

/**
 * The provisioner could not delete the volume that it could not use: it stays on the storage side without an object.
 */
export function isOrphaned({ text }: ProvisionError): boolean {
  return orphanedTexts.test(text);
}

export function removeOrphan(error: ProvisionError): Fix[] {
  return isOrphaned(error)
    ? [
        fix(
          'Ask your storage team to delete the volume that was left behind: no PersistentVolume refers to it, and the event names it.',
        ),
      ]
    : [];
}
