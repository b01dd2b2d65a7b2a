import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { sourceStateTexts } from '../lib/driver-error/senses/missing.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { dataSourceOf } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { useOtherSnapshot } from './other-snapshot.ts';
import type { ProvisionError } from './provision-error.ts';

/** The source of the data is there, and the storage does not copy it in its state. */
export function refusedSource(c: PresentClaim, { text }: ProvisionError): DataSource | undefined {
  return sourceStateTexts.test(text) ? dataSourceOf(c) : undefined;
}

/** It is brought to the state that the storage wants, or another one is taken. */
export function sourceState(c: PresentClaim, error: ProvisionError): Fix[] {
  const source = refusedSource(c, error);
  if (!source) return [];
  const owner = ownerOfStorage(c.storageClassObject?.provisioner) ?? 'your storage team';
  return [
    fix(
      `Ask ${owner} to bring what is behind ${source.kind} "${source.name}" to the state that the error names: on the storage it is in another one, for example still being taken, or failed. The claim is retried automatically within 5 minutes.`,
    ),
    ...(source.kind === 'VolumeSnapshot' ? [useOtherSnapshot(c, source)] : []),
  ];
}
