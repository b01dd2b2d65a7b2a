import type { Rule } from '../lib/rule.ts';
import { nfsMountFailed } from './nfs-mount-failed.ts';
import { hostpathTypeCheck, localPathMissing } from './path-on-node.ts';
import { flexvolumeDriverMissing, gitrepoDisabled, intreeRemovedVolume } from './plugin-gone.ts';

/** Volumes that the kubelet mounts without a CSI driver: what no version can mount any more, then what the node lacks. */
export const localRules: readonly Rule[] = [
  intreeRemovedVolume,
  gitrepoDisabled,
  hostpathTypeCheck,
  localPathMissing,
  nfsMountFailed,
  flexvolumeDriverMissing,
];
