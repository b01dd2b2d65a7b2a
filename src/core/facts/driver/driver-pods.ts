import type { Container, ObjectOf, Pod } from '../../kube/kinds.ts';
import type { SidecarRole } from './driver-lease.ts';

export type PodSpec = NonNullable<Pod['spec']>;
export type Workload = ObjectOf<'Deployment'> | ObjectOf<'StatefulSet'> | ObjectOf<'DaemonSet'>;

const sidecarNames =
  /provisioner|attacher|resizer|snapshotter|snapshot-controller|liveness|registrar|health-monitor|rbac-proxy|addons/;

/** The container of the sidecar: by image, or by name where images are digests. */
export function sidecarOf(spec: PodSpec | undefined, role: SidecarRole): Container | undefined {
  const containers = spec?.containers ?? [];
  return (
    containers.find((container) => imageName(container).includes(role)) ??
    containers.find((container) => container.name?.includes(role))
  );
}

/** The container of the driver, next to the sidecars. */
export function driverContainerOf(spec: PodSpec | undefined): Container | undefined {
  const others = (spec?.containers ?? []).filter(
    (container) => !sidecarNames.test(imageName(container)) && !sidecarNames.test(container.name ?? ''),
  );
  return (
    others.find((container) => /endpoint/i.test(textsOf(container).join(' '))) ??
    others.find((container) => /driver|plugin|csi/.test(`${container.name ?? ''} ${imageName(container)}`)) ??
    others[0]
  );
}

/** Whether the pod names the driver in an argument, a variable or a socket path. */
export function mentionsDriver(spec: PodSpec | undefined, driver: string): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const paths = (spec?.volumes ?? []).map((volume) => volume.hostPath?.path ?? '');
  return [...containers.flatMap(textsOf), ...paths].some((text) => holdsName(text, driver));
}

/**
 * How similar the names of a pod and a driver are, such as `ebs-csi-controller` and ebs.csi.aws.com: between 0 and 1.
 */
export function likeness(name: string, spec: PodSpec | undefined, driver: string): number {
  return namesAnother(spec, driver) ? 0 : likenessOfWords(name, spec, driver);
}

/** The same, even if the pod is configured with the name of another driver. */
export function likenessOfWords(name: string, spec: PodSpec | undefined, driver: string): number {
  const words = distinctWords(driver);
  if (words.length === 0) return 0;
  const text = namesOf(name, spec);
  const product = productWords(driver, words);
  if (product.length > 0 && product.every((word) => text.includes(word))) return 1;
  return words.filter((word) => text.includes(word)).length / words.length;
}

/** Whether the names of a pod repeat each word of the driver's name, that of its vendor included. */
export function holdsAllWords(name: string, spec: PodSpec | undefined, driver: string): boolean {
  const words = distinctWords(driver);
  const text = namesOf(name, spec);
  return words.length > 0 && !namesAnother(spec, driver) && words.every((word) => text.includes(word));
}

function namesOf(name: string, spec: PodSpec | undefined): string {
  return [name, ...(spec?.containers ?? []).map(imagePath)].join(' ').toLowerCase();
}

const reversed = /^(?:com|io|org|net|dev)\.([^.]+)\./;
const plain = /(?:^|\.)([^.]+)\.(?:com|io|org|net|dev|cloud|in)$/;
const commonProducts = /^(?:block|volume|files?|disks?|share|local|cloud|server|cluster|manager|nodes?)$/;

/**
 * The words without the domain of the vendor, which workloads rarely repeat: `vsphere` of csi.vsphere.vmware.com. Empty
 * where none of them stands for the product alone.
 */
function productWords(driver: string, words: readonly string[]): readonly string[] {
  const vendor = (reversed.exec(driver) ?? plain.exec(driver))?.[1]?.toLowerCase();
  const product = words.filter((word) => word !== vendor);
  const isTelling = product.some((word) => word.length > 4 && !commonProducts.test(word));
  return isTelling && product.length < words.length ? product : [];
}

/** Whether the pod is configured with the name of another driver. */
export function namesAnother(spec: PodSpec | undefined, driver: string): boolean {
  const served = servedNames(spec);
  if (served.length > 0 && served.every(({ name }) => name !== driver)) return true;
  return (spec?.containers ?? []).some((container) => {
    const named =
      flagOf(container, 'drivername') ??
      flagOf(container, 'driver-name') ??
      /\/plugins\/([^/]+)\//.exec(flagOf(container, 'kubelet-registration-path') ?? '')?.[1];
    return named !== undefined && /^[a-z0-9.-]+$/i.test(named) && named !== driver;
  });
}

/** A name under which a pod provisions, and where the pod's spec sets it. */
export interface ServedName {
  readonly name: string;
  readonly path: string;
  /** The variable that sets it, unless it is an argument. */
  readonly variable?: string;
}

const nameFlags = ['provisioner', 'provisioner-name'];
const nameVariable = 'PROVISIONER_NAME';

/**
 * Provisioners that are not CSI drivers get the name that classes must use from a variable or an argument (lib
 * NewProvisionController, provisionerName). The sidecar of a CSI driver ignores both and asks the driver.
 */
