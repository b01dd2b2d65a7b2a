import { shellWord } from '../../kube/shell-word.ts';
import { field } from '../../facts/evidence.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { deviceIn, exitCodeIn, iscsiText, programIn } from '../lib/driver-error/senses/node-programs.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { writeSecretFix } from './access-fixes.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { installToolFix, updateImageFix } from './node-software.ts';
import { knownNode, nodeOf } from './told-volume.ts';

/** What shows the reason that a program kept to itself. Everything here only reads. */
const looks: Readonly<Record<string, (device: string) => string>> = {
  cryptsetup: (device) =>
    `cryptsetup --version; lsmod | grep dm_crypt; cryptsetup luksDump ${device}; dmsetup ls; dmesg | tail -n 20`,
  rbd: () => 'uname -r; dmesg | tail -n 30',
  iscsiadm: () => 'systemctl status iscsid; iscsiadm -m session; dmesg | tail -n 20',
  lvm: () => 'vgs; lvs; dmesg | tail -n 20',
  zfs: () => 'zpool status; zfs list; dmesg | tail -n 20',
  nvme: () => 'nvme list-subsys; lsblk; dmesg | tail -n 20',
  drbd: () => 'drbdadm status; dmesg | tail -n 20',
  multipath: () => 'multipath -ll; systemctl status multipathd',
  disk: () => 'lsblk -f; dmesg | tail -n 30',
};

const families: readonly (readonly [RegExp, string])[] = [
  [/^cryptsetup$/, 'cryptsetup'],
  [/^rbd$/, 'rbd'],
  [/^iscsiadm$/, 'iscsiadm'],
  [/^(?:lv|vg)/, 'lvm'],
  [/^(?:zfs|zpool)$/, 'zfs'],
  [/^nvme$/, 'nvme'],
  [/^drbd/, 'drbd'],
  [/^multipath/, 'multipath'],
];

/** A named program ended without a reason: what it says itself on the node, and what each answer means. */
export function programFixes(m: FailedMount): Fix[] {
  const program = programIn(m.text);
  const node = nodeOf(m.p);
  if (program === undefined || isWindows(knownNode(m.p))) return [];
  if (program === 'cryptsetup' && exitCodeIn(m.text) === '2')
    return [
      writeSecretFix(
        m,
        'Write the passphrase with which the volume was encrypted (never format it anew: its data would be lost)',
      ),
    ];
  const family = families.find(([pattern]) => pattern.test(program))?.[1] ?? 'disk';
  const device = deviceIn(m.text) ?? 'PLACEHOLDER_DEVICE';
  const blank =
    device.startsWith('PLACEHOLDER') && family === 'cryptsetup' ? ' PLACEHOLDER_DEVICE is the disk of the volume.' : '';
  const command = looks[family]?.(shellWord(device)) ?? '';
  return [
    steps(
      `Read on ${node} what ${program} does not pass on, and correct it.${(family === 'cryptsetup' && exitCodeIn(m.text) === '5' ? leftMapping : answers[family]) ?? ''}${blank} ${retryWords}`,
      [onNode(node, `sh -c ${shellWord(command)}`)],
    ),
  ];
}

const leftMapping =
  ' A mapping that is left from an earlier try is in the list of dmsetup ls: if nothing has it mounted (findmnt), close it ' +
  'with cryptsetup close. Never run luksFormat by hand.';

const answers: Readonly<Record<string, string>> = {
  cryptsetup:
    ' No dm_crypt in the output: load it (modprobe dm_crypt) now and at every boot. cryptsetup missing or old: install or ' +
    'update it on every node. A LUKS header and the module are there: the release of the driver and the cryptsetup of the ' +
    'node do not fit, so update the driver. Leave the passphrase in its Secret as it is, and never run luksFormat by hand.',
  iscsiadm: ' If iscsid is not running, start it (systemctl enable --now iscsid).',
  multipath: ' If multipathd is not running, start it (systemctl enable --now multipathd).',
};

export function missingCommandWords({ text }: FailedMount): string {
  return iscsiText.test(text) ? ' The storage is iSCSI, so it is most likely iscsiadm.' : '';
}

export function systemEvidence({ p }: FailedMount): Evidence[] {
  const node = knownNode(p);
  return node?.status?.nodeInfo?.osImage === undefined ? [] : [field(node, 'status.nodeInfo.osImage')];
}

/** Drivers of iSCSI storage run iscsiadm on the node itself; others run what their image has. */
export function commandMissingFixes(m: FailedMount): Fix[] {
  if (!iscsiText.test(m.text)) return [updateImageFix(m)];
  return [
    installToolFix(m.p, {
      tool: 'iscsiadm',
      debian: 'open-iscsi',
      redHat: 'iscsi-initiator-utils',
      service: 'iscsid',
      extension: 'siderolabs/iscsi-tools',
    }),
    { ...updateImageFix(m, 'iscsiadm'), risk: 'disruptive' },
  ];
}
