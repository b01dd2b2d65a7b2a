import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { applyCommand, kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { isAtRisk, retainCommand } from './data-first.ts';
import { waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** `pv/data was deleted 6d ago`, to begin a sentence. */
export function deletedVolumeWords(v: VolumeSubject): string {
  const since = parseTime(v.object.metadata.deletionTimestamp);
  return `pv/${v.name} was deleted${since === undefined ? '' : ` ${ageText(since, v.now)} ago`}`;
}

/**
 * `pv/data was released 30m ago by pvc/data in namespace shop`, to begin a sentence; or that the volume itself was
 * marked for deletion.
 */
export function releasedWords(v: VolumeSubject): string {
  if (v.isTerminating) return deletedVolumeWords(v).replace(' was deleted', ' was marked for deletion');
  const waited = waitedSeconds(v);
  const since = Number.isFinite(waited) ? ` ${ageText(v.now - waited * 1000, v.now)} ago` : '';
  return `pv/${v.name} was released${since}${formerClaimWords(v)}`;
}

function formerClaimWords({ object }: VolumeSubject): string {
  const { namespace, name } = object.spec?.claimRef ?? {};
  return namespace && name ? ` by pvc/${name} in namespace ${namespace}` : '';
}

/** Removes the object and leaves the backend as it is. The file has what is needed to import the volume again. */
export function forgetFix(v: VolumeSubject, text: string): Fix {
  return steps(
    text,
    [
      ...(isAtRisk(v.object) ? [retainCommand(v.name)] : []),
      saveCommand(v.object),
      ...(v.isTerminating ? [] : [kubectl('delete', v.object)]),
    ],
    'disruptive',
  );
}

/** Lets a claim have the volume and its data. `namesake` is a new claim of the old name, where there is one. */
export function reuseFix(v: VolumeSubject, namesake?: PresentClaim): Fix | undefined {
  const { namespace, name } = v.object.spec?.claimRef ?? {};
  if (!namespace || !name) return undefined;
  const isTaken = namesake !== undefined && namesake.volumeName !== '' && namesake.volumeName !== v.name;
  const claimRef = { ...(isTaken && { name: 'PLACEHOLDER_CLAIM' }), uid: null, resourceVersion: null };
  return steps(`${reuseWords(v, { namespace, name }, namesake, isTaken)} It binds within 15 seconds, with the data.`, [
    ...(isAtRisk(v.object) ? [retainCommand(v.name)] : []),
    patchCommand(v.object, { spec: { claimRef } }),
    ...(namesake && !isTaken ? [] : [applyCommand(claimFor(v, namespace, isTaken ? 'PLACEHOLDER_CLAIM' : name))]),
  ]);
}

/** A claim that asks for exactly this volume. */
function claimFor({ object: { metadata, spec } }: VolumeSubject, namespace: string, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {
      accessModes: spec?.accessModes ?? ['ReadWriteOnce'],
      ...(spec?.volumeMode && { volumeMode: spec.volumeMode }),
      storageClassName: spec?.storageClassName ?? '',
      ...(spec?.volumeAttributesClassName && { volumeAttributesClassName: spec.volumeAttributesClassName }),
      resources: { requests: { storage: spec?.capacity?.['storage'] ?? '1Gi' } },
      volumeName: metadata.name,
    },
  };
}

function reuseWords(
  v: VolumeSubject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  namesake: PresentClaim | undefined,
  isTaken: boolean,
): string {
  if (isTaken)
    return (
      `Give the data to another claim: pvc/${name} has pv/${namesake?.volumeName ?? ''} already. ` +
      `PLACEHOLDER_CLAIM is a new claim in namespace ${namespace}; create it with volumeName "${v.name}".`
    );
  return namesake
    ? `Give the volume to the new pvc/${name}, if it may have the old data: remove the uid of the deleted claim.`
    : `Keep the data and use it again: remove the uid of the deleted claim, then create pvc/${name} in ` +
        `namespace ${namespace} with volumeName "${v.name}".`;
}
