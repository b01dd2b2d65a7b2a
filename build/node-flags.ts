/** As in bin/kubectl-csi, which says why. */
export const nodeFlags = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
