import type { Fix } from '../../report/report.ts';
import { eventSaid } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { dataSourceOf, snapshotGroup } from './data-source.ts';
import { classText, otherClasses } from './other-class.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { classChange, recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { capabilityMissingText } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * external-provisioner checkDriverCapabilities: it asks the driver for its capabilities at start, and refuses the rest
 * itself.
 */
export const provisionCapabilityMissing = claimRule({
  cause: 'provision-capability-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(c, capabilityMissingText);
    if (!said) return undefined;
    const [, feature = '', capability = ''] = said.match;
    const driver = provisionerOf(c)?.name ?? c.askedProvisioner ?? 'The driver';
    return {
      confidence: 'likely',
      summary: `${driver} does not report capability ${capability}, so the provisioner refuses ${claimText(c)}: it needs ${feature}.`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: advise(c, feature),
    };
  },
});

function advise(c: PresentClaim, feature: string): Fix[] {
  switch (feature) {
    case 'clone operations':
      return [restoreInstead(c), withoutSource(c)];
    case 'snapshot restore':
      return [withoutSource(c)];
    case 'VolumeAttributesClass':
      return [recreateClaim(c, 'without volumeAttributesClassName', { spec: { volumeAttributesClassName: null } })];
    default:
      return [useOtherDriver(c)];
  }
}

/** Drivers that cannot clone often can take snapshots, and restore them. */
function restoreInstead(c: PresentClaim): Fix {
  const source = dataSourceOf(c)?.name ?? 'PLACEHOLDER_SOURCE';
  const snapshot = `${source}-for-${c.name}`.slice(0, 253);
  const manifest = {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshot',
    metadata: { name: snapshot, namespace: c.namespace },
    spec: { source: { persistentVolumeClaimName: source } },
  };
  const change = { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name: snapshot };
  const recreated = recreateClaim(c, '', sourceChange(c, change));
  return steps(
    `If the driver can take snapshots, take one of pvc/${source} and recreate the claim from it instead of ` +
      'cloning. The claim was never bound and holds no data.',
    [applyCommand(manifest), ...(recreated.commands ?? [])],
    recreated.risk,
  );
}

function withoutSource(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    'without the data source',
    sourceChange(c, null),
    'The new volume is empty: copy the data into it from a backup or with a pod.',
  );
}

function useOtherDriver(c: PresentClaim): Fix {
  const own = provisionerOf(c)?.name;
  const [other] = otherClasses(c, ({ provisioner }) => provisioner !== own);
  const name = other?.name ?? 'PLACEHOLDER_CLASS';
  return recreateClaim(
    c,
    other
      ? `with ${classText(other)}, whose driver provisions volumes`
      : 'with a StorageClass whose driver provisions volumes (PLACEHOLDER_CLASS)',
    classChange(c, name),
    'The volumes of this driver have to be created by hand, with a PersistentVolume for each.',
  );
}
