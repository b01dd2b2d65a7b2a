import type { Node } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';

/** Runs a command of a Linux node, from a pod that the reader deletes afterwards. Windows nodes have no such shell. */
export function onNode(node: string, command: string): string {
  return `kubectl debug node/${shellWord(node)} -it --profile=sysadmin --image=busybox -- chroot /host ${command}`;
}

export function isWindows(node: Node | undefined): boolean {
  return (
    node?.status?.nodeInfo?.operatingSystem === 'windows' || node?.metadata.labels?.['kubernetes.io/os'] === 'windows'
  );
}