export function servedNames(spec: PodSpec | undefined): readonly ServedName[] {
  return (spec?.containers ?? [])
    .filter((container) => playsProvisioner(container) && !isCsiSidecar(container))
    .flatMap(servedNameOf);
}

function playsProvisioner(container: Container): boolean {
  return imageName(container).includes('provisioner') || container.name?.includes('provisioner') === true;
}

export function isCsiSidecar(container: Container): boolean {
  return imageName(container).includes('csi') || flagOf(container, 'csi-address') !== undefined;
}

function servedNameOf(container: Container): ServedName[] {
  const path = `spec.containers[${container.name ?? ''}]`;
  const flag = nameFlags.find((each) => isPlainName(flagOf(container, each)));
  if (flag !== undefined) return [{ name: flagOf(container, flag) ?? '', path: `${path}.args[${flag}]` }];
  const variable = container.env?.find(({ name, value }) => name === nameVariable && isPlainName(value));
  return variable?.value === undefined
    ? []
    : [{ name: variable.value, path: `${path}.env[${nameVariable}]`, variable: nameVariable }];
}

/** Neither a bare switch, nor a value with variables in it. */
function isPlainName(text: string | undefined): boolean {
  return text !== undefined && text !== 'true' && text !== 'false' && /^[a-z0-9][\w./-]*$/i.test(text);
}

const commonWords = new Set([
  'csi',
  'com',
  'io',
  'k8s',
  'org',
  'net',
  'dev',
  'driver',
  'storage',
  'kubernetes',
  'provisioner',
  'external',
  'plugin',
  'sigs',
  'x',
  'openshift',
]);

/** The words of a driver's name that distinguish it from other drivers. */
function distinctWords(driver: string): string[] {
  const wordsOf = (text: string): string[] => [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter((word) => word.length > 1 && !commonWords.has(word)),
    ),
  ];
  const own = wordsOf(driver.slice(driver.lastIndexOf('/') + 1));
  return own.length > 0 ? own : wordsOf(driver);
}

/** Whether the text holds the name as a whole, not as a part of a longer name. */
function holdsName(text: string, name: string): boolean {
  // An empty name, as damaged objects have it, is found at every place, and the search would never end.
  if (name === '') return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[A-Za-z0-9.-]/.test(before) && !/^([A-Za-z0-9-]|\.[A-Za-z0-9])/.test(after)) return true;
  }
  return false;
}

function textsOf(container: Container): string[] {
  return [
    ...(container.command ?? []),
    ...(container.args ?? []),
    ...(container.env ?? []).map((variable) => `${variable.name ?? ''}=${variable.value ?? ''}`),
  ];
}

/** The value of a flag of a Go program: `--x=v` or `--x v`, one dash or two; `true` for a bare switch. */
export function flagOf(container: Container | undefined, flag: string): string | undefined {
  return flagsOf(container).get(flag);
}

/** All flags of a Go program; if one is given twice, the last one counts. */
export function flagsOf(container: Container | undefined): ReadonlyMap<string, string> {
  if (!container) return noFlags;
  const flags = flagsSeen.get(container) ?? readFlags(container);
  flagsSeen.set(container, flags);
  return flags;
}

const noFlags: ReadonlyMap<string, string> = new Map();
/** Every claim of a driver needs the flags of the same few containers. */
const flagsSeen = new WeakMap<Container, ReadonlyMap<string, string>>();

function readFlags({ command = [], args = [] }: Container): ReadonlyMap<string, string> {
  const words = [...command, ...args];
  const flags = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    const match = /^--?([A-Za-z0-9-]+)(?:=(.*))?$/s.exec(word);
    if (match?.[1] === undefined) continue;
    const next = words[index + 1];
    flags.set(match[1], match[2] ?? (next !== undefined && !next.startsWith('-') ? next : 'true'));
  }
  return flags;
}

export function imageName(container: Container): string {
  const path = imagePath(container);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Without the host of the registry, the tag and the digest: `vendor/driver`. The vendor is part of many driver names. */
function imagePath({ image = '' }: Container): string {
  const digest = image.indexOf('@');
  const name = digest < 0 ? image : image.slice(0, digest);
  const tag = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = tag < 0 ? name : name.slice(0, tag);
  const first = path.slice(0, Math.max(0, path.indexOf('/')));
  return (/[.:]|^localhost$/.test(first) ? path.slice(first.length + 1) : path).toLowerCase();
}

/** The workload that created the pod: for a ReplicaSet, its Deployment. */
export function ownerOf(pod: Pod): { readonly kind: string; readonly name: string } | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller) ?? pod.metadata.ownerReferences?.[0];
  if (!owner?.kind || !owner.name) return undefined;
  if (owner.kind !== 'ReplicaSet') return { kind: owner.kind, name: owner.name };
  const hash = pod.metadata.labels?.['pod-template-hash'];
  const name =
    hash && owner.name.endsWith(`-${hash}`) ? owner.name.slice(0, -hash.length - 1) : owner.name.replace(/-[^-]+$/, '');
  return { kind: 'Deployment', name };
}
