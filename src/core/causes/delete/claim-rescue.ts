import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Pod, Volume } from '../../kube/kinds.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { makerOf } from '../claim/claim-template.ts';
import type { ClaimMaker } from '../claim/claim-template.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';
import type { Named } from '../lib/steps.ts';
import { isFinished, isLeaving, nextHolderWords, podNames } from './claim-holders.ts';
import { deletePodsCommand, scaleCommand } from './claim-release.ts';
import { isAtRisk, retainCommand, retainFix, volumeAtRisk } from './data-first.ts';

/**
 * A deletion cannot be taken back, but the volume can be kept and bound to a new claim of the same name: Retain, let
 * the old claim go, clear its uid from the claimRef, recreate the claim with volumeName. Undefined where there is no
 * volume to keep.
 */
export function rescueFix(c: PresentClaim, pods: readonly Pod[], timeout = '5m'): Fix | undefined {
  if (c.volumeName === '' || c.volume?.state === 'missing') return undefined;
  if (isNamespaceLeaving(c)) return keepFix(c);
  const restarts = restartsOf(c, pods);
  const volume: Named = { kind: 'PersistentVolume', metadata: { name: c.volumeName } };
  const cleared = { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } };
  const [saveClaim, , createClaim] = recreateCommands(c.claim, { ...cleared, spec: { volumeName: c.volumeName } });
  const commands = [
    ...(volumeAtRisk(c) ? [retainCommand(c.volumeName)] : []),
    saveClaim,
    ...restarts.save,
    ...restarts.before,
    waitCommand(c, timeout),
    patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
    createClaim,
    ...restarts.after,
  ];
  return steps(
    'Rescue the data, if it is needed: a deletion cannot be taken back, so keep the volume and recreate ' +
      `pvc/${c.name} on it.${restarts.words}${nextHolderWords(c)} The new claim binds within 15 ` +
      'seconds, with the data.',
    commands,
    restarts.risk,
  );
}

/**
 * The same for a volume that was deleted while it is bound: once its claim is gone the object goes too, and Retain
 * leaves the data in the backend, so that volume and claim can be recreated from the saved files. The claim is deleted
 * before its pods: a pod of a claim that is being deleted is not scheduled, so an owner cannot bring the pods back too
 * early.
 */
export function rescueVolumeFix(c: PresentClaim, volume: Volume, pods: readonly Pod[]): Fix {
  const restarts = restartsOf(c, pods);
  const canWait = pods.length > 0 && c.claim.metadata.deletionTimestamp === undefined;
  const cleared = { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } };
  const [saveClaim, , createClaim] = recreateCommands(c.claim, { ...cleared, spec: { volumeName: c.volumeName } });
  const freed = {
    ...cleared,
    spec: { persistentVolumeReclaimPolicy: 'Retain', claimRef: { uid: null, resourceVersion: null } },
  };
  // Its annotations stay: the provisioner knows its volumes by them.
  const named: Named = { kind: 'PersistentVolume', metadata: { name: volume.metadata.name } };
  const [saveVolume, , createVolume] = recreateCommands(named, freed);
  return steps(
    'Rescue the data, if it is needed: a deletion cannot be taken back, so let volume and claim go and ' +
      `recreate both on the same data.${canWait ? ' That can wait for a quiet time; run the lines that save at once.' : ''}${restarts.words} The new claim binds within 15 seconds.`,
    [
      ...(isAtRisk(volume) ? [retainCommand(volume.metadata.name)] : []),
      saveVolume,
      saveClaim,
      ...restarts.save,
      ...(c.claim.metadata.deletionTimestamp === undefined ? [kubectl('delete', c.claim, '--wait=false')] : []),
      ...restarts.before,
      waitCommand(c),
      `kubectl wait --for=delete ${shellWord(`pv/${volume.metadata.name}`)} --timeout=10m`,
      createVolume,
      createClaim,
      ...restarts.after,
    ],
    'disruptive',
  );
}

