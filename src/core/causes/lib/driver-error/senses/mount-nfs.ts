/** No program on the node mounts NFS. */
export const clientMissingTexts =
  /need a \/sbin\/mount\.(?:<type>|\w+) helper|mount\.nfs4?: (?:not found|No such file)|unknown filesystem type '?nfs/;

/** The kernel has no NFS. */
export const moduleMissingTexts = /No such device(?! or address)|modprobe: (?:FATAL|ERROR)/i;

/** The server answered and refused. */
export const refusedTexts = /access denied by server|Permission denied|Operation not permitted/i;

/** No answer, or nothing listens. */
export const unreachableTexts =
  /Connection timed out|Connection refused|No route to host|Host is down|Network is unreachable|timed out/i;

/** The name of the server has no address. */
export const nameUnknownTexts =
  /Failed to resolve|Name or service not known|could not resolve|Temporary failure in name resolution/i;

/** The server has no such path. */
export const pathMissingTexts = /No such file or directory|does not exist/i;

/** No version in common. */
export const versionTexts = /Protocol not supported|requested NFS version or transport protocol is not supported/i;

/** NFS 3 without its lock daemon. */
export const lockDaemonTexts = /rpc\.statd is not running|lockd/i;
