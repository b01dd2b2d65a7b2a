import { resources } from '../../model/resources.ts';

/**
 * Words that stay in a disguised capture wherever they stand: they name parts of Kubernetes and of CSI, by which drivers
 * are told from other programs. Names that are made of nothing else are nobody's own.
 */
export const partWords: ReadonlySet<string> = new Set([
  ...['csi', 'driver', 'plugin', 'provisioner', 'attacher', 'resizer', 'snapshotter', 'snapshot', 'controller', 'registrar', 'liveness', 'livenessprobe', 'probe', 'health', 'monitor', 'rbac', 'proxy', 'addons', 'external', 'leader', 'webhook', 'populator'],
  ...['pvc', 'pv', 'snapcontent', 'groupsnapcontent', 'prime', 'kube', 'system', 'serviceaccount', 'kubernetes', 'k8s', 'io', 'local', 'sha256', 'unix', 'tcp', 'http', 'https', 'dns'],
  ...['true', 'false', 'yes', 'no', 'none', 'null', 'x', 'v1', 'v1beta1', 'v1beta2', 'v1alpha1', 'linux', 'windows', 'amd64', 'arm64', 'ext3', 'ext4', 'xfs', 'btrfs', 'ntfs', 'nfs', 'nfs4'],
  ...['var', 'lib', 'kubelet', 'plugins', 'registry', 'globalmount', 'sock', 'registration', 'template', 'hash', 'revision'],
]);

/** Names that every cluster has. */
export const commonNames: ReadonlySet<string> = new Set([
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease', 'kube-controller-manager', 'kube-scheduler', 'kube-apiserver', 'default-scheduler', 'cloud-controller-manager', 'snapshot-controller', 'snapshot-controller-leader', 'kube-root-ca.crt', 'kubelet', 'localhost', 'metadata.name', 'metadata.namespace'],
  ...resources.flatMap(({ kind, name, aliases }) => [kind, name, ...aliases]),
]);

/** Of these a word of a message is more likely English than somebody's name, unless quotes or slashes stand around it. */
export const spokenWords: ReadonlySet<string> = new Set(
  `a able abort about access account after again all allocate already an and another any api are as at attach attached attempt available back backend bad bar base be because been before being block body both bound bucket but by cache call can cannot capacity case change check class cli client clone close cloud code com common complete condition config connect connection container content context copy could create created current daemon data database date db default delete deleted demo denied deploy detach dev device did disk do does done down driver due each empty end endpoint engine error event every exceed exec exist existing exists exit expand export external fail failed failure fast fatal field file files filesystem find first fit fix flag for forbidden format found free from fs full get given go gold got group had handle has have held help high host hub id if image in info init inside instance internal invalid io is issue it its job keep key kind known label large last latest lease level limit line link list live load local lock log long lost low main make manager map mark match max me media medium memory message min missing mode more most mount mounted move multi my name namespace need network never new next no node nodes none not nothing now null number object of off old on one only open operation option or order other out over own owner page param part pass path pending permission place plan please pod pods point pool port power present primary private probe process prod production project provider provision public pull push put quota queue quick raw read ready real reason record refused region release remote remove replica request required reset resource response restore result retry right role root route row run running safe same sample save scale schedule search secret secrets select self send server service session set shared should simple single size slow small snapshot so some source space spec stage staging standard start state static status step still stop storage store stuck such support sync system table tag take target task team temp test text than that the their them then there these they this time timeout timed to token too topic two type unable under unit unknown unstable until up update upgrade use used user using valid value version via volume wait waiting warm was way web were what when where which while who will with within without work worker write yes yet you zone`.split(/\s+/),
);
