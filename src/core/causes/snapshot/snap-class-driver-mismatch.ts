import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { errorEvidence, ruleForBoth } from './snapshot-rule.ts';

/** createSnapshotContent takes the driver from the class and the handle from the volume, and compares neither. */
export const snapClassDriverMismatch = ruleForBoth({
  cause: 'snap-class-driver-mismatch',
  severity: 'blocking',
  explain(s) {
    const mismatch = findMismatch(s);
    if (!mismatch) return undefined;
    const { volume, claimName, classDriver, ownDriver } = mismatch;
    const className = s.className ?? '';
    return {
      about: `${className}/${ownDriver}`,
      summary: `volumesnapshotclass/${className} is for ${classDriver}, and pv/${volume.metadata.name} of claim ${claimName} belongs to ${ownDriver}: only its own driver can take a snapshot of it`,
      evidence: evidenceOf(s, volume),
      fix: [adviceFor(s, mismatch)],
    };
  },
});

interface Mismatch {
  readonly snapshot: VolumeSnapshot;
  readonly volume: Volume;
  readonly claimName: string;
  readonly classDriver: string;
  /** The driver that the volume belongs to. */
  readonly ownDriver: string;
}

function findMismatch(s: SnapshotCase): Mismatch | undefined {
  if (s.isPreProvisioned || s.isGroupMember) return undefined;
  const { driver: classDriver, claim, snapshot } = s;
  if (!classDriver || !claim?.isBound || claim.volume?.state !== 'found' || !snapshot) return undefined;
  const volume = claim.volume.object;
  const { driver: ownDriver, volumeHandle } = volume.spec?.csi ?? {};
  if (!ownDriver || ownDriver === classDriver) return undefined;
  const handle = s.content?.spec?.source?.volumeHandle;
  // Another handle: the claim was recreated after the content.
  if (handle !== undefined && handle !== volumeHandle) return undefined;
  return { snapshot, volume, claimName: claim.name, classDriver, ownDriver };
}

function evidenceOf(s: SnapshotCase, volume: Volume): EvidenceList {
  return [
    s.snapshotClass ? field(s.snapshotClass, 'driver') : field(s.content ?? s.subject, 'spec.driver'),
    field(volume, 'spec.csi.driver'),
    ...(s.error ? [errorEvidence(s.error)] : []),
  ];
}

function adviceFor(s: SnapshotCase, { snapshot, ownDriver }: Mismatch): Fix {
  const classes = s.ask
    .list('VolumeSnapshotClass', undefined, `which snapshot classes ${ownDriver} has`)
    .items.filter(({ driver }) => driver === ownDriver)
    .map(({ metadata }) => metadata.name);
  const { name, namespace } = snapshot.metadata;
  return fix(
    retakeText(classes, ownDriver),
    `kubectl ${inNamespace(namespace)}get volumesnapshot ${shellWord(name)} -o yaml`,
    'disruptive',
  );
}

function retakeText(classes: readonly string[], driver: string): string {
  const [only, ...others] = classes;
  if (only === undefined)
    return `create a snapshot class for ${driver}, then delete this snapshot and take it again: it holds nothing`;
  const which = others.length === 0 ? `class ${only}` : `one of ${classes.join(', ')}`;
  return `delete this snapshot and take it again with ${which}: it holds nothing`;
}
