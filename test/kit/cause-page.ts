import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resourceNamed } from '../../src/core/kube/resources.ts';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import type { Scenario } from './scenario.ts';

const directory = join(import.meta.dirname, '../../docs/causes');

/** A command on a page, and under which heading it is. */
export interface PageCommand {
  readonly section: string;
  /** Commands of one block belong together: later ones use files of earlier ones. */
  readonly block: number;
  readonly line: string;
}

export interface CausePage {
  readonly cause: string;
  readonly text: string;
  readonly commands: readonly PageCommand[];
}

export function loadCausePages(): CausePage[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(directory, file), 'utf8');
      return { cause: file.slice(0, -'.md'.length), text, commands: commandsIn(text) };
    });
}

export function sectionOf(text: string, heading: string): string {
  return new RegExp(`^## ${heading}\n([^]*?)(?=^## |(?![^]))`, 'm').exec(text)?.[1] ?? '';
}

function commandsIn(text: string): PageCommand[] {
  let block = 0;
  return [...text.matchAll(/^## (.+)\n([^]*?)(?=^## |(?![^]))/gm)].flatMap(([, section = '', content = '']) =>
    [...content.matchAll(/^ *```(\w*)\n([^]*?)^ *```/gm)].flatMap(([, language = '', code = '']) => {
      block += 1;
      return ['', 'sh', 'bash', 'console'].includes(language)
        ? linesOf(code).map((line) => ({ section, block, line }))
        : [];
    }),
  );
}

function linesOf(code: string): string[] {
  return code
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Names of pages that stand for an object of one kind. */
const kindsOfNames: Readonly<Record<string, string>> = {
  CLAIM: 'PersistentVolumeClaim',
  SOURCE: 'PersistentVolumeClaim',
  VOLUME: 'PersistentVolume',
  PV: 'PersistentVolume',
  NODE: 'Node',
  CLASS: 'StorageClass',
  OTHER: 'StorageClass',
  DRIVER: 'CSIDriver',
  POD: 'Pod',
  'OLD-POD': 'Pod',
  SECRET: 'Secret',
  CONTENT: 'VolumeSnapshotContent',
  ATTACHMENT: 'VolumeAttachment',
  BUCKET: 'Bucket',
  QUOTA: 'ResourceQuota',
  SERVICE: 'Service',
};
const podNames = /^(?:CONTROLLER-POD|NODE-PLUGIN-POD|PROVISIONER-POD-ON-NODE|DRIVER-POD)$/;
/** Any value will do: the command is to be understood, and answered. */
const values: Readonly<Record<string, string>> = {
  REPLICAS: '1',
  KEY: 'key',
  VALUE: 'value',
  FILE: '/dev/null',
  ID: 'i-1',
  UID: 'uid-1',
  UID_OF_THE_CLAIM: 'uid-1',
  ZONE: 'zone-a',
  VERB: 'get',
  RESOURCE: 'persistentvolumes',
  ACCOUNT: 'csi-controller',
  CONTROLLER: 'csi-controller',
  FINALIZER: 'example.com/finalizer',
  GATE: 'example.com/gate',
  CURRENT: 'slow',
  KUBELET_ROOT: '/var/lib/kubelet',
  PATH: 'mnt/disks',
  'MOUNT-PATH': '/data',
  'DRIVER-CONTAINER': 'driver',
  REGISTRAR: 'node-driver-registrar',
  'DRIVER-WITH-DASHES': 'csi-example-com',
  PROVISIONER_NAME: 'csi.example.com',
  LABEL: 'topology.kubernetes.io/zone',
  HANDLE: 'vol-1',
  SERVER: 'filer.example.com',
  OPERATOR: 'csi',
  'POD-VOLUME': 'web-scratch',
};

/** The words of a page that stand for something else. Table headings of custom-columns are followed by a colon. */
const placeholder = /(?<![\w.-])[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*(?![\w:]|-[a-z])/g;
const ownWords = new Set(['IN', 'OK', 'CSI', 'CRD', 'JSON', 'YAML', 'EOF']);

/** The line with the names of the scenario, and what is left of its placeholders. */
export function fillIn(line: string, scenario: Scenario): { readonly line: string; readonly unknown: string[] } {
  const named = objectNamed(line, scenario);
  const namespace = named?.metadata.namespace ?? scenario.target.namespace ?? 'shop';
  const unknown: string[] = [];
  const filled = line.replace(placeholder, (word) => {
    if (ownWords.has(word)) return word;
    if (/^(?:DRIVER|SECRET)-NAMESPACE$/.test(word)) return 'storage';
    if (/NAMESPACE$/.test(word)) return namespace;
    if (/^(?:NAME|KIND)\d?$/.test(word))
      return word.startsWith('KIND') ? 'PersistentVolumeClaim' : nameIn(named, scenario);
    if (word === 'SIZE') return sizeOf(scenario);
    if (podNames.test(word)) return podWith(line, scenario);
    const kind = kindsOfNames[word];
    if (kind !== undefined) return pick(kind, scenario)?.metadata.name ?? 'none';
    const value = values[word];
    if (value === undefined) unknown.push(word);
    return value ?? word;
  });
  return { line: filled, unknown };
}

function nameIn(named: RawObject | undefined, scenario: Scenario): string {
  return named?.metadata.name ?? scenario.target.name;
}

/** The object that a command names NAME: by the type before it. */
function objectNamed(line: string, scenario: Scenario): RawObject | undefined {
  const type = /([a-z][\w.]*)(?: |\/)(?:NAME|CLAIM|SOURCE|POD|OLD-POD|CONTENT|QUOTA|SERVICE)\b/.exec(line)?.[1] ?? '';
  const kind = resourceNamed(type)?.kind;
  return kind === undefined ? undefined : pick(kind, scenario);
}

/** Of the objects of a kind the target, or one that the scenario adds, or any. */
function pick(kind: string, { target, file, snapshot }: Scenario): RawObject | undefined {
  const all = snapshot.objects.filter((object) => object.kind === kind);
  const own = (file.objects ?? []).filter((object) => object.kind === kind).map((object) => object.metadata?.name);
  return (
    all.find(({ metadata }) => kind === target.kind && metadata.name === target.name) ??
    all.find(({ metadata }) => own.includes(metadata.name)) ??
    all[0]
  );
}

/** A claim may be asked for no less than it has. */
function sizeOf(scenario: Scenario): string {
  const claim = pick('PersistentVolumeClaim', scenario) as { status?: { capacity?: { storage?: string } } } | undefined;
  return claim?.status?.capacity?.storage ?? '20Gi';
}

function podWith(line: string, { snapshot }: Scenario): string {
  const container =
    /-c ([a-z][a-z-]+)/.exec(line)?.[1] ?? (line.includes('NODE-PLUGIN') ? 'node-driver-registrar' : 'csi-provisioner');
  const pods = snapshot.objects.filter(({ kind }) => kind === 'Pod');
  const has = (pod: RawObject): boolean => JSON.stringify(pod).includes(`"name":"${container}"`);
  return (pods.find(has) ?? pods.find(({ metadata }) => metadata.namespace === 'storage'))?.metadata.name ?? 'none';
}
