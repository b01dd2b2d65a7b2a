import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { applyCommand, createCommand, kubectl, saveCommand, steps } from './steps.ts';

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

/**
 * Velero's data mover makes the volume while the claim waits, and a class that does not wait lets the provisioner refuse
 * the claim first. With a class of the same provisioner that waits for the pod, the next restore avoids that.
 */
export function restoreIntoWaitingClass(c: PresentClaim): Fix[] {
  const own = c.storageClassObject;
  if (!own || own.volumeBindingMode === 'WaitForFirstConsumer') return [];
  const waiting = c.ask
    .seen('StorageClass')
    .filter(
      ({ provisioner, volumeBindingMode }) =>
        provisioner === own.provisioner && volumeBindingMode === 'WaitForFirstConsumer',
    );
  const other =
    waiting.find(({ metadata }) => metadata.name.startsWith(own.metadata.name)) ??
    (waiting.length === 1 ? waiting[0] : undefined);
  if (!other) return [];
  const backup = c.claim.metadata.labels?.['velero.io/backup-name'] ?? 'PLACEHOLDER_BACKUP';
  const mapping = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'change-storage-class-config',
      namespace: 'velero',
      labels: { 'velero.io/plugin-config': '', 'velero.io/change-storage-class': 'RestoreItemAction' },
    },
    data: { [own.metadata.name]: other.metadata.name },
  };
  const note = backup === 'PLACEHOLDER_BACKUP' ? ' (PLACEHOLDER_BACKUP is its backup)' : '';
  return [
    steps(
      `If that restore has failed for good, run it again${note} with "${own.metadata.name}" mapped to StorageClass ` +
        `"${other.metadata.name}" of the same provisioner, which waits for the pod: with "${own.metadata.name}" ` +
        '(Immediate) the provisioner tries the claim before the data mover has made its volume. The pods and the ' +
        'claim of the failed restore have to be deleted first; this claim was never bound, so it holds no data.',
      [
        applyCommand(mapping),
        saveCommand(c.claim),
        kubectl('delete', c.claim),
        createCommand({
          apiVersion: 'velero.io/v1',
          kind: 'Restore',
          metadata: { name: `${c.claim.metadata.labels?.[restoreLabel] ?? backup}-again`, namespace: 'velero' },
          spec: { backupName: backup, includedNamespaces: [c.namespace] },
        }),
      ],
      'disruptive',
    ),
  ];
}
