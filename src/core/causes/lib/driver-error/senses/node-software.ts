/** The kernel module that a repeated command or its error names. */
export const fileSystemModuleText =
  /(?:-t |mount\.|type '?|args: \[|module )(nfs4?|cifs|smb3?|ceph|beegfs|rbd|xfs|ext4|btrfs|fuse|nbd|iscsi_tcp|dm_crypt)\b/i;

/** NVMe over fabrics: its device appears with the kernel module. */
export const nvmeFabricsText = /nvme-fabrics/;

/** The kernel module by its name. */
export const namedModuleText = /\b(\w+) kernel module (?:is )?not /i;

/** The program that is missing. */
export const namedProgramText =
  /\b(?:(?:ba)?sh: )?(?:line \d+: )?([\w./-]+): (?:command )?not found|exec: "([^"]+)"|(?:executable file|command) not found[^]{0,20}: (\S+)|failed to execute ([\w./-]+)|\b((?:mkfs|fsck)\.\w+|iscsiadm|cryptsetup|multipath|blkid)\b/;

/** The driver runs the program in the namespaces of the node. */
export const onNodeText = /nsenter/;

/** The examples in the advice of mount(8), which are not the type of the volume. */
export const exampleTypes = /\(e\.g\. nfs, cifs\)/g;

/** The kernel module names the command that takes off what it does not know. */
export const disableFeaturesText = /"rbd feature disable ([\w./-]+(?: [\w-]+)+)"/;

/** The packages with the clients of network file systems, on Debian and on Red Hat and their descendants. */
export const clientPackages: readonly (readonly [RegExp, string, string])[] = [
  [/cifs|smb/i, 'cifs-utils', 'cifs-utils'],
  [/glusterfs/i, 'glusterfs-client', 'glusterfs-fuse'],
  [/(?:-t |mount\.|type '?)ceph/i, 'ceph-common', 'ceph-common'],
  [/nfs/i, 'nfs-common', 'nfs-utils'],
];
