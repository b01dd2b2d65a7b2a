import { nearestName } from '../../kube/names.ts';
import type { Evidence } from '../../report/report.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { longestRetrySeconds } from './snapshot-class.ts';
import { errorSaid, ruleForSnapshot } from './snapshot-rule.ts';

/** Within that time a claim that is not bound is only on its way. */
const bindingSeconds = 120;

interface Source {
  readonly snapshot: VolumeSnapshot;
  readonly claim: ClaimCase;
  readonly named: Evidence;
}

/** Once the content is made, the claim does not matter any more: the volume's handle stands in the content. */
function sourceOf(s: SnapshotCase): Source | undefined {
  const { snapshot, claim } = s;
  return snapshot && claim && s.awaitsContent
    ? { snapshot, claim, named: field(snapshot, 'spec.source.persistentVolumeClaimName') }
    : undefined;
}

/** getClaimFromVolumeSnapshot looks in the namespace of the snapshot only. */
export const snapSourcePvcMissing = ruleForSnapshot({
  cause: 'snap-source-pvc-missing',
  severity: 'blocking',
  explain(s) {
    const source = sourceOf(s);
    if (!source || source.claim.lookup.state === 'found') return undefined;
    const { snapshot, claim, named } = source;
    const said = errorSaid(s, /failed to retrieve PVC \S+ from the lister|cannot get claim from snapshot/);
    const isMissing = claim.lookup.state === 'missing';
    if (!isMissing && !said) return undefined;
    const namespace = snapshot.metadata.namespace ?? '';
    const known = isMissing
      ? s.ask.list('PersistentVolumeClaim', namespace, `which claim was meant by ${claim.name}`).items
      : [];
    const near = nearestName(
      claim.name,
      known.map(({ metadata }) => metadata.name),
    );
    const elsewhere = s.ask
      .seen('PersistentVolumeClaim')
      .find(({ metadata }) => metadata.name === claim.name && metadata.namespace !== namespace);
    return {
      confidence: isMissing ? 'certain' : 'likely',
      summary: `claim ${claim.name}, of which volumesnapshot/${snapshot.metadata.name} is to be taken, ${isMissing ? `does not exist in namespace ${namespace}` : 'was not found by the snapshot controller'}${near === undefined ? (elsewhere ? `, but in ${elsewhere.metadata.namespace ?? ''}: a snapshot is taken in its own namespace only` : '') : `; did you mean ${near}?`}`,
      evidence: [
        named,
        ...(isMissing ? [absent('PersistentVolumeClaim', claim.name, namespace)] : []),
        ...(said ? [said.evidence] : []),
      ],
      fix: [
        fix(
          'make the snapshot again with the right claim: its source cannot be changed',
          `kubectl ${inNamespace(namespace)}get pvc`,
          'disruptive',
        ),
      ],
    };
  },
});

/** ensurePVCFinalizer: a claim that is going away takes no new finalizer. */
export const snapSourcePvcDeleting = ruleForSnapshot({
  cause: 'snap-source-pvc-deleting',
  severity: 'blocking',
  explain(s) {
    const source = sourceOf(s);
    const claim = source?.claim.claim;
    const said = errorSaid(s, /cannot add finalizer on claim because it is being deleted/);
    if (source && said && source.claim.lookup.state === 'unknown')
      return unseenClaim(source, 'is being deleted', said.evidence);
    if (
      !source ||
      !claim?.metadata.deletionTimestamp ||
      claim.metadata.finalizers?.includes('snapshot.storage.kubernetes.io/pvc-as-source-protection')
    )
      return undefined;
    const { name, namespace } = source.snapshot.metadata;
    return {
      summary: `claim ${claim.metadata.name}, of which volumesnapshot/${name} is to be taken, is being deleted, and of such a claim no snapshot is taken any more`,
      evidence: [field(claim, 'metadata.deletionTimestamp'), ...(said ? [said.evidence] : [])],
      fix: [
        fix(
          'to save the data, keep the volume: set its policy to Retain before the claim is gone',
          claim.spec?.volumeName
            ? `kubectl patch pv ${shellWord(claim.spec.volumeName)} --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`
            : undefined,
        ),
        fix(
          'if the data is not needed, delete the snapshot: it holds nothing',
          `kubectl ${inNamespace(namespace)}delete volumesnapshot ${shellWord(name)}`,
          'disruptive',
        ),
      ],
    };
  },
});

