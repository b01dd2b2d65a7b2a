/**
 * "Waiting for detach" from 1.36.4 and 1.37 on, "Multi-Attach error" before; reported only once (attach-detach
 * reconciler reportMultiAttachError).
 */
export const multiAttachText = /(?:Multi-Attach error|Waiting for detach) for volume "[^"]*" (.*)/s;

/** The pods that have the volume, as the controller lists them. */
export const usedByPodsText = /already used by pod\(s\) (.+?)(?: and \d+ pod\(s\) in different namespaces)?\s*$/s;
