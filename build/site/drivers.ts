import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { matchText } from '../../src/core/causes/messages/match.ts';
import { root } from './cause-facts.ts';
import type { CauseFacts } from './cause-facts.ts';

/** A storage system or a driver, and how messages and our own rules spell it. */
interface Storage {
  readonly name: string;
  readonly spelling: RegExp;
}

const storages: readonly Storage[] = [
  { name: 'AWS EBS', spelling: /\bEBS\b|ebs\.csi\.aws|aws-ebs|\bEC2\b|\bvol-0[0-9a-f]+|AttachmentLimitExceeded/ },
  { name: 'AWS EFS', spelling: /\bEFS\b|efs\.csi\.aws|AccessPointLimit/ },
  { name: 'Azure Disk and Azure Files', spelling: /azure|Azure|\bAADSTS|SkuNotAvailable|DiskEncryptionSet/ },
  { name: 'Ceph RBD and CephFS', spelling: /\bceph\b|\brbd\b|\bRBD\b|cephfs|fsmap/i },
  {
    name: 'Google Persistent Disk',
    spelling: /googleapi|\bGCE\b|gce-pd|pd\.csi\.storage\.gke|RESOURCE_IN_USE_BY_ANOTHER/,
  },
  { name: 'GlusterFS', spelling: /gluster/i },
  { name: 'iSCSI and multipath', spelling: /\biscsi|\biSCSI|\bmultipath/ },
  {
    name: 'Local volumes, LVM and TopoLVM',
    spelling: /local-static|local-path|local volume|topolvm|\blvm\b|volume group\b(?! snapshot)/i,
  },
  { name: 'Longhorn', spelling: /longhorn/i },
  { name: 'NFS', spelling: /\bnfs\b|mount\.nfs|\bNFS\b(?! path)/ },
  { name: 'OpenStack Cinder', spelling: /cinder|openstack/i },
  { name: 'Portworx', spelling: /portworx|\bpxd\b/i },
  { name: 'Secrets Store CSI driver', spelling: /secrets-store|SecretProviderClass/ },
  { name: 'SMB and CIFS', spelling: /\bsmb\b|\bcifs\b/i },
  { name: 'VMware vSphere', spelling: /vsphere|datastore|\bCNS\b/i },
  { name: 'Object storage (COSI)', spelling: /\bCOSI\b|BucketClaim|BucketAccess|objectstorage\.k8s\.io/ },
];

export interface StorageCause {
  readonly id: string;
  /** A message of a scenario that names the storage, if one does. */
  readonly message?: string;
}

/** Addresses and names that scenarios invent. */
const invented = /\b[\w-]+\.example\.(?:com|org)\b/g;

/** Which causes know the words of which storage: in a message of a scenario, on the page, or in the rule. */
export function causesByStorage(causes: readonly CauseFacts[]): ReadonlyMap<string, readonly StorageCause[]> {
  const rules = ruleTexts();
  return new Map(
    storages.map(({ name, spelling }) => [
      name,
      causes.flatMap(({ id, messages, markdown, stages }): StorageCause[] => {
        // Buckets of a cloud are no volumes of its driver.
        if (id.startsWith('bucket') && !name.includes('COSI')) return [];
        const message = messages.find((text) => spelling.test(text.replaceAll(invented, '')));
        if (message !== undefined) return [{ id, message }];
        if (stages.length === 0) return [];
        return spelling.test(markdown) || spelling.test(rules.get(id) ?? '') ? [{ id }] : [];
      }),
    ]),
  );
}

/** The code of each rule, without comments. */
function ruleTexts(): ReadonlyMap<string, string> {
  const folder = join(root, 'src/core/causes');
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return new Map(
    files.map((file) => [
      file.replace(/^.*[\\/]/, '').replace(/\.ts$/, ''),
      readFileSync(join(folder, file), 'utf8')
        .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
        .replaceAll(invented, ''),
    ]),
  );
}

/** The calls of the CSI specification as the components report their errors; the words are made up. */
const calls: readonly (readonly [name: string, before: string])[] = [
  ['CreateVolume', 'failed to provision volume with StorageClass "fast": '],
  ['ControllerPublishVolume', 'AttachVolume.Attach failed for volume "pv" : '],
  ['NodeStageVolume', 'MountVolume.MountDevice failed for volume "pv" : '],
  ['NodePublishVolume', 'MountVolume.SetUp failed for volume "pv" : '],
  ['ControllerExpandVolume', 'resize volume "pv" by resizer "csi.example.com" failed: '],
  ['NodeExpandVolume', 'MountVolume.NodeExpandVolume failed for volume "pv" : '],
  ['ControllerModifyVolume', 'VolumeModifyFailed Could not modify volume (x) "pv": '],
  ['DeleteVolume', 'VolumeFailedDelete '],
];
const codes = [
  'InvalidArgument',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DeadlineExceeded',
  'Unauthenticated',
] as const;

export interface CodeRow {
  readonly code: string;
  /** By call, the cause that the matcher names first. */
  readonly causes: readonly string[];
}

export const callNames: readonly string[] = calls.map(([name]) => name);

/** What each gRPC code means after each call where the driver says nothing that is known: as our own matcher reads it. */
export function causesOfCodes(): CodeRow[] {
  return codes.map((grpc) => ({
    code: grpc,
    causes: calls.map(([, before]) => {
      const words = grpc === 'DeadlineExceeded' ? 'context deadline exceeded' : 'the storage says no';
      return matchText(`${before}rpc error: code = ${grpc} desc = ${words}`)[0]?.cause ?? '';
    }),
  }));
}
