import type { Volume } from '../../kube/kinds.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation, ObjectRule } from '../lib/rule.ts';
import { policyOf } from './reclaim-policy.ts';

/** Created by hand, and still with the policy of volumes that a driver creates. */
export function isStaticDelete(volume: Volume): boolean {
  return (
    policyOf(volume) === 'Delete' &&
    volume.metadata.annotations?.[provisionedByAnnotation] === undefined &&
    volume.metadata.annotations?.['pv.kubernetes.io/migrated-to'] === undefined
  );
}

const provisionersName = /^pvc-|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * The same for a CSI volume that was given the annotation of a provisioner: external-provisioner names its volumes after
 * the uid of the claim, and always records its identity in the attributes.
 */
export function isHandMade(volume: Volume): boolean {
  if (isStaticDelete(volume)) return true;
  const { csi } = volume.spec ?? {};
  return (
    policyOf(volume) === 'Delete' &&
    csi !== undefined &&
    csi.volumeAttributes?.['storage.kubernetes.io/csiProvisionerIdentity'] === undefined &&
    !provisionersName.test(volume.metadata.name)
  );
}

interface StaticVolumePolicy {
  readonly cause: string;
  readonly explain: (volume: Volume) => Explanation | undefined;
}

interface PolicyRules {
  /** In advance: while the volume is in use, or free. */
  readonly ofVolume: ObjectRule<'PersistentVolume'>;
  /** At the last moment: the claim is being deleted, and the volume with it. */
  readonly ofDeletedClaim: ClaimRule;
}

/** The two moments at which a policy that does not fit the volume is reported. */
export function policyRules({ cause, explain }: StaticVolumePolicy): PolicyRules {
  return {
    ofVolume: objectRule('PersistentVolume', {
      cause,
      stage: 'bind',
      severity: 'warning',
      explain: (v) => explain(v.object),
    }),
    ofDeletedClaim: claimRule({
      cause,
      stage: 'delete',
      severity: 'warning',
      explain: (c) => (c.volume?.state === 'found' ? explain(c.volume.object) : undefined),
    }),
  };
}