/** getVolumeFromVolumeSnapshot: Bound, to a volume that exists and names the claim. */
export function explainNotBound(s: SnapshotCase): Explanation | undefined {
  const source = sourceOf(s);
  const claim = source?.claim.claim;
  const said = errorSaid(
    s,
    /the PVC \S+ is not yet bound to a PV|claim in dataSource not bound or invalid|failed to retrieve PV \S+ from the API server/,
  );
  if (source && said && source.claim.lookup.state === 'unknown')
    return unseenClaim(source, 'is not bound', said.evidence);
  if (!source || !claim) return undefined;
  const name = source.snapshot.metadata.name;
  const why = whyUnbound(source.claim);
  if (!why) return said ? mended(s, source, said.evidence) : undefined;
  const isPending = claim.status?.phase === 'Pending';
  const isWait = isPending && source.claim.isDelayed === true && source.claim.isUnused !== undefined;
  return {
    ...((isWait || (isPending && source.claim.ageSeconds < bindingSeconds)) && { severity: 'info' as const }),
    ...(isPending && source.claim.isDelayed === undefined && { confidence: 'likely' as const }),
    about: `pvc/${claim.metadata.namespace ?? ''}/${claim.metadata.name}`,
    summary: `claim ${claim.metadata.name}, of which volumesnapshot/${name} is to be taken, ${why.words}${isWait ? ': its volume is made when the first pod uses it, and the snapshot is taken then' : ''}`,
    evidence: [source.named, ...why.evidence, ...(said ? [said.evidence] : [])],
    fix: [
      fix(
        isWait ? 'start a pod that uses the claim' : 'bind the claim first: the snapshot then goes on by itself',
        `kubectl csi why pvc/${shellWord(claim.metadata.name)} ${inNamespace(claim.metadata.namespace).trim()}`.trim(),
      ),
    ],
  };
}

export const snapSourceNotBound = ruleForSnapshot({
  cause: 'snap-source-not-bound',
  severity: 'blocking',
  explain: explainNotBound,
});

/** Who may not read claims still has the controller's word. */
function unseenClaim({ snapshot, claim, named }: Source, words: string, said: Evidence): Explanation {
  return {
    confidence: 'likely',
    summary: `claim ${claim.name}, of which volumesnapshot/${snapshot.metadata.name} is to be taken, ${words}`,
    evidence: [named, said],
    fix: [
      fix(
        'look at the claim first',
        `kubectl csi why pvc/${shellWord(claim.name)} ${inNamespace(snapshot.metadata.namespace)}`.trim(),
      ),
    ],
  };
}

function whyUnbound(c: ClaimCase): { readonly words: string; readonly evidence: readonly Evidence[] } | undefined {
  const { claim, volume, volumeName } = c;
  if (!claim) return undefined;
  const phase = claim.status?.phase;
  if (phase !== 'Bound')
    return {
      words: phase === 'Lost' ? 'has lost its volume' : 'is not bound',
      evidence: [field(claim, 'status.phase'), ...(phase === 'Lost' ? [field(claim, 'spec.volumeName')] : [])],
    };
  if (volume?.state === 'missing')
    return {
      words: `is bound to pv/${volumeName}, which does not exist`,
      evidence: [field(claim, 'spec.volumeName'), absent('PersistentVolume', volumeName)],
    };
  if (volume?.state !== 'found') return undefined;
  const reference = volume.object.spec?.claimRef;
  const isMutual =
    reference?.name === claim.metadata.name &&
    reference.namespace === claim.metadata.namespace &&
    (!reference.uid || reference.uid === claim.metadata.uid);
  return isMutual
    ? undefined
    : {
        words: `is bound to pv/${volumeName}, which belongs to ${reference?.name ? `another claim (${reference.namespace ?? ''}/${reference.name})` : 'no claim'}`,
        evidence: [field(claim, 'spec.volumeName'), field(volume.object, 'spec.claimRef')],
      };
}

