import type { Rule } from '../../../journey/rule.ts';

/** Volumes that the kubelet mounts without a CSI driver: local, NFS, hostPath, Flex. */
export const localRules: readonly Rule[] = [];
