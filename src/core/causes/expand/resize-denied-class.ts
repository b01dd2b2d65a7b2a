import { compareQuantities } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The API server refuses the larger size at once (admission plugin PersistentVolumeClaimResize) and leaves no trace.
 * Only an applied manifest that asks for more than the claim shows that it was tried.
 */
export const resizeDeniedClass = claimRule({
  cause: 'resize-denied-class',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const wished = findDeniedSize(c);
    if (wished === undefined) return undefined;
    const { name } = c.class;
    return {
      ...(name !== '' && { about: name }),
      summary:
        `The last applied manifest of pvc/${c.name} asks for ${wished}, but the API server kept ` +
        `${c.request ?? 'the old size'}: ${reasonText(c)}.`,
      evidence: evidenceOf(c, wished),
      fix: [adviceFor(c)],
    };
  },
});

function findDeniedSize(c: PresentClaim): string | undefined {
  const wished = sizeInManifest(c.annotation(lastApplied));
  if (!c.isBound || wished === undefined || compareQuantities(wished, c.request) <= 0) return undefined;
  if (c.storageClass?.state === 'unknown' || c.storageClassObject?.allowVolumeExpansion === true) return undefined;
  return wished;
}

function sizeInManifest(manifest: string | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  try {
    const size: unknown = JSON.parse(manifest)?.spec?.resources?.requests?.storage;
    return typeof size === 'string' ? size : undefined;
  } catch {
    return undefined;
  }
}

function reasonText(c: PresentClaim): string {
  const { name } = c.class;
  if (name === '') return 'the claim has no class, and only claims of a class that allows it can grow';
  return c.storageClassObject
    ? `StorageClass "${name}" does not allow volumes to grow`
    : `StorageClass "${name}" does not exist`;
}

function evidenceOf(c: PresentClaim, wished: string): EvidenceList {
  return [
    field(c.claim, `metadata.annotations[${lastApplied}]`, `spec.resources.requests.storage ${wished}`),
    field(c.claim, 'spec.resources.requests.storage'),
    ...(c.storageClassObject ? [field(c.storageClassObject, 'allowVolumeExpansion')] : []),
  ];
}

function adviceFor(c: PresentClaim): Fix {
  const { storageClassObject, class: named, volume } = c;
  if (storageClassObject)
    return steps(
      `Allow growth in the class, if the driver can grow volumes, and apply the manifest again.${keeperNote(storageClassObject)}`,
      [patchCommand(storageClassObject, { allowVolumeExpansion: true })],
    );
  const driver = volume?.state === 'found' ? volume.object.spec?.csi?.driver : undefined;
  if (named.name === '' || driver === undefined)
    return steps('Copy the data into a new, larger claim of a class that allows growth.', [], 'disruptive');
  return steps(
    `Create StorageClass "${named.name}" again with allowVolumeExpansion, then apply the manifest again. ` +
      'Existing volumes do not depend on its parameters; add those that new volumes need.',
    [
      applyCommand({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: named.name },
        provisioner: driver,
        allowVolumeExpansion: true,
      }),
    ],
  );
}
