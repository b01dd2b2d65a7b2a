import type { Fix } from '../../report/report.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { objectRule } from '../lib/rule.ts';
import { dataFirst } from './data-first.ts';
import { stateEvidence } from './failed-volume.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { forgetFix } from './volume-words.ts';
import { noDeletablePluginText } from '../lib/driver-error/sentences/volume-controller.ts';

/**
 * external-provisioner deletes only Released volumes, and the volume controller never changes Failed back (provisioner
 * library shouldDelete).
 */
export const pvFailedCsiNotRetried = objectRule('PersistentVolume', {
  cause: 'pv-failed-csi-not-retried',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (
      status?.phase !== 'Failed' ||
      !spec?.csi ||
      policyOf(v.object) === 'Recycle' ||
      (v.isTerminating && !v.finalizers.includes(provisionerFinalizer))
    )
      return undefined;
    const isUnclaimed = isLeftToPlugins(v);
    return {
      summary:
        `pv/${v.name} is Failed and stays so: ` +
        `${
          isUnclaimed
            ? `without annotation ${provisionedByAnnotation}, which a volume created by hand lacks, Kubernetes ` +
              'looks for a plugin of its own to delete it, and has none'
            : `${spec.csi.driver ?? 'its driver'} deletes only volumes that are Released`
        }.`,
      evidence: [
        ...stateEvidence(v),
        ...(isUnclaimed ? [field(v.object, `metadata.annotations[${provisionedByAnnotation}]`, 'not set')] : []),
      ],
      fix: isUnclaimed ? staticFixes(v) : fixesFor(v),
    };
  },
});

/** pv_controller findDeletablePlugin: only the annotation shows it that an external provisioner deletes the volume. */
function isLeftToPlugins({ object }: VolumeSubject): boolean {
  return (
    noDeletablePluginText.test(object.status?.message ?? '') && !object.metadata.annotations?.[provisionedByAnnotation]
  );
}

/** An imported volume is kept first: its policy was probably not intended. */
function staticFixes(v: VolumeSubject): Fix[] {
  const { driver = 'the driver', volumeHandle = '' } = v.object.spec?.csi ?? {};
  const forget = forgetFix(v, `Remove only the object. Volume "${volumeHandle}" and its data stay in the backend.`);
  if (policyOf(v.object) !== 'Delete' || v.object.spec?.csi?.driver === undefined) return [forget];
  return [
    forget,
    steps(
      `If the data is to be deleted, name ${driver} in the annotation and set the phase back to Released: ` +
        'its provisioner then deletes the volume within 5 minutes.',
      [
        kubectl('annotate', v.object, shellWord(`${provisionedByAnnotation}=${driver}`)),
        kubectl('patch', v.object, `--subresource=status --type=merge -p '{"status":{"phase":"Released"}}'`),
      ],
      'data-loss',
    ),
  ];
}

function fixesFor(v: VolumeSubject): Fix[] {
  const { driver = 'the driver', volumeHandle = '' } = v.object.spec?.csi ?? {};
  const forget = forgetFix(
    v,
    `Remove only the object and keep volume "${volumeHandle}" in the backend. Delete it there by hand when it is no longer needed.`,
  );
  // With Retain the phase does not matter: nothing is to be deleted.
  if (policyOf(v.object) !== 'Delete') return [forget];
  const back = steps(`Set the phase back to Released: ${driver} then deletes the volume within 5 minutes.`, [
    kubectl('patch', v.object, `--subresource=status --type=merge -p '{"status":{"phase":"Released"}}'`),
  ]);
  return [...dataFirst(v.object, [back]), forget];
}
