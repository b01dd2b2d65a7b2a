import type { Container, ObjectOf, Pod } from '../../kube/kinds.ts';
import type { SidecarRole } from './driver-lease.ts';

export type PodSpec = NonNullable<Pod['spec']>;
export type Workload = ObjectOf<'Deployment'> | ObjectOf<'StatefulSet'> | ObjectOf<'DaemonSet'>;

const sidecarNames =
  /provisioner|attacher|resizer|snapshotter|snapshot-controller|liveness|registrar|health-monitor|rbac-proxy|addons/;

/** The container that plays the role: by image, or by name where images are digests. */
export function sidecarOf(spec: PodSpec | undefined, role: SidecarRole): Container | undefined {
  const containers = spec?.containers ?? [];
  return (
    containers.find((container) => imageName(container).includes(role)) ??
    containers.find((container) => container.name?.includes(role))
  );
}

/** The driver itself: the container beside the sidecars. */
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

/** Whether the pod says itself that it belongs to the driver: in an argument, a variable or a socket path. */
export function mentionsDriver(spec: PodSpec | undefined, driver: string): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const paths = (spec?.volumes ?? []).map((volume) => volume.hostPath?.path ?? '');
  return [...containers.flatMap(textsOf), ...paths].some((text) => holdsName(text, driver));
}

/** The same pod and the same driver by likeness: `ebs-csi-controller` and ebs.csi.aws.com; between 0 and 1. */
export function likeness(name: string, spec: PodSpec | undefined, driver: string): number {
  return namesAnother(spec, driver) ? 0 : likenessOfWords(name, spec, driver);
}

/** The same, whatever name it says itself that it has. */
export function likenessOfWords(name: string, spec: PodSpec | undefined, driver: string): number {
  const words = tellingWords(driver);
  if (words.length === 0) return 0;
  const text = [name, ...(spec?.containers ?? []).map(imageName)].join(' ').toLowerCase();
  return words.filter((word) => text.includes(word)).length / words.length;
}

/** It was started under a name, and that is not this one. */
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

/** A name under which a pod provisions, and where in the pod's spec it stands. */
export interface ServedName {
  readonly name: string;
  readonly path: string;
  /** The variable that holds it, where it is no argument. */
  readonly variable?: string;
}

const nameFlags = ['provisioner', 'provisioner-name'];
const nameVariable = 'PROVISIONER_NAME';

/**
 * Provisioners that are no CSI drivers are told the name that classes must give (lib NewProvisionController, provisionerName): in a
 * variable or an argument. The sidecar of a CSI driver asks the driver instead, and heeds neither.
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

/** No switch without a value, and nothing that is put together elsewhere. */
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

function tellingWords(driver: string): string[] {
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

function holdsName(text: string, name: string): boolean {
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

/** All flags of a Go program; of one that is given twice the last counts. */
export function flagsOf(container: Container | undefined): ReadonlyMap<string, string> {
  if (!container) return noFlags;
  const flags = flagsSeen.get(container) ?? readFlags(container);
  flagsSeen.set(container, flags);
  return flags;
}

const noFlags: ReadonlyMap<string, string> = new Map();
/** The same few containers are asked about for every claim of a driver. */
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
  const { image = '' } = container;
  const digest = image.indexOf('@');
  const path = digest < 0 ? image : image.slice(0, digest);
  const start = path.lastIndexOf('/') + 1;
  const tag = path.indexOf(':', start);
  return path.slice(start, tag < 0 ? path.length : tag).toLowerCase();
}

/** Who made the pod, in the words of kubectl; a ReplicaSet stands for its Deployment. */
export function ownerOf(pod: Pod): { readonly kind: string; readonly name: string } | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller) ?? pod.metadata.ownerReferences?.[0];
  if (!owner?.kind || !owner.name) return undefined;
  if (owner.kind !== 'ReplicaSet') return { kind: owner.kind, name: owner.name };
  const hash = pod.metadata.labels?.['pod-template-hash'];
  const name =
    hash && owner.name.endsWith(`-${hash}`) ? owner.name.slice(0, -hash.length - 1) : owner.name.replace(/-[^-]+$/, '');
  return { kind: 'Deployment', name };
}
