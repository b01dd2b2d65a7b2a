/** What the cluster is, and what to do with it from another terminal. */
export function invitation(kubeconfig: string, sockets: string): string {
  return [
    '',
    'This is a demo cluster inside kubectl csi, on this machine only: it accepts changes, and its controllers act on them.',
    'It runs until Ctrl-C. In a second terminal, watch what is stuck:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl csi why-pending -A -w',
    'In a third one, with the same KUBECONFIG, follow a printed fix and see it heal, for example:',
    '  kubectl -n storage-system scale deployment files-controller --replicas=1',
    'Probe its drivers:',
    '  kubectl csi probe --all-nodes            through the API server',
    '  kubectl csi probe --all-nodes --exec     the same, and gRPC through their pods',
    `  kubectl csi probe '${sockets}/*.sock'   on this machine`,
  ].join('\n');
}
