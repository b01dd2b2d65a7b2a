import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Claim, Reference } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isHeldBy, secondsSinceDeletion } from './claim-deletion.ts';
import { nameSome } from './claim-holders.ts';
import { cloningProtection, deletionEvidence, removeFinalizerFix } from './finalizers.ts';
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
    summary: `pvc/${c.name} is being deleted and is still being copied: ${names} ${state} not bound yet`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...clones.slice(0, 3).map((claim) => field(claim, 'status.phase')),
      ...clones.slice(0, 3).map((claim) => field(claim, 'spec.dataSource.name', c.name)),
    ],
    fix: cloneFixes(clones[0]),
  };
}

function cloneFixes(clone: Claim | undefined): Fix[] {
  const { namespace, name = '' } = clone?.metadata ?? {};
  return [
    fix(
      'see why the clone is not finished: the claim goes by itself after it',
      `kubectl csi why-pending pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim(),
    ),
    fix(
      'or delete the clone, if nobody needs it',
      `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`,
      'disruptive',
    ),
  ];
}

/** No clone is open: then it is the provisioner that does not remove its finalizer. */
function explainProvisioner(c: PresentClaim): Explanation {
  const driver = driverOf(c);
  const controller = driver === undefined ? undefined : findController(c.ask, driver, 'provisioner');
  const trouble = controller && troubleOf(controller, c.now);
  return {
    confidence: trouble?.confidence ?? 'likely',
    ...(trouble && driver && { about: driver }),
    summary: `pvc/${c.name} is being deleted and no clone of it is open any more, ${reasonWords(driver, trouble)}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'no Pending claim is a clone of it'),
      ...(trouble?.evidence ?? []),
    ],
    fix: [
      ...(trouble?.fix ?? [searchFix(controller)]),
      removeFinalizerFix(
        c.claim,
        cloningProtection,
        'only if that provisioner is gone for good, take the finalizer off by hand',
      ),
    ],
  };
}

function driverOf(c: PresentClaim): string | undefined {
  const driver = c.volume?.state === 'found' ? c.volume.object.spec?.csi?.driver : undefined;
  return driver ?? c.provisioner ?? c.askedProvisioner;
}

function reasonWords(driver: string | undefined, trouble: SidecarTrouble | undefined): string {
  if (trouble) return `but the provisioner of ${driver ?? ''} ${trouble.words}, so nobody takes the finalizer off`;
  return `yet the provisioner${driver ? ` of ${driver}` : ''} has not taken its finalizer off: it may run without the right to clone`;
}

function searchFix(controller: DriverController | undefined): Fix {
  return controller
    ? logsFix(controller)
    : fix('find the provisioner that made its volume', 'kubectl get deploy,sts -A | grep -i csi');
}
