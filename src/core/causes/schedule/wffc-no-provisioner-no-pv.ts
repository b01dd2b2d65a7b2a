import type { Volume } from '../../kube/kinds.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { addModesFix, labelFix } from '../bind/make-fit.ts';
import {
  driverOfClassEvidence,
  driverOfClassName,
  driverOfClassText,
  giveProvisioner,
} from '../lib/driver-of-class-name.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { createCommand, patchCommand, steps } from '../lib/steps.ts';
import { explainFirstUnbound, volumesOfItsClass } from './nothing-to-bind.ts';
import { openNodeFixes } from './open-node.ts';
import { missOf } from './volume-miss.ts';
import type { VolumeMiss } from './volume-miss.ts';

const mostShown = 6;

/** binder checkVolumeProvisions: a class without a provisioner needs an existing volume that fits. */
export const wffcNoProvisionerNoPv = podRule({
  cause: 'wffc-no-provisioner-no-pv',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainFirstUnbound(p, (claim, isBlamed) => {
      const lack = findLack(p, claim, isBlamed);
      if (!lack) return undefined;
      return {
        confidence: confidenceOf(lack),
        summary: summarize(lack),
        evidence: evidenceOf(p, lack),
        fix: adviceFor(p, lack),
      };
    }),
});

interface Lack {
  readonly claim: PresentClaim;
  /** Volumes of the class. */
  readonly volumes: Listing<Volume>;
  readonly misses: readonly VolumeMiss[];
  /** Class, volumes and nodes were all read, and no volume fits. */
  readonly isKnown: boolean;
}

function findLack(p: PodCase, claim: PresentClaim, isBlamed: boolean): Lack | undefined {
  const isCandidate = claim.storageClassObject ? claim.provisioner === undefined : isBlamed;
  if (!isCandidate) return undefined;
  const volumes = volumesOfItsClass(claim);
  const fits = fitNodes(p);
  const misses = volumes.items.map((volume) => missOf(volume, claim, fits));
  const isKnown =
    claim.storageClassObject !== undefined &&
    volumes.complete &&
    fits.complete &&
    !misses.some(({ isUsable }) => isUsable);
  return isKnown || isBlamed ? { claim, volumes, misses, isKnown } : undefined;
}

function confidenceOf({ claim, isKnown }: Lack): Confidence {
  if (isKnown) return 'certain';
  return claim.storageClassObject ? 'likely' : 'possible';
}

function summarize(lack: Lack): string {
  const { claim } = lack;
  const className = claim.class.name;
  const driver = driverOfClassName(claim);
  if (!claim.storageClassObject)
    return (
      `The scheduler finds no volume for pvc/${claim.name}. StorageClass "${className}", which says whether ` +
      'one can be created, could not be read.'
    );
  return `StorageClass "${className}" has no provisioner, and ${lackText(lack)}, so pvc/${claim.name} has nothing to bind to.${driver === undefined ? '' : driverOfClassText(driver)}`;
}

function lackText({ volumes, misses }: Lack): string {
  const [volume, ...more] = volumes.items;
  if (!volume)
    return volumes.complete ? 'no PersistentVolume of that class exists' : 'the scheduler finds no volume of it';
  if (more.length > 0) return `none of its ${volumes.items.length} volumes fits where the pod can run`;
  return `its only volume, pv/${volume.metadata.name}, ${misses[0]?.text ?? 'does not fit'}`;
}

function evidenceOf(p: PodCase, { claim, misses }: Lack): EvidenceList {
  const storageClass = claim.storageClassObject;
  const driver = driverOfClassName(claim);
  return [
    storageClass
      ? field(storageClass, 'provisioner', storageClass.provisioner ?? '')
      : field(claim.claim, 'spec.storageClassName', claim.class.name),
    ...(driver === undefined ? [] : driverOfClassEvidence(claim, driver)),
    ...misses.slice(0, mostShown).map(({ evidence }) => evidence),
    ...schedulerSaid(p),
  ];
}

/** The volume that needs the smallest change first; a new volume last. */
function adviceFor(p: PodCase, { claim, misses }: Lack): Fix[] {
  const driver = driverOfClassName(claim);
  if (driver !== undefined) return [giveProvisioner(claim, driver)];
  const unreached = misses.find(({ near }) => near.length > 0);
  const tooSmall = misses.find(({ isOnlyTooSmall, isUsable }) => isOnlyTooSmall && !isUsable);
  const size = tooSmall?.volume.spec?.capacity?.['storage'];
  const released = misses.find(({ isReleased }) => isReleased);
  const corrected = misses.flatMap((miss) => correctVolume(p, claim, miss)).slice(0, 1);
  const near = [
    ...(unreached
      ? openNodeFixes(
          p,
          unreached.near,
          ` pvc/${claim.name} then binds to pv/${unreached.volume.metadata.name}.`,
        ).slice(0, 1)
      : []),
    ...(size !== undefined && tooSmall ? [useSmaller(claim, tooSmall.volume, size)] : []),
    ...corrected,
    ...(released ? [freeReleased(claim, released.volume)] : []),
  ];
  return [...near, createVolume(p, claim, near.length > 0)];
}

