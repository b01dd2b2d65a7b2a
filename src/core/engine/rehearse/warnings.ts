import type { Objection } from '../../report/preflight.ts';
import type { ObjectRef } from '../../report/report.ts';
import type { Need, RawObject, Snapshot } from '../../kube/snapshot.ts';
import { diagnose } from '../diagnose.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { absent, field, fix, note } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { controllerOf, externalProvisionerOf } from '../../causes/provision/provisioner.ts';
import { provenSidecarTrouble, silentSidecarTrouble } from '../../causes/snapshot/sidecar-trouble.ts';
import { foreseeableRules, isForeseen } from './foreseeable.ts';
import { claimShapeOf, member, podShapeOf } from './templates.ts';
import type { Entry } from './plan.ts';
import type { Placement } from './placement.ts';
import type { World } from './world.ts';

/** What is wrong with the class of a claim that waits for its first pod: it would show only when the pod exists. */
export function findClassTrouble(
  claim: RawObject | undefined,
  snapshot: Snapshot,
): { readonly objections: readonly Objection[]; readonly needs: readonly Need[] } {
  const name = member(claim, 'spec', 'storageClassName');
  if (typeof name !== 'string' || name === '') return { objections: [], needs: [] };
  const { report, needs } = diagnose(snapshot, { targets: [{ kind: 'StorageClass', name }] }, foreseeableRules);
  const findings = report.items
    .flatMap((item) => item.findings)
    .filter(
      (finding) =>
        finding.role === 'cause' &&
        finding.severity === 'blocking' &&
        finding.cause !== 'blocked-unexplained' &&
        isForeseen(finding),
    );
  return { objections: findings, needs };
}

/** The pod fits on nodes where its driver does not run, which the scheduler does not check. */
export function strayNodesWarning(ref: ObjectRef, without: Placement['without']): Objection | undefined {
  const [first] = without;
  if (!first) return undefined;
  const nodes = [...new Set(without.filter(({ driver }) => driver === first.driver).map(({ node }) => node))];
  return {
    cause: 'driver-not-on-node',
    stage: 'mount',
    confidence: 'possible',
    summary:
      `The pods of ${ref.kind} ${ref.name} may also be scheduled on ${nameAll(nodes)}, where CSI driver ` +
      `${first.driver} is not running.`,
    evidence: nodes
      .slice(0, 4)
      .map((node) => note({ kind: 'CSINode', metadata: { name: node } }, `does not list ${first.driver}`)),
    fix: [
      fix('Keep them on nodes where the driver runs, with a nodeSelector or an affinity, or let the driver run there.'),
    ],
  };
}

/** Pods that share a volume which only one node can have at a time. */
export function sharedClaimWarning({ object, ref, parts }: Entry, world: World): Objection | undefined {
  const replicas = replicasOf(object, world);
  const pod = parts.find((part) => part.ref.kind === 'Pod');
  const shape = pod && podShapeOf(pod.object);
  if (!shape || !(replicas > 1) || object.kind === 'StatefulSet' || object.kind === 'Pod') return undefined;
  const named = (shape.spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  for (const name of claimNamesOf(shape).filter((claim) => named.includes(claim))) {
    const raw = world.get('PersistentVolumeClaim', ref.namespace, name);
    const claim = raw && claimShapeOf(raw);
    const modes = claim?.spec?.accessModes ?? [];
    if (!claim || modes.length === 0 || !modes.every((mode) => mode === 'ReadWriteOnce')) continue;
    return {
      cause: 'attach-rwo-held-by-running-pod',
      stage: 'attach',
      confidence: 'possible',
      summary:
        `The ${replicas} pods of ${ref.kind} ${ref.name} share pvc/${name}, which only one node at a time can ` +
        'use (ReadWriteOnce). Pods on other nodes would not start.',
      evidence: [field(claim, 'spec.accessModes')],
      fix: [
        fix(
          'Run one pod, give each pod a claim of its own (a StatefulSet with volumeClaimTemplates), or use a class ' +
            'whose driver supports ReadWriteMany.',
        ),
      ],
    };
  }
  return undefined;
}

function replicasOf(object: RawObject, world: World): number {
  if (object.kind === 'DaemonSet') return world.ofKind('Node').length;
  return Number(member(object, 'spec', object.kind === 'Job' ? 'parallelism' : 'replicas') ?? 1);
}

/** No trace of a provisioner was found; it may run out of sight, as in a managed control plane. */
export function noProvisionerWarning(c: PresentClaim): Objection | undefined {
  const provisioner = externalProvisionerOf(c);
  if (!provisioner) return undefined;
  const { lease, pods, workload } = controllerOf(c, provisioner);
  if (lease.object || lease.state !== 'missing' || !pods.complete || pods.items.length > 0 || workload)
    return undefined;
  if (c.ask.seen('PersistentVolume').some(({ spec }) => spec?.csi?.driver === provisioner.name)) return undefined;
  return {
    cause: 'provisioner-not-running',
    stage: 'provision',
    confidence: 'possible',
    summary: `No provisioner of ${provisioner.name} was found: neither its pods, nor its lease, nor a volume that it created.`,
    evidence: [absent('Lease', lease.name)],
    fix: [
      fix(
        `Check whether the controller of ${provisioner.name} runs; it may be hidden in a managed control plane.`,
        'kubectl get deploy,sts,ds -A | grep -i -e csi -e provisioner',
      ),
    ],
  };
}

/** No trace of the driver's csi-snapshotter was found. */
export function noSnapshotterWarning(ask: Inquiry, snapshot: VolumeSnapshot): Objection | undefined {
  const subject = new SnapshotCase(ask, snapshot);
  const { content } = subject;
  const driver = content?.spec?.driver;
  if (!content || driver === undefined) return undefined;
  const hasTakenOthers = ask
    .seen('VolumeSnapshotContent')
    .some(({ spec, status }) => spec?.driver === driver && status?.readyToUse === true);
  if (hasTakenOthers) return undefined;
  const trouble = provenSidecarTrouble(subject, driver) ?? silentSidecarTrouble(subject, driver, content);
  return (
    trouble && {
      cause: 'snap-sidecar-down',
      stage: 'snapshot',
      confidence: 'possible',
      summary: trouble.words,
      evidence: trouble.evidence,
      fix: trouble.fix,
    }
  );
}
