import { driverContainerOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Node } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { nodeServiceIn } from '../lib/driver-error/senses/file-system.ts';
import {
  clientPackages,
  exampleTypes,
  fileSystemModuleText,
  namedModuleText,
  namedProgramText,
  nvmeFabricsText,
  onNodeText,
} from '../lib/driver-error/senses/node-software.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { pluginOn } from './plugin-fixes.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';

const clientNames: Readonly<Record<string, string>> = {
  'cifs-utils': 'SMB',
  'glusterfs-client': 'GlusterFS',
  'ceph-common': 'Ceph',
  'nfs-common': 'NFS',
};

/** Systems whose software comes with their image. */
const immutable = /container-optimized|talos|flatcar|bottlerocket|coreos|k3os|rancheros|fedora coreos/i;

/** The client of a network file system has to be on the node itself, even for mounts that start in a container. */
export function installClientFix({ p, text }: Pick<FailedMount, 'p' | 'text'>): Fix {
  const node = nodeOf(p);
  // The advice of mount(8) names nfs and cifs as examples.
  const [, debian = 'nfs-common', redHat = 'nfs-utils'] =
    clientPackages.find(([pattern]) => pattern.test(text.replace(exampleTypes, ''))) ?? [];
  return installFix(node, knownNode(p), { debian, redHat });
}

function installFix(
  node: string,
  object: Node | undefined,
  { debian, redHat }: { debian: string; redHat: string },
): Fix {
  const image = object?.status?.nodeInfo?.osImage ?? '';
  const names = debian === redHat ? debian : `${debian} (Debian, Ubuntu) or ${redHat} (Red Hat, SUSE, Amazon)`;
  const all =
    'Do the same on every node that may run such pods, best in their image. The kubelet retries within about 2 minutes.';
  if (isWindows(object) || immutable.test(image))
    return steps(
      `Give ${node} the ${clientNames[debian] ?? debian} client with its image or a system extension: its ` +
        `system${image === '' ? '' : ` (${image})`} takes no packages. ${all}`,
      [],
    );
  return steps(`Install ${names} on ${node} itself: a client in a container does not count. ${all}`, [
    onNode(node, installCommand(image, debian, redHat)),
  ]);
}

export interface NodeTool {
  readonly tool: string;
  readonly debian: string;
  readonly redHat: string;
  /** The daemon of the package, which has to run. */
  readonly service: string;
  /** The system extension of Talos that has it. */
  readonly extension: string;
}

/** A program that the driver runs on the node, with its daemon. */
export function installToolFix(p: FailedMount['p'], { tool, debian, redHat, service, extension }: NodeTool): Fix {
  const node = nodeOf(p);
  const image = knownNode(p)?.status?.nodeInfo?.osImage ?? '';
  const all = 'Every node that may run such pods needs it. The kubelet retries within about 2 minutes.';
  if (immutable.test(image)) {
    const how = /talos/i.test(image)
      ? `an image of Talos with the system extension ${extension} (talosctl upgrade; the node restarts)`
      : 'its image or a system extension';
    return steps(
      `Give ${node} ${tool}, most likely what is missing, with ${how}: its system (${image}) takes no packages. ${all}`,
      [],
      'disruptive',
    );
  }
  return steps(
    `Install ${tool}, most likely what is missing, on ${node} itself: ${debian} (Debian, Ubuntu) or ${redHat} (Red Hat, SUSE, Oracle), and start ${service}. ` +
      `The first line shows whether it is there already. ${all}`,
    [
      onNode(node, `sh -c 'command -v ${tool}'`),
      onNode(
        node,
        `sh -c '${installCommand(image, debian, redHat).replace(/^sh -c '|'$/g, '')} && systemctl enable --now ${service}'`,
      ),
    ],
  );
}

function installCommand(image: string, debian: string, redHat: string): string {
  const [apt, yum] = [`apt-get install -y ${debian}`, `yum install -y ${redHat}`];
  if (/debian|ubuntu/i.test(image)) return apt;
  return /red hat|centos|rocky|alma|fedora|amazon|oracle/i.test(image) ? yum : `sh -c '${apt} || ${yum}'`;
}

export function loadModuleFix({ p, text }: FailedMount, type: string | undefined): Fix {
  const node = nodeOf(p);
  const module =
    type ??
    (nvmeFabricsText.test(text) ? 'nvme-tcp' : undefined) ??
    namedModuleText.exec(text)?.[1] ??
    fileSystemModuleText.exec(text)?.[1]?.replace(/^nfs4$/, 'nfs') ??
    'PLACEHOLDER_MODULE';
  const unnamed =
    module === 'PLACEHOLDER_MODULE' ? ' PLACEHOLDER_MODULE is the module of this storage (nfs, cifs, ceph, rbd).' : '';
  return steps(
    `Load the kernel module on ${node}.${unnamed} If it does not exist there, install the package with the ` +
      'further modules of the kernel (linux-modules-extra or kernel-modules-extra) first. The kubelet ' +
      'retries within about 2 minutes.',
    [onNode(node, `modprobe ${shellWord(module)}`)],
  );
}