function useSmaller(claim: PresentClaim, { metadata: { name } }: Volume, size: string): Fix {
  return recreateClaim(claim, `with ${size}, if that is enough`, sizeChange(size), `It then binds to pv/${name}.`);
}

/**
 * A free volume that one field keeps from the claim: what can be changed is changed, and otherwise the volume is
 * recreated.
 */
function correctVolume(p: PodCase, claim: PresentClaim, { volume, only, isOutOfReach }: VolumeMiss): Fix[] {
  const { status, spec, metadata } = volume;
  if (status?.phase !== 'Available' || spec?.claimRef !== undefined) return [];
  if (only === 'accessModes') return [addModesFix(claim, volume)];
  if (only === 'selector') return labelFix(claim, volume);
  const path = spec?.local?.path ?? spec?.hostPath?.path;
  if (path === undefined) return [];
  const text =
    `cannot be changed in place, and it was never bound. pvc/${claim.name} binds to it when the scheduler ` +
    'tries again, within 5 minutes.';
  if (only === 'volumeMode') {
    const volumeMode = volumeModeOf(claim.claim);
    const condition =
      volumeMode === 'Block'
        ? `if ${path} is a disk`
        : `if ${path} is a directory, or a disk that may get a file system`;
    return [
      steps(
        `Recreate pv/${metadata.name} with volumeMode ${volumeMode}, ${condition}: the volumeMode of a ` +
          `volume ${text}${discoveryNote(volume, `volumeMode: ${volumeMode}`)}`,
        recreateCommands(volume, { spec: { volumeMode } }),
      ),
    ];
  }
  // What the local static provisioner found is on that node, which is gone.
  if (!isOutOfReach || isDiscovered(volume)) return [];
  const hosts = fitNodes(p).items.flatMap(({ node }) => node.metadata.labels?.[hostname] ?? []);
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const [wrong, ...more] = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
  const [value, ...others] = wrong?.values ?? [];
  if (wrong?.key !== hostname || value === undefined || others.length + more.length > 0) return [];
  const [host, ...rivals] = hosts;
  const right = rivals.length === 0 ? (host ?? '') : 'PLACEHOLDER_HOSTNAME';
  const which =
    rivals.length === 0 ? ` (${right})` : ` (PLACEHOLDER_HOSTNAME is one of ${nameAll(hosts.slice(0, mostShown))})`;
  return [
    steps(
      `If the data of pv/${metadata.name} is on a node of this cluster, recreate it with the ${hostname} ` +
        `of the node that has ${path}${which}: its nodeAffinity ${text}`,
      recreateCommands(volume, {
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: hostname, operator: 'In', values: [right] }] }],
            },
          },
        },
      }),
    ),
  ];
}

const hostname = 'kubernetes.io/hostname';

/** The local static provisioner creates volumes from what it finds on the node, and recreates them in the same way. */
function discoveryNote(volume: Volume, setting: string): string {
  return isDiscovered(volume)
    ? ` First set ${setting} for the class in the storageClassMap of the local static provisioner, which otherwise creates it as before.`
    : '';
}

function isDiscovered({ metadata }: Volume): boolean {
  return metadata.annotations?.['pv.kubernetes.io/provisioned-by']?.startsWith('local-volume-provisioner') === true;
}

/** The next user of the volume reads and overwrites what the former claim left on it. */
function freeReleased({ name }: PresentClaim, volume: Volume): Fix {
  const { namespace = '', name: former = '' } = volume.spec?.claimRef ?? {};
  return steps(
    `If the data that claim ${namespace}/${former} left on pv/${volume.metadata.name} is not needed, free ` +
      `the volume: pvc/${name} may then bind to it, and reads and overwrites what is on it.`,
    [patchCommand(volume, { spec: { claimRef: null } })],
    'data-loss',
  );
}

function createVolume(
  p: PodCase,
  { claim, class: { name: className }, request }: PresentClaim,
  isAlternative: boolean,
): Fix {
  const open = fitNodes(p).items.find(({ refusal }) => !refusal)?.node;
  const host = open?.metadata.labels?.['kubernetes.io/hostname'] ?? 'PLACEHOLDER_HOSTNAME';
  const manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'PLACEHOLDER_NAME' },
    spec: {
      storageClassName: className,
      capacity: { storage: request ?? '1Gi' },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: 'PLACEHOLDER_PATH' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [host] }] },
          ],
        },
      },
    },
  };
  return steps(
    `${isAlternative ? 'Or create' : 'Create'} a local volume of StorageClass "${className}" with ` +
      `${request ?? 'the size of the claim'} on ` +
      `${open?.metadata.name ?? 'a node that can take the pod (PLACEHOLDER_HOSTNAME, its label kubernetes.io/hostname)'}. ` +
      'PLACEHOLDER_NAME is its name and PLACEHOLDER_PATH the directory or disk on the node, which has to ' +
      'exist. The claim binds to it when the scheduler tries again, within 5 minutes.',
    [createCommand(manifest)],
  );
}
