import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Claim, ObjectOf, Reference } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { nameSome } from './claim-holders.ts';
import { cloningProtection, deletionEvidence, removeFinalizerFix, snapshotSourceProtection } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import { secondsSinceDeletion } from './pvc-terminating-pods.ts';

const actSeconds = 60;

function isHeldBy(c: PresentClaim, finalizer: string): boolean {
  return c.claim.metadata.deletionTimestamp !== undefined && (c.claim.metadata.finalizers ?? []).includes(finalizer);
}

/** external-provisioner clone_controller: the finalizer goes when no Pending claim in the namespace copies this one. */
export const pvcTerminatingCloneSource = claimRule({
  cause: 'pvc-terminating-clone-source',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isHeldBy(c, cloningProtection)) return undefined;
    const { items, complete } = c.ask.list(
      'PersistentVolumeClaim',
      c.namespace,
      `which claims are clones of pvc/${c.name}`,
    );
    const elsewhere = c.ask.seen('PersistentVolumeClaim').filter((claim) => claim.metadata.namespace !== c.namespace);
    const clones = [...items, ...elsewhere].filter((claim) => claim.status?.phase === 'Pending' && copies(claim, c));
    if (clones.length > 0) return explainClones(c, clones);
    return complete && secondsSinceDeletion(c) >= actSeconds ? explainProvisioner(c) : undefined;
  },
});

function copies(claim: Claim, source: PresentClaim): boolean {
  const isSource = (reference: Reference | undefined): boolean =>
    reference?.kind === 'PersistentVolumeClaim' &&
    reference.name === source.name &&
    (reference.namespace || claim.metadata.namespace) === source.namespace;
  return (
    claim.metadata.uid !== source.claim.metadata.uid &&
    (isSource(claim.spec?.dataSource) || isSource(claim.spec?.dataSourceRef))
  );
}

function explainClones(c: PresentClaim, clones: readonly Claim[]): Explanation {
  const [first] = clones;
  const { namespace, name = '' } = first?.metadata ?? {};
  return {
    summary: `pvc/${c.name} is being deleted and is still being copied: ${nameSome(clones.map(({ metadata }) => `pvc/${metadata.name}`))} ${clones.length === 1 ? 'is a clone of it and is' : 'are clones of it and are'} not bound yet`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...clones.slice(0, 3).map((claim) => field(claim, 'status.phase')),
      ...clones.slice(0, 3).map((claim) => field(claim, 'spec.dataSource.name', c.name)),
    ],
    fix: [
      fix(
        'see why the clone is not finished: the claim goes by itself after it',
        `kubectl csi why-pending pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim(),
      ),
      fix(
        'or delete the clone, if nobody needs it',
        `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`,
        'disruptive',
      ),
    ],
  };
}

function explainProvisioner(c: PresentClaim): Explanation {
  const driver =
    (c.volume?.state === 'found' ? c.volume.object.spec?.csi?.driver : undefined) ??
    c.provisioner ??
    c.askedProvisioner;
  const controller = driver === undefined ? undefined : findController(c.ask, driver, 'provisioner');
  const trouble = controller && troubleOf(controller, c.now);
  return {
    confidence: trouble?.confidence ?? 'likely',
    ...(trouble && driver && { about: driver }),
    summary: `pvc/${c.name} is being deleted and no clone of it is open any more, ${trouble ? `but the provisioner of ${driver ?? ''} ${trouble.words}, so nobody takes the finalizer off` : `yet the provisioner${driver ? ` of ${driver}` : ''} has not taken its finalizer off: it may run without the right to clone`}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'no Pending claim is a clone of it'),
      ...(trouble?.evidence ?? []),
    ],
    fix: [
      ...(trouble?.fix ??
        (controller
          ? [logsFix(controller)]
          : [fix('find the provisioner that made its volume', 'kubectl get deploy,sts -A | grep -i csi')])),
      removeFinalizerFix(
        c.claim,
        cloningProtection,
        'only if that provisioner is gone for good, take the finalizer off by hand',
      ),
    ],
  };
}

