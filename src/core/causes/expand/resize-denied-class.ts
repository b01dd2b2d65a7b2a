import { compareQuantities } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The API server refuses the larger size at once (admission plugin PersistentVolumeClaimResize) and leaves no trace. Only
 * an applied manifest that asks for more than the claim shows that it was tried.
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
      summary: `a manifest asks for ${wished}, the claim asks for ${c.request ?? 'less'}, and it may not grow: ${reasonText(c)}`,
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
  if (name === '') return 'the claim has no class';
  return c.storageClassObject ? `class ${name} does not allow it` : `class ${name} does not exist`;
}

function evidenceOf(c: PresentClaim, wished: string): EvidenceList {
  return [
    field(c.claim, `metadata.annotations[${lastApplied}]`, `spec.resources.requests.storage ${wished}`),
    field(c.claim, 'spec.resources.requests.storage'),
    ...(c.storageClassObject ? [field(c.storageClassObject, 'allowVolumeExpansion')] : []),
  ];
}

function adviceFor(c: PresentClaim): Fix {
  if (!c.storageClassObject)
    return fix(
      'only a claim of an existing class that allows it can grow: copy the data into a new claim',
      'kubectl get storageclass',
    );
  return fix(
    'allow it in the class, if the driver can grow volumes, and apply the manifest again',
    `kubectl patch storageclass ${shellWord(c.class.name)} --type=merge -p '{"allowVolumeExpansion":true}'`,
  );
}
