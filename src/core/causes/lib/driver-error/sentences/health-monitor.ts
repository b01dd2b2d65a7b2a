/** external-health-monitor: the volumes of pods on a node that is down. */
export const failedNodeText = /are now on a failed node: (\S+)/;