/** snapshot-controller checkandRemovePVCFinalizer: the finalizer goes when every snapshot that is taken of the claim is ready. */
export const pvcTerminatingSnapshotSource = claimRule({
  cause: 'pvc-terminating-snapshot-source',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isHeldBy(c, snapshotSourceProtection)) return undefined;
    const { items, complete } = c.ask.list('VolumeSnapshot', c.namespace, `which snapshots are taken of pvc/${c.name}`);
    const open = items.filter(
      ({ spec, status }) => spec?.source?.persistentVolumeClaimName === c.name && status?.readyToUse !== true,
    );
    if (open.length > 0) return explainSnapshots(c, open);
    if (secondsSinceDeletion(c) < actSeconds) return undefined;
    return complete ? explainSnapshotController(c) : explainHiddenSnapshots(c);
  },
});

function explainSnapshots(c: PresentClaim, snapshots: readonly ObjectOf<'VolumeSnapshot'>[]): Explanation {
  const names = snapshots.map(({ metadata }) => metadata.name);
  const refusal = snapshots.find(({ status }) => status?.error?.message);
  return {
    summary: `pvc/${c.name} is being deleted and a snapshot of it is not ready: ${nameSome(names.map((name) => `volumesnapshot/${name}`))}${refusal ? ' reports an error' : ''}`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...snapshots
        .slice(0, 3)
        .map((snapshot) => field(snapshot, 'status.readyToUse', snapshot.status?.readyToUse ?? 'not set')),
      ...(refusal ? [field(refusal, 'status.error.message')] : []),
    ],
    fix: [
      fix(
        'see why the snapshot is not ready: the claim goes by itself after it',
        `kubectl csi why vs/${shellWord(names[0] ?? '')} -n ${shellWord(c.namespace)}`,
      ),
      fix(
        'or delete the snapshot, if nobody needs it',
        `kubectl ${inNamespace(c.namespace)}delete volumesnapshot ${shellWord(names[0] ?? '')}`,
        'disruptive',
      ),
    ],
  };
}

/** The finalizer alone tells: it is there as long as a snapshot is not ready. */
function explainHiddenSnapshots(c: PresentClaim): Explanation {
  return {
    confidence: 'likely',
    summary: `pvc/${c.name} is being deleted and is protected as the source of a snapshot that is not ready; which one could not be read`,
    evidence: deletionEvidence(c.claim),
    fix: [fix('see which snapshots of it are not ready', `kubectl -n ${shellWord(c.namespace)} get volumesnapshots`)],
  };
}

const controllerLease = 'snapshot-controller-leader';

function explainSnapshotController(c: PresentClaim): Explanation {
  const { items, complete } = c.ask.leasesNamed(controllerLease, 'whether the snapshot controller is alive');
  const renewed = items
    .map((lease) => parseTime(lease.spec?.renewTime) ?? 0)
    .reduce((latest, time) => Math.max(latest, time), 0);
  const [lease] = items;
  const isStale = lease !== undefined && (c.now - renewed) / 1000 > 60;
  return {
    confidence: isStale ? 'certain' : 'likely',
    about: 'snapshot-controller',
    summary: `pvc/${c.name} is being deleted and no snapshot of it is open any more, ${isStale ? `but the snapshot controller, which must let it go, has not renewed its lease${renewed > 0 ? ` for ${ageText(renewed, c.now)}` : ''}` : 'yet the snapshot controller has not taken its finalizer off: it does not run, or was removed'}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'every snapshot of it is ready or gone'),
      ...(lease ? [field(lease, 'spec.renewTime')] : complete ? [absent('Lease', controllerLease)] : []),
    ],
    fix: [
      fix(
        'get the snapshot controller to run again: the claim then goes by itself',
        'kubectl get pods -A | grep snapshot-controller',
      ),
      removeFinalizerFix(
        c.claim,
        snapshotSourceProtection,
        'only if the snapshot controller was removed for good, take the finalizer off by hand',
      ),
    ],
  };
}