const packagesOfServices: Readonly<Record<string, string>> = {
  iscsid: 'open-iscsi (Debian, Ubuntu) or iscsi-initiator-utils (Red Hat)',
  'rpc-statd': 'nfs-common (Debian, Ubuntu) or nfs-utils (Red Hat)',
  multipathd: 'multipath-tools (Debian, Ubuntu) or device-mapper-multipath (Red Hat)',
};

/** A daemon of the node itself, which its package installs. */
export function startServiceFix({ p, text }: FailedMount): Fix {
  const node = nodeOf(p);
  const service = nodeServiceIn(text) ?? 'PLACEHOLDER_SERVICE';
  const image = knownNode(p)?.status?.nodeInfo?.osImage ?? '';
  if (service === 'csi-proxy')
    return steps(
      `Start csi-proxy on ${node}: log in there and run "Start-Service csiproxy", or install it as a ` +
        'Windows service if it is missing. Releases of the driver that run as HostProcess containers do ' +
        'without it. Do the same on every Windows node that may run such pods. The kubelet retries within ' +
        'about 2 minutes.',
      [],
    );
  if (service === 'multipathd' && !immutable.test(image)) return startMultipathFix(node);
  const install =
    `If ${node} does not have it, install ${packagesOfServices[service] ?? 'its package'} first. Do the same ` +
    'on every node that may run such pods.';
  const other =
    service === 'rpc-statd' ? ' NFS 4 needs no such service (mountOptions nfsvers=4.1, if the server has it).' : '';
  if (immutable.test(image))
    return steps(
      `Enable ${service} on ${node}; its system (${image}) takes software only with its image or an ` +
        `extension.${other} The kubelet retries within about 2 minutes.`,
      [],
    );
  return steps(
    `Start ${service} on ${node}, and at every boot. ${install}${other} The kubelet retries within about 2 minutes.`,
    [onNode(node, `systemctl enable --now ${shellWord(service)}`)],
  );
}

/** Without /etc/multipath.conf its unit does not start (Red Hat), and with find_multipaths a single path gets no map. */
function startMultipathFix(node: string): Fix {
  return steps(
    `Start multipathd on ${node} with find_multipaths set to no, and at every boot: drivers that demand it wait for a map of every LUN. If ${node} does not have it, install ${packagesOfServices['multipathd'] ?? ''} first; where mpathconf is missing (Debian, Ubuntu), write "defaults { find_multipaths no }" to /etc/multipath.conf. Do the same on every node that may run such pods. On OpenShift put the file and the unit into a MachineConfig (it restarts the nodes one by one): what is changed by hand lasts only until the next one. The kubelet retries within about 2 minutes.`,
    [onNode(node, `sh -c 'mpathconf --enable --find_multipaths n; systemctl enable --now multipathd'`)],
  );
}

/** In an rpc error the program is missing in the driver's image, not on the node. */
export function updateImageFix({ p, driver, use, text }: FailedMount, wanted?: string): Fix {
  const fsType = use?.volumeObject?.spec?.csi?.fsType;
  const likely =
    fsType && fsType !== 'ext4'
      ? `it is not named; the volume asks for ${fsType}, so mkfs.${fsType} is likely`
      : 'it is not named';
  return updateImage({ ask: p.ask, node: nodeOf(p), driver, likely, text, ...(wanted !== undefined && { wanted }) });
}

interface MissingProgram {
  readonly ask: Inquiry;
  readonly node: string;
  readonly driver: string | undefined;
  /** What can be said of a program that the text does not name. */
  readonly likely: string;
  readonly text: string;
  /** What the text asks for without a name of a program. */
  readonly wanted?: string;
}

/** The driver's image, or the node where the driver runs its programs there, lacks a program. */
export function updateImage({ ask, node, driver, likely, text, wanted }: MissingProgram): Fix {
  const program = wanted ?? namedProgramText.exec(text)?.slice(1).find(Boolean);
  const what = program === undefined ? `the missing program (${likely})` : program;
  if (onNodeText.test(text))
    return steps(
      'Install ' +
        `${program === 'iscsiadm' ? 'open-iscsi (Debian, Ubuntu) or iscsi-initiator-utils (Red Hat)' : what} ` +
        `on ${node}: the driver runs it there. The kubelet retries within about 2 minutes.`,
      [
        onNode(
          node,
          program === 'iscsiadm'
            ? "sh -c 'apt-get install -y open-iscsi || yum install -y iscsi-initiator-utils'"
            : `sh -c 'command -v ${program ?? 'PLACEHOLDER_PROGRAM'}'`,
        ),
      ],
    );
  const plugin = pluginOn(ask, driver, node);
  const owner = plugin && ownerOf(plugin);
  const container = driverContainerOf(plugin?.spec);
  const update = `Update the node plugin of ${driver ?? 'the driver'} to an image that has ${what}`;
  if (!plugin || !owner || container?.name === undefined) return steps(`Upgrade the driver: u${update.slice(1)}.`, []);
  return steps(
    `${update}. It runs ${container.image ?? 'an unknown image'} now; PLACEHOLDER_IMAGE is the new one.`,
    [
      `kubectl -n ${shellWord(plugin.metadata.namespace ?? '')} set image ` +
        `${owner.kind.toLowerCase()}/${shellWord(owner.name)} ${shellWord(container.name)}=PLACEHOLDER_IMAGE`,
    ],
    'disruptive',
  );
}
