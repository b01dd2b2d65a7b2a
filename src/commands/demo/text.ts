/** How to look around in the cluster from another terminal. */
export function invitation(kubeconfig: string, sockets: string): string {
  return [
    '',
    'This cluster runs until Ctrl-C. Try it in another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get pvc -A',
    '  kubectl csi why-pending -A',
    '  kubectl csi probe --all-nodes            # the drivers, through the API server',
    '  kubectl csi probe --all-nodes --exec     # the drivers, with gRPC through their pods',
    `  kubectl csi probe '${sockets}/*.sock'   # the same drivers, on this machine`,
  ].join('\n');
}