function mended(s: SnapshotCase, { claim, snapshot }: Source, said: Evidence): Explanation | undefined {
  const volume = claim.volume?.state === 'found' ? claim.volume.object : undefined;
  if (!claim.claim || !volume || s.secondsSince(volume.metadata.creationTimestamp) > longestRetrySeconds)
    return undefined;
  return {
    severity: 'info',
    summary: `claim ${claim.name} was not bound when volumesnapshot/${snapshot.metadata.name} was last tried, and is bound now: the controller tries again within five minutes`,
    evidence: [said, field(claim.claim, 'status.phase')],
    fix: [],
  };
}

/** pvDriverFromSnapshot and createSnapshotContent look for spec.csi only; what is translated elsewhere is not here. */
export const snapSourceNotCsi = ruleForSnapshot({
  cause: 'snap-source-not-csi',
  severity: 'blocking',
  explain(s) {
    const source = sourceOf(s);
    if (!source || (source.claim.lookup.state !== 'unknown' && !source.claim.isBound)) return undefined;
    const { snapshot, claim } = source;
    const volume = claim.volume;
    const said = errorSaid(
      s,
      /cannot find CSI PersistentVolumeSource for volume (\S+)|snapshotting non-CSI volumes is not supported/,
    );
    const isProven = volume?.state === 'found' && volume.object.spec !== undefined && !volume.object.spec.csi;
    if (!isProven && ((claim.lookup.state === 'found' && volume?.state !== 'unknown') || !said)) return undefined;
    const volumeName = claim.volumeName || said?.match[1] || '';
    const migratedTo = isProven ? volume.object.metadata.annotations?.['pv.kubernetes.io/migrated-to'] : undefined;
    const type = isProven ? sourceTypeOf(volume.object.spec ?? {}) : undefined;
    return {
      confidence: isProven ? 'certain' : 'likely',
      summary: `${volumeName ? `pv/${volumeName}` : 'the volume'} of claim ${claim.name} is no CSI volume${type === undefined ? '' : ` (${type})`}, and of others no snapshot can be taken${migratedTo === undefined ? '' : `, though ${migratedTo} serves it otherwise`}`,
      evidence: [
        ...(isProven ? [field(volume.object, 'spec.csi')] : []),
        ...(isProven && type !== undefined ? [note(volume.object, `its kind is ${type}`)] : []),
        ...(said ? [said.evidence] : []),
      ] as unknown as Explanation['evidence'],
      fix: [
        fix(
          'save the data by other means (a copy by a pod), or move it to a volume of a CSI class',
          volumeName ? `kubectl get pv ${shellWord(volumeName)} -o yaml` : undefined,
        ),
        ...(migratedTo === undefined
          ? []
          : [
              fix(
                `or make a CSI volume object for the same disk: keep the disk (policy Retain), then make a new pv with csi.driver ${migratedTo} and a claim for it`,
              ),
            ]),
        fix(
          'delete this snapshot: it holds nothing',
          `kubectl ${inNamespace(snapshot.metadata.namespace)}delete volumesnapshot ${shellWord(snapshot.metadata.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});

const sourceTypes = [
  'local',
  'hostPath',
  'nfs',
  'flexVolume',
  'iscsi',
  'rbd',
  'fc',
  'cephfs',
  'glusterfs',
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'azureFile',
  'cinder',
  'vsphereVolume',
  'portworxVolume',
] as const;

function sourceTypeOf(spec: { readonly [field: string]: unknown }): string | undefined {
  return sourceTypes.find((type) => spec[type] !== undefined);
}
