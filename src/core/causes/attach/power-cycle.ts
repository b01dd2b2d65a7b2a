import type { Fix } from '../../report/report.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf } from '../lib/storage-view.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** The storage itself names the act: the machine has to be switched off, which only its owner can do. */
export function powerCycleFixes(trouble: AttachTrouble): Fix[] {
  const { driver, node } = trouble;
  const pod = trouble.use?.p.pod;
  const drain = `kubectl drain ${shellWord(node)} --ignore-daemonsets --delete-emptydir-data`;
  const uncordon = `kubectl uncordon ${shellWord(node)}`;
  const machine = machineId(trouble);
  const own =
    driver === 'csi.hetzner.cloud' && machine !== undefined
      ? [`hcloud server shutdown ${shellWord(machine)}`, `hcloud server poweron ${shellWord(machine)}`]
      : [];
  const { team } = storageViewOf(driver, volumeObjectOf(trouble));
  const how =
    own.length > 0
      ? 'wait until it is off (hcloud server list) before the third line'
      : `${team} can do that, between the two lines`;
  const cycle = steps(
    `Switch the machine of ${node} off and on again, as the quoted words ask: ${how}. A reboot from inside is not ` +
      'enough. All other pods of the node move or stop.',
    [drain, ...own, uncordon],
    'disruptive',
  );
  if (!pod) return [cycle];
  return [
    cycle,
    steps(
      `Or move only pod/${pod.metadata.name} to another node: cordon ${node}, recreate the pod, and uncordon the node ` +
        'when its machine was switched off and on.',
      [`kubectl cordon ${shellWord(node)}`, ...restartPodCommands(pod), uncordon],
      'disruptive',
    ),
  ];
}

/** What the driver calls the machine: on the attachment, else in the CSINode. */
function machineId({ ask, attachment, driver, node }: AttachTrouble): string | undefined {
  const noted =
    attachment.state === 'found'
      ? attachment.object.metadata.annotations?.['csi.alpha.kubernetes.io/node-id']
      : undefined;
  return (
    noted ?? ask.graph.find('CSINode', undefined, node)?.spec?.drivers?.find(({ name }) => name === driver)?.nodeID
  );
}
