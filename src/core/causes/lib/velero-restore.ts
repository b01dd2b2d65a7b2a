import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';

export const restoreLabel = 'velero.io/restore-name';

/**
 * Velero keeps a claim from being provisioned or bound by a selector until its data mover has made the volume;
 * undefined for other claims.
 */
export function restoreNameOf(c: PresentClaim): string | undefined {
  const { matchLabels = {}, matchExpressions = [] } = c.claim.spec?.selector ?? {};
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key ?? '')];
  return keys.some((key) => key.startsWith('velero.io/')) ? (c.claim.metadata.labels?.[restoreLabel] ?? '') : undefined;
}

export function finishRestore(restore: string): Fix {
  const selector = restore === '' ? '' : ` -l ${shellWord(`${restoreLabel}=${restore}`)}`;
  return fix(
    `Let the Velero restore${restore === '' ? '' : ` "${restore}"`} finish; do not delete the claim. ` +
      'Velero gives it a volume with these labels once its data is in place. ' +
      'This shows how far the data mover is: if it failed or was cancelled, run the restore again.',
    `kubectl get datadownloads.velero.io -A${selector}`,
  );
}
