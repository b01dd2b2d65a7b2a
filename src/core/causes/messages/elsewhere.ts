/**
 * What a cluster also reports: images, probes, networks, rights, programs. The words of their errors are those of
 * storage systems, too.
 */
const otherSubjects: readonly RegExp[] = [
  // Images and containers.
  /\b(?:pull(?:ing|ed)?|unpack)\b.{0,40}\bimages?\b|\bimages?\b.{0,60}\bpull|pull access denied|\bmanifest unknown\b|\bImagePull|\bpull rate limit|image registry/i,
  /\bOCI runtime\b|\brunc\b|failed to create (?:containerd|shim) task|Back-off restarting|\bOOMKilled\b|out of memory: Killed/i,
  /\b(?:Liveness|Readiness|Startup) probe\b|liveness probe, will be restarted/i,
  // Networks.
  /pod sandbox|\bsandbox "|\bCNI\b|networkPlugin|\bLoadBalancer\b|load balancer|\bIngress(?:es)?\b|no endpoints available/i,
  /upstream connect error|upstream request timeout|\bBad Gateway\b|\bgRPC\.health\b|\bgrpc\.health\b/i,
  // The control plane, and objects that are not about storage.
  /resource lock \S+\/kube-(?:scheduler|controller-manager)|\betcdserver\b|metrics API|autoscaler: failed/i,
  /Unable to connect to the server|logged in to the server/i,
  /calling webhook "(?![^"]*(?:snapshot|volume|storage|pvc|csi))/i,
  /\b(?:deployments|daemonsets|replicasets|jobs|cronjobs|services|ingresses)(?:\.[\w.]+)? (?:is|"[^"]*" is) forbidden/i,
];

/** Words without which an error that names no step is not taken for one of storage. */
const storageWords =
  /volume|\bpvc?\b|\bclaim|storage|\bdis[kc]s?\b|\bcsi|mount|snapshot|file ?system|\bpools?\b|datastore|\bshares?\b|\bluns?\b|aggregate|\bbackends?\b|\/dev\/|device|attach|provision|bucket|\bnfs|\bcifs\b|\bsmb\b|iscsi|ceph|\brbd\b|\bebs\b|\befs\b|\bfsx\b|cinder|longhorn|vsan|vmdk|\bzfs\b|\blvm\b|\bvgs?\b|capacity|\bgigabytes\b|inode|\bblock\b|\bosd\b|\bmds\b|\bSSD\b|filer|\bexports?\b/i;

/** Whether a statement is about something else in the cluster, by its own words. */
export function isOfSomethingElse(text: string): boolean {
  return otherSubjects.some((subject) => subject.test(text));
}

export function speaksOfStorage(text: string): boolean {
  return storageWords.test(text);
}
