/** What the cluster is, and what to do with it from another terminal. */
export function invitation(kubeconfig: string, sockets: string): string {
  return [
    '',
    'This demo cluster runs inside kubectl csi, on this machine only, until Ctrl-C.',
    'It accepts changes, and its controllers act on them.',
    '',
    'In a second terminal, watch what is stuck:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl csi why-pending -A -w',
    '',
    'In a third terminal, with the same KUBECONFIG, follow a printed fix, for example:',
    '  kubectl -n storage-system scale deployment files-controller --replicas=1',
    '',
    'Probe its drivers through the API server, through their pods, or on this machine:',
    '  kubectl csi probe --all-nodes',
    '  kubectl csi probe --all-nodes --exec',
    `  kubectl csi probe '${sockets}/*.sock'`,
  ].join('\n');
}

/** The cluster of --once has ended when its diagnosis is read, so only another demo can show more. */
export const hintAfterwards = {
  text: 'Evidence and fix for each of them:',
  command: 'kubectl csi demo --once --details',
};

export const farewell = [
  '',
  'This demo cluster has ended. To follow a fix and see it heal, keep one running:',
  '  $ kubectl csi demo',
].join('\n');
