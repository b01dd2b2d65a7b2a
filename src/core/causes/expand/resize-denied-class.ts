import { compareQuantities } from '../../kube/quantity.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The API refuses the bigger size at once (admission PersistentVolumeClaimResize), and leaves nothing behind. Only a
 * manifest that was applied and asks for more than the claim tells of the wish.
 */
export const resizeDeniedClass = claimRule({
  cause: 'resize-denied-class',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const wished = sizeIn(c.annotation(lastApplied));
    if (!c.isBound || wished === undefined || compareQuantities(wished, c.request) <= 0) return undefined;
    const storageClass = c.storageClassObject;
    if (c.storageClass?.state === 'unknown' || storageClass?.allowVolumeExpansion === true) return undefined;
    const { name } = c.class;
    const why =
      name === ''
        ? 'the claim has no class'
        : storageClass
          ? `class ${name} does not allow it`
          : `class ${name} does not exist`;
    return {
      ...(name !== '' && { about: name }),
      summary: `a manifest asks for ${wished}, the claim asks for ${c.request ?? 'less'}, and it may not grow: ${why}`,
      evidence: [
        field(c.claim, `metadata.annotations[${lastApplied}]`, `spec.resources.requests.storage ${wished}`),
        field(c.claim, 'spec.resources.requests.storage'),
        ...(storageClass ? [field(storageClass, 'allowVolumeExpansion')] : []),
      ],
      fix: storageClass
        ? [
            fix(
              'allow it in the class, if the driver can grow volumes, and apply the manifest again',
              `kubectl patch storageclass ${shellWord(name)} --type=merge -p '{"allowVolumeExpansion":true}'`,
            ),
          ]
        : [
            fix(
              'only a claim of an existing class that allows it can grow: copy the data into a new claim',
              'kubectl get storageclass',
            ),
          ],
    };
  },
});

function sizeIn(manifest: string | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  try {
    const parsed = JSON.parse(manifest) as { spec?: { resources?: { requests?: { storage?: unknown } } } } | null;
    const size = parsed?.spec?.resources?.requests?.storage;
    return typeof size === 'string' ? size : undefined;
  } catch {
    return undefined;
  }
}