function waitCommand(c: PresentClaim, timeout = '5m'): string {
  return `kubectl ${inNamespace(c.namespace)}wait --for=delete ${shellWord(`pvc/${c.name}`)} --timeout=${timeout}`;
}

/** The pods around a rescue: what lets go of the old claim, and what brings the pods back with the new one. */
interface Restarts {
  readonly words: string;
  readonly save: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly risk: Risk;
}

function restartsOf(c: PresentClaim, pods: readonly Pod[]): Restarts {
  const staying = pods.filter((pod) => !isLeaving(pod));
  const maker = makerOf(c);
  const ofSet = staying.filter((pod) => maker?.pod === pod.metadata.name && !isFinished(pod));
  const others = staying.filter((pod) => !ofSet.includes(pod));
  const bare = others.filter((pod) => ownerOf(pod) === undefined && !isFinished(pod)).map(bareRestart);
  const owned = others.filter((pod) => ownerOf(pod) !== undefined && !isFinished(pod));
  const scaling = maker && ofSet.length > 0 ? scalingOf(c, maker) : undefined;
  return {
    words: [
      ...(bare.length > 0 ? [bareWords(bare.map(({ pod }) => pod))] : []),
      ...(owned.length > 0
        ? [` ${podNames(owned)} comes back through its owner and starts when the claim is there again.`]
        : []),
      ...(scaling ? [scaling.words] : []),
    ].join(''),
    save: others.filter((pod) => ownerOf(pod) === undefined).map((pod) => saveCommand(pod)),
    before: [...(scaling?.before ?? []), ...(others.length > 0 ? [deletePodsCommand(c, others)] : [])],
    after: [...bare.map(({ create }) => create), ...(scaling?.after ?? [])],
    risk: staying.some((pod) => !isFinished(pod)) ? 'disruptive' : 'safe',
  };
}

function bareWords(pods: readonly Pod[]): string {
  const words = pods.length === 1 ? 'has no owner: save and recreate it.' : 'have no owner: save and recreate them.';
  return ` ${podNames(pods)} ${words}`;
}

function bareRestart(pod: Pod): { readonly pod: Pod; readonly create: string } {
  const [, , create = ''] = restartPodCommands(pod);
  return { pod, create };
}

/**
 * A StatefulSet creates a missing claim from its template at once (createPersistentVolumeClaims), so it has to stop
 * meanwhile.
 */
function scalingOf(c: PresentClaim, { set, template }: ClaimMaker): Omit<Restarts, 'risk' | 'save'> {
  const owner = { kind: 'StatefulSet', name: set };
  const named: Named = { kind: 'StatefulSet', metadata: { namespace: c.namespace, name: set } };
  const replicas = template?.object.spec?.replicas;
  const unknown = replicas === undefined ? ' PLACEHOLDER_REPLICAS is its present number of replicas.' : '';
  return {
    words:
      ` Scale statefulset/${set} to 0 meanwhile: it would create an empty claim of the same name. ` +
      `The other claims are kept (whenScaled: Retain).${unknown}`,
    before: [
      patchCommand(named, { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } } }),
      scaleCommand(c.namespace, owner, '0'),
    ],
    after: [scaleCommand(c.namespace, owner, String(replicas ?? 'PLACEHOLDER_REPLICAS'))],
  };
}

/** No claim can be created in a namespace that is being deleted. */
function isNamespaceLeaving(c: PresentClaim): boolean {
  return c.ask
    .seen('Namespace')
    .some(
      ({ metadata, status }) =>
        metadata.name === c.namespace && (metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating'),
    );
}

function keepFix(c: PresentClaim): Fix | undefined {
  return volumeAtRisk(c)
    ? retainFix(
        c.volumeName,
        `Keep the data, if it is needed, before any other step: set the policy of pv/${c.volumeName} to Retain. ` +
          `Namespace ${c.namespace} is being deleted and takes no new claim, so bind the volume in ` +
          'another namespace later.',
      )
    : undefined;
}
