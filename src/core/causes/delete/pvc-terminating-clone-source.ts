import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { startUnseen } from '../../facts/driver/controller-health.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Claim, Reference } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { deletedWords, isHeldBy, policyEvidence, secondsSinceDeletion } from './claim-deletion.ts';
import { nameSome } from './claim-holders.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';
import { removeFinalizerFix } from './finalizer-fixes.ts';
import { cloningProtection, deletionEvidence } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';

/** How long the provisioner may take to remove its finalizer after the last clone. */
const actSeconds = 60;

/**
 * external-provisioner clone_controller: it removes the finalizer when no Pending claim in the namespace is a clone of
 * this one.
 */
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
  const names = nameSome(clones.map(({ metadata }) => `pvc/${metadata.name}`));
  const state = clones.length === 1 ? 'is a clone of it and is' : 'are clones of it and are';
  return {
    summary: `${deletedWords(c)} and is kept as the source of a clone: ${names} ${state} still Pending.`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...clones.slice(0, 3).map((claim) => field(claim, 'status.phase')),
      ...clones.slice(0, 3).map((claim) => field(claim, 'spec.dataSource.name', c.name)),
      ...policyEvidence(c),
    ],
    fix: cloneFixes(c, clones),
  };
}

/** Deleting the clone ends the protection of its source, whose data then goes with the claim. */
function cloneFixes(c: PresentClaim, clones: readonly Claim[]): Fix[] {
  const [clone] = clones;
  if (!clone) return [];
  const { namespace = '', name } = clone.metadata;
  const volume = volumeAtRisk(c);
  const finish = steps(
    `Let pvc/${name} finish: this line names what keeps it Pending, and how to repair that. ` +
      `pvc/${c.name} goes automatically when its last clone is bound.`,
    [`kubectl csi why-pending ${shellWord(`pvc/${name}`)} -n ${shellWord(namespace)}`],
  );
  const drop = steps(
    `Delete the clone, if it is not needed: it was never bound and holds no data.`,
    [saveCommand(clone), kubectl('delete', clone)],
    'disruptive',
  );
  return dataFirst(volume, [finish, drop], `pvc/${c.name} then goes, and its volume with the data.`);
}

/** No clone is open: then it is the provisioner that does not remove its finalizer. */
function explainProvisioner(c: PresentClaim): Explanation {
  const driver = driverOf(c);
  const controller = driver === undefined ? undefined : findController(c.ask, driver, 'provisioner');
  const trouble = controller && troubleOf(controller, c.now);
  return {
    confidence: trouble?.confidence ?? 'likely',
    ...(trouble && driver && { about: driver }),
    summary: `${deletedWords(c)}, and no clone of it is open any more. ${reasonWords(driver, trouble)}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'no Pending claim is a clone of it'),
      ...(trouble?.evidence ?? []),
      ...policyEvidence(c),
    ],
    fix: provisionerFixes(c, controller, trouble),
  };
}

function provisionerFixes(
  c: PresentClaim,
  controller: DriverController | undefined,
  trouble: SidecarTrouble | undefined,
): Fix[] {
  const volume = volumeAtRisk(c);
  const restart = restartUnknown(controller, 'It then removes the finalizer, and the claim goes.');
  const repair = dataFirst(volume, trouble?.fix ?? [restart], 'The claim then goes, and its volume with the data.');
  return trouble?.kind === 'unseen'
    ? [...repair, removeFinalizerFix(c.claim, cloningProtection, volume, 'the driver was uninstalled for good')]
    : repair;
}

/** It seems to run and does not act: a fresh process lists all claims again. */
function restartUnknown(controller: DriverController | undefined, then: string): Fix {
  const pod = controller?.leader ?? controller?.pods.items[0];
  return controller && pod
    ? restartFix(pod, controller.workload, then)
    : startUnseen(controller ? `the provisioner of ${controller.driver}` : 'the provisioner of its volume');
}

function driverOf(c: PresentClaim): string | undefined {
  const driver = c.volume?.state === 'found' ? c.volume.object.spec?.csi?.driver : undefined;
  return driver ?? c.provisioner ?? c.askedProvisioner;
}

function reasonWords(driver: string | undefined, trouble: SidecarTrouble | undefined): string {
  const who = `The provisioner${driver ? ` of ${driver}` : ''}, which has to remove its finalizer,`;
  return trouble
    ? `${who} ${trouble.words}.`
    : `${who} has not done so; it may run without the right to update claims.`;
}
