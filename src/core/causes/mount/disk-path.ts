import { field } from '../../facts/evidence.ts';
import type { Attachment } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';

interface Portals {
  readonly hosts: readonly string[];
  readonly port: string;
  readonly isNvme: boolean;
}

const portalKey = /portal|discovery_?ip|target_?ip|iscsi_?(?:ip|address)|traddr|data_?ips?$/i;
const address = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g;

/** What the attach and the volume say of the way to the disk: drivers pass portals and targets to the node this way. */
function portalsOf({ use }: FailedMount): Portals | undefined {
  const facts = {
    ...use?.volumeObject?.spec?.csi?.volumeAttributes,
    ...attachmentOf(use)?.status?.attachmentMetadata,
  };
  const entries = Object.entries(facts);
  const hosts = [
    ...new Set(entries.flatMap(([key, value]) => (portalKey.test(key) ? (value.match(address) ?? []) : []))),
  ];
  if (hosts.length === 0) return undefined;
  const isNvme = entries.some(([, value]) => /\bnqn\.|^nvme/i.test(value));
  const isFibre = entries.some(([, value]) => /^fc(?:p)?$/i.test(value));
  const named = entries
    .flatMap(([key, value]) => (portalKey.test(key) ? [/\d:(\d{2,5})\b/.exec(value)?.[1]] : []))
    .find(Boolean);
  return isFibre ? undefined : { hosts, port: named ?? (isNvme ? '4420' : '3260'), isNvme };
}

function attachmentOf(use: FailedMount['use']): Attachment | undefined {
  const lookup = use?.attachment;
  return lookup?.state === 'found' ? lookup.object : undefined;
}

export function addressEvidence({ use }: FailedMount): Evidence[] {
  const attachment = attachmentOf(use);
  const metadata = attachment?.status?.attachmentMetadata;
  if (!attachment || !metadata || Object.keys(metadata).length === 0) return [];
  return [field(attachment, 'status.attachmentMetadata', metadata)];
}

/** The disk is exported and attached, and the node does not see it: the way to it, in the order in which it is built. */
export function diskPathFix(m: FailedMount): Fix | undefined {
  const portals = portalsOf(m);
  const node = nodeOf(m.p);
  if (!portals || isWindows(knownNode(m.p))) return undefined;
  const { hosts, port, isNvme } = portals;
  const [first = ''] = hosts;
  const test = (host: string): string =>
    `kubectl debug node/${shellWord(node)} -it --image=busybox -- nc -zv -w 5 ${shellWord(host)} ${port}`;
  const sessions = isNvme
    ? [onNode(node, `nvme discover -t tcp -a ${first} -s ${port}`), onNode(node, 'sh -c "nvme list-subsys; lsblk"')]
    : [
        onNode(node, `iscsiadm -m discovery -t sendtargets -p ${first}:${port}`),
        onNode(node, 'sh -c "iscsiadm -m session; cat /etc/iscsi/initiatorname.iscsi; multipath -ll"'),
      ];
  const end = isNvme
    ? 'Targets but no connection: ask the storage team to admit the host NQN of the node.'
    : 'Targets but no session: ask the storage team to admit the initiator name of the node. A session but no device in multipath -ll: let multipathd manage it (restart multipathd with the settings of the vendor).';
  return steps(
    `Find where the path from ${node} to the storage is broken, and repair it there. No connection to ${hosts.join(' or ')} on port ${port}: ask the network team (VLAN, second interface, firewall). ${end} ${retryWords}`,
    [...hosts.slice(0, 2).map(test), ...sessions],
  );
}
