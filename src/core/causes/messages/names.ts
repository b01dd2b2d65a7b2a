import type { Statement } from './statements.ts';

/** An object that a text names, in the form that kubectl csi takes: `pvc/data-0`. */
export interface NamedObject {
  readonly type: 'pvc' | 'pod' | 'pv' | 'va' | 'vs' | 'vsc' | 'sc' | 'node' | 'sts' | 'csidriver';
  readonly name: string;
  readonly namespace?: string;
}

const name = String.raw`[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?`;

interface Mention {
  readonly type: NamedObject['type'];
  /** The group `namespace` is optional. */
  readonly pattern: RegExp;
}

function mention(type: NamedObject['type'], source: string): Mention {
  const filled = source.replaceAll('NS', `(?<namespace>${name})`).replaceAll('NAME', `(?<name>${name})`);
  return { type, pattern: new RegExp(filled) };
}

/** How messages, logs and tables name objects; what decides sooner comes first. */
const mentions: readonly Mention[] = [
  mention('pod', String.raw`[Pp]od "?NAME_NS\([0-9a-f-]+\)`),
  mention('pod', String.raw`(?:^|\s)pods?\/NAME(?=\s|$|:)`),
  mention('pod', String.raw`[Pp]od "NS\/NAME"`),
  mention('pvc', String.raw`(?:^|\s)(?:persistentvolumeclaims?|pvc)\/NAME(?=\s|$|:)`),
  mention(
    'pvc',
    String.raw`(?:PVC|[Cc]laim|volume claim|PersistentVolumeClaim|persistentvolumeclaim|pvc)[:=]? ?"?NS\/"?\/?NAME\b`,
  ),
  mention('pvc', String.raw`object="NS\/NAME" (?:field\S+ )?kind="PersistentVolumeClaim"`),
  mention('pod', String.raw`object="NS\/NAME" (?:field\S+ )?kind="Pod"`),
  mention('pvc', String.raw`"(?:namespace|ns)":"NS"[^}]{0,80}"(?:name|pvc)":"NAME"`),
  mention('pvc', String.raw`(?:Unable to expand|error expanding volume) "?NS\/NAME`),
  mention('pvc', String.raw`persistentvolumeclaims? "NAME"`),
  mention('pvc', String.raw`(?:create|Create|failed to create) (?:Claim|PVC) NAME`),
  mention('vs', String.raw`(?:^|\s)volumesnapshots?\/NAME(?=\s|$|:)`),
  mention(
    'vs',
    String.raw`(?:[Ww]aiting for a snapshot|for snapshot|volume snapshot|VolumeSnapshot|Snapshot) NS\/NAME`,
  ),
  mention('va', String.raw`(?<name>csi-[0-9a-f]{64})`),
  mention('pv', String.raw`(?:^|\s)(?:persistentvolumes?|pv)\/NAME(?=\s|$|:)`),
  mention(
    'pv',
    String.raw`(?:for volume|resize volume|requested volume|PersistentVolume|persistentvolumes?|volume|PV|pv) ["']NAME["']`,
  ),
  mention('pv', String.raw`(?<name>pvc-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
  mention('sc', String.raw`(?:storageclass(?:es)?(?:\.storage\.k8s\.io)?|StorageClass|Storage Class) "NAME"`),
  mention('node', String.raw`(?:CSINode|csinodes?\.storage\.k8s\.io|failed node:|node) "?NAME\b`),
  mention(
    'csidriver',
    String.raw`(?:driver name|CSI driver|contain driver|external-attacher of|external provisioner) ["']?NAME`,
  ),
];

/** The kubelet also names volumes by their names in the pod, which no PersistentVolume has. */
function isName({ type, name: found }: NamedObject): boolean {
  if (type === 'pv') return /^pvc?-|\bpv|vol|disk|[0-9a-f]{8}-/.test(found);
  return !/^(?:is|not|was|has|the|for|to|and|a|an|in|of|on|name|object|from|driver)$/.test(found);
}

function namedIn(text: string): NamedObject[] {
  const found = mentions.flatMap(({ type, pattern }): NamedObject[] => {
    const groups = pattern.exec(text)?.groups;
    const named = groups?.['name'];
    if (named === undefined) return [];
    const namespace = groups?.['namespace'];
    const object: NamedObject = { type, name: named, ...(namespace !== undefined && { namespace }) };
    return isName(object) ? [object] : [];
  });
  return found;
}

/** The object that `kubectl describe` or YAML shows. */
export function describedObject(text: string): NamedObject | undefined {
  const described = /^Name:\s+(\S+)$/m.exec(text)?.[1];
  if (described !== undefined) {
    const namespace = /^Namespace:\s+(\S+)$/m.exec(text)?.[1];
    const type = describedType(text);
    return type && { type, name: described, ...(isScoped(type) && namespace !== undefined && { namespace }) };
  }
  const kind = /^\s*"?kind"?: "?(\w+)/m.exec(text)?.[1];
  const type = kind === undefined ? undefined : typesOfKinds[kind];
  const named = /^ {2,4}"?name"?: "?([\w.-]+)/m.exec(text)?.[1];
  const namespace = /^ {2,4}"?namespace"?: "?([\w.-]+)/m.exec(text)?.[1];
  if (type === undefined || named === undefined) return undefined;
  return { type, name: named, ...(isScoped(type) && namespace !== undefined && { namespace }) };
}

const typesOfKinds: Readonly<Record<string, NamedObject['type']>> = {
  Pod: 'pod',
  PersistentVolumeClaim: 'pvc',
  PersistentVolume: 'pv',
  VolumeAttachment: 'va',
  VolumeSnapshot: 'vs',
  VolumeSnapshotContent: 'vsc',
  StatefulSet: 'sts',
};

function describedType(text: string): NamedObject['type'] | undefined {
  const kind = /^Kind:\s+(\w+)$/m.exec(text)?.[1];
  if (kind !== undefined) return typesOfKinds[kind];
  if (/^Reclaim Policy:/m.test(text)) return 'pv';
  if (/^Used By:|^Access Modes:/m.test(text)) return 'pvc';
  if (/^Volume Claims:/m.test(text)) return 'sts';
  return /^(?:Containers|Init Containers|QoS Class):/m.test(text) ? 'pod' : undefined;
}

function isScoped(type: NamedObject['type']): boolean {
  return ['pvc', 'pod', 'vs', 'sts'].includes(type);
}

/** Kinds that a question about a cause of the stage can be about, best first. */
const kindsOfStage: Readonly<Record<string, readonly NamedObject['type'][]>> = {
  snapshot: ['vs', 'vsc', 'pvc'],
  delete: ['pvc', 'pv', 'vs', 'va'],
  claim: ['pvc', 'pod', 'sts', 'sc'],
  provision: ['pvc', 'pod', 'sts', 'sc'],
  attach: ['pod', 'pvc', 'va', 'pv', 'node'],
  mount: ['pod', 'pvc', 'pv', 'node'],
  schedule: ['pod', 'pvc', 'pv'],
};
const otherwise: readonly NamedObject['type'][] = ['pvc', 'pod', 'vs', 'sts', 'pv', 'sc', 'node'];

/** The object to ask about, of those that the statements and the text name. */
export function objectToAsk(
  statements: readonly Statement[],
  described: NamedObject | undefined,
  stage: string | undefined,
): NamedObject | undefined {
  if (described && described.type !== 'vsc') return described;
  const named = statements.flatMap(({ text }) => namedIn(text));
  const wanted = kindsOfStage[stage ?? ''] ?? otherwise;
  return wanted.flatMap((type) => named.filter((object) => object.type === type))[0];
}
