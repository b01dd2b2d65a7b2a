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
  const text = [name, ...(spec?.containers ?? []).map(imagePath)].join(' ').toLowerCase();
  return words.filter((word) => text.includes(word)).length / words.length;
}

/** Whether the pod is configured with the name of another driver. */
function namesAnother(spec: PodSpec | undefined, driver: string): boolean {
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

function isCsiSidecar(container: Container): boolean {
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
  const path = pathOf(container);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The name with the organisation before it, which often names the vendor: hetznercloud/hcloud-csi-driver. */
function imagePath(container: Container): string {
  const [host = '', ...rest] = pathOf(container).split('/');
  // A registry has a dot or a port, and an organisation has neither.
  return (/[.:]/.test(host) && rest.length > 0 ? rest : [host, ...rest]).slice(-2).join('/');
}

function pathOf({ image = '' }: Container): string {
  const digest = image.indexOf('@');
  const path = digest < 0 ? image : image.slice(0, digest);
  const tag = path.indexOf(':', path.lastIndexOf('/') + 1);
  return path.slice(0, tag < 0 ? path.length : tag).toLowerCase();
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
