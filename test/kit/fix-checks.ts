import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import { foreseeFix } from '../../src/core/engine/fixes/foresee-fix.ts';
import { objectsNamed, readKubectl } from '../../src/core/engine/fixes/kubectl-line.ts';
import type { KubectlCall } from '../../src/core/engine/fixes/kubectl-line.ts';
import { readShellLines } from '../../src/core/engine/fixes/shell-line.ts';
import type { ShellProgram } from '../../src/core/engine/fixes/shell-line.ts';
import { resourceNamed } from '../../src/core/kube/resources.ts';
import { commandsOf } from '../../src/core/report/fix-commands.ts';
import type { Finding, Fix, ObjectRef, ReportItem, Risk } from '../../src/core/report/report.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';

/** Something wrong with a printed fix. */
export interface FixProblem {
  readonly rule: string;
  /** 1 is the first fix; 0 is about the finding as a whole. */
  readonly fix: number;
  readonly detail: string;
}

const parseManifests = (text: string): RawObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as RawObject);

const readingVerbs = [
  'get',
  'describe',
  'logs',
  'auth can-i',
  'auth whoami',
  'rollout status',
  'csi',
  'top',
  'explain',
  'debug',
  'api-resources',
  'events',
];

/** Programs beside kubectl that a fix may name: the tools of clouds and storage systems, and what runs on a node. */
const otherPrograms = [
  'aws',
  'az',
  'gcloud',
  'govc',
  'ceph',
  'rbd',
  'openstack',
  'doctl',
  'helm',
  'velero',
  'systemctl',
  'grep',
  'mkdir',
  'printf',
  'ssh',
  'showmount',
  'lsblk',
  'modprobe',
  'jq',
  'sed',
  'multipath',
  'zfs',
  'linstor',
];

/** Everything that is wrong with the fixes of a finding that blocks; a machine can tell no more. */
export function checkFixes(snapshot: Snapshot, item: ReportItem, finding: Finding): FixProblem[] {
  if (finding.fix.length === 0) return [{ rule: 'no-fix', fix: 0, detail: 'there is no next step' }];
  const repeated = finding.fix.flatMap((fix, index) =>
    finding.fix.slice(0, index).some((other) => isSame(fix, other))
      ? [{ rule: 'repeated', fix: index + 1, detail: fix.text }]
      : [],
  );
  return [...repeated, ...finding.fix.flatMap((fix, index) => checkFix(snapshot, item, fix, index + 1))];
}

function isSame(one: Fix, other: Fix): boolean {
  const commands = commandsOf(one).join('\n');
  return one.text === other.text || (commands !== '' && commands === commandsOf(other).join('\n'));
}

function checkFix(snapshot: Snapshot, item: ReportItem, fix: Fix, number: number): FixProblem[] {
  const problem = (rule: string, detail: string): FixProblem => ({ rule, fix: number, detail });
  const programs = commandsOf(fix).map((command) => ({ command, lines: readShellLines(command) }));
  const unread = programs.filter(({ lines }) => lines === undefined).map(({ command }) => problem('shell', command));
  const calls = programs.flatMap(({ lines = [] }) => lines.flat());
  return [
    ...checkText(fix).map((detail) => problem('text', detail)),
    ...unread,
    ...calls.flatMap((program) => checkProgram(program).map((detail) => problem('command', detail))),
    ...checkNames(snapshot, calls).map((detail) => problem('names', detail)),
    ...checkSaved(snapshot, calls).map((detail) => problem('save-first', detail)),
    ...checkRisk(snapshot, fix, calls).map((detail) => problem('risk', detail)),
    ...(number === 1 ? checkFirst(snapshot, item, fix, calls).map((detail) => problem('first', detail)) : []),
  ];
}

function checkText({ text }: Fix): string[] {
  return [
    ...(/^[A-Z"]/.test(text) ? [] : [`does not begin with a capital letter: ${text.slice(0, 60)}`]),
    ...(/[.:)]$/.test(text) ? [] : [`does not end with a full stop: …${text.slice(-40)}`]),
  ];
}

const verbs: readonly string[] = [
  ...readingVerbs,
  'delete',
  'patch',
  'annotate',
  'expose',
  'label',
  'taint',
  'cordon',
  'uncordon',
  'drain',
  'scale',
  'create',
  'apply',
  'replace',
  'apply view-last-applied',
  'create secret',
  'create configmap',
  'create namespace',
  'create serviceaccount',
  'create role',
  'create rolebinding',
  'create clusterrole',
  'create clusterrolebinding',
  'rollout restart',
  'rollout undo',
  'set image',
  'set env',
  'set resources',
  'set serviceaccount',
  'wait',
  'exec',
  'cp',
  'certificate approve',
  'autoscale',
  'edit',
  'version',
  'proxy',
  'run',
];

function checkProgram({ words }: ShellProgram): string[] {
  const call = readKubectl(words);
  if (!call)
    return otherPrograms.includes(words[0] ?? '') ? [] : [`starts ${words[0] ?? ''}: ${words.join(' ').slice(0, 80)}`];
  if (!verbs.includes(call.verb)) return [`kubectl has no verb ${call.verb}: ${words.join(' ').slice(0, 80)}`];
  if (call.verb === 'patch' && !call.flags.has('patch') && !call.flags.has('patch-file'))
    return [`patch without -p: ${words.join(' ').slice(0, 80)}`];
  const patch = call.flags.get('patch')?.at(-1);
  if (patch !== undefined && !isJson(patch)) return [`the patch is not JSON: ${patch.slice(0, 80)}`];
  const typed = call.words[0]?.split('/')[0];
  const isTyped =
    ['get', 'describe', 'delete', 'patch', 'annotate', 'label', 'scale'].includes(call.verb) &&
    !call.flags.has('filename');
  if (isTyped && typed === undefined) return [`names nothing: ${words.join(' ').slice(0, 80)}`];
  return [];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a command names exists, or an earlier one creates it, or its kind could not be read; namespaced objects carry -n. */
function checkNames(snapshot: Snapshot, programs: readonly ShellProgram[]): string[] {
  const created = new Set<string>();
  return programs.flatMap((program) => {
    const call = readKubectl(program.words);
    if (!call) return [];
    if (call.verb === 'create' || call.verb === 'apply' || call.verb.startsWith('create ') || call.verb === 'replace') {
      created.add('*');
      return [];
    }
    const types = (call.words[0] ?? '').split('/')[0]?.split(',') ?? [];
    const isNamespaced = types.some((type) => resourceNamed(type)?.namespaced === true);
    const isPlaced =
      call.namespace !== undefined ||
      call.flags.has('all-namespaces') ||
      call.flags.has('local') ||
      call.flags.has('filename');
    const unplaced =
      isNamespaced &&
      !isPlaced &&
      ['get', 'describe', 'delete', 'patch', 'annotate', 'label', 'scale', 'logs', 'rollout restart', 'wait'].includes(
        call.verb,
      );
    const missing =
      created.has('*') || types.length > 1
        ? []
        : objectsNamed(call).filter((ref) => !ref.name.startsWith('PLACEHOLDER') && isKnownAbsent(snapshot, ref));
    return [
      ...(unplaced ? [`no -n: ${program.words.join(' ').slice(0, 100)}`] : []),
      ...missing.map(({ kind, name }) => `${kind} ${name} does not exist: ${program.words.join(' ').slice(0, 100)}`),
    ];
  });
}

function isKnownAbsent(snapshot: Snapshot, { kind, namespace, name }: ObjectRef): boolean {
  const isRead = snapshot.observations.some(
    (observation) =>
      observation.kind === kind && observation.state === 'complete' && Object.keys(observation.scope).length === 0,
  );
  return isRead && find(snapshot, { kind, name, ...(namespace !== undefined && { namespace }) }) === undefined;
}

function find(snapshot: Snapshot, { kind, namespace, name }: ObjectRef): RawObject | undefined {
  return snapshot.objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (namespace === undefined || object.metadata.namespace === namespace),
  );
}

/** What a person wrote is saved to a file before it is deleted. */
function checkSaved(snapshot: Snapshot, programs: readonly ShellProgram[]): string[] {
  const saved = new Set<string>();
  return programs.flatMap((program) => {
    const call = readKubectl(program.words);
    if (!call) return [];
    const refs = objectsNamed(call);
    if (program.output !== undefined && ['get', 'apply view-last-applied'].includes(call.verb))
      for (const ref of refs) saved.add(`${ref.kind}/${ref.name}`);
    if (call.verb !== 'delete') return [];
    return refs
      .filter((ref) => isWritten(snapshot, ref) && !saved.has(`${ref.kind}/${ref.name}`))
      .map(({ kind, name }) => `${kind} ${name} is deleted without being saved`);
  });
}

function isWritten(snapshot: Snapshot, ref: ObjectRef): boolean {
  if (ref.kind === 'Pod') {
    const owners = find(snapshot, ref)?.metadata['ownerReferences'];
    return find(snapshot, ref) !== undefined && !(Array.isArray(owners) && owners.length > 0);
  }
  if (isKnownAbsent(snapshot, ref)) return false;
  return [
    'PersistentVolumeClaim',
    'StorageClass',
    'CSIDriver',
    'PersistentVolume',
    'VolumeSnapshot',
    'VolumeSnapshotClass',
    'Deployment',
    'StatefulSet',
    'DaemonSet',
  ].includes(ref.kind);
}

const rank: Readonly<Record<Risk, number>> = { safe: 0, disruptive: 1, 'data-loss': 2 };

function checkRisk(snapshot: Snapshot, fix: Fix, programs: readonly ShellProgram[]): string[] {
  // What comes after Retain was set keeps the data.
  const retainedAt = programs.findIndex(({ words }) =>
    /"(?:persistentVolumeReclaimPolicy|deletionPolicy)":"Retain"/.test(words.join(' ')),
  );
  return programs.flatMap((program, index) => {
    const call = readKubectl(program.words);
    const worst = call ? leastRisk(snapshot, call, program) : 'safe';
    const isRetained = worst === 'data-loss' && retainedAt >= 0 && retainedAt < index && call?.verb === 'delete';
    const least = isRetained ? 'disruptive' : worst;
    return rank[fix.risk] >= rank[least]
      ? []
      : [`${fix.risk}, but at least ${least}: ${program.words.join(' ').slice(0, 100)}`];
  });
}

function leastRisk(snapshot: Snapshot, call: KubectlCall, { words }: ShellProgram): Risk {
  const text = words.join(' ');
  if (call.verb === 'delete') {
    if (call.flags.has('force') || call.flags.get('grace-period')?.includes('0')) return 'disruptive';
    return objectsNamed(call).reduce<Risk>(
      (worst, ref) => (rank[riskOfDeletion(snapshot, ref)] > rank[worst] ? riskOfDeletion(snapshot, ref) : worst),
      'safe',
    );
  }
  if (call.verb === 'patch' && /"finalizers":\s*null|\/metadata\/finalizers/.test(text))
    return /\b(?:pv|pvc|persistentvolume\w*)\b/.test(call.words[0] ?? '') ? 'data-loss' : 'disruptive';
  if (['drain', 'rollout restart', 'rollout undo', 'set image'].includes(call.verb) || text.includes('out-of-service='))
    return 'disruptive';
  return 'safe';
}

function riskOfDeletion(snapshot: Snapshot, ref: ObjectRef): Risk {
  const object = find(snapshot, ref);
  const spec = (object?.['spec'] ?? {}) as {
    readonly volumeName?: string;
    readonly persistentVolumeReclaimPolicy?: string;
  };
  const phase = (object?.['status'] as { readonly phase?: string } | undefined)?.phase;
  if (ref.kind === 'PersistentVolumeClaim' && phase === 'Bound') {
    const volume = snapshot.objects.find(
      ({ kind, metadata }) => kind === 'PersistentVolume' && metadata.name === spec.volumeName,
    );
    const policy = (volume?.['spec'] as { readonly persistentVolumeReclaimPolicy?: string } | undefined)
      ?.persistentVolumeReclaimPolicy;
    return policy === 'Retain' ? 'disruptive' : 'data-loss';
  }
  if (ref.kind === 'PersistentVolume' && phase !== 'Available')
    return spec.persistentVolumeReclaimPolicy === 'Delete' ? 'data-loss' : 'disruptive';
  if (ref.kind === 'VolumeSnapshot' || ref.kind === 'VolumeSnapshotContent')
    return mayBeTaken(snapshot, ref) ? 'data-loss' : 'safe';
  if (ref.kind === 'Namespace') return 'data-loss';
  if (ref.kind === 'Pod' && phase === 'Running') return 'disruptive';
  return 'safe';
}

/** A snapshot is a restore point, unless nothing can be on the storage: it has no content, or the driver was never called for that. */
function mayBeTaken(snapshot: Snapshot, ref: ObjectRef): boolean {
  const object = find(snapshot, ref);
  const status = (object?.['status'] ?? {}) as { readonly boundVolumeSnapshotContentName?: string };
  const name =
    ref.kind === 'VolumeSnapshotContent'
      ? ref.name
      : (status.boundVolumeSnapshotContentName ?? `snapcontent-${String(object?.metadata.uid)}`);
  const contentRef = { kind: 'VolumeSnapshotContent', name };
  const content = find(snapshot, contentRef);
  if (!content) return status.boundVolumeSnapshotContentName !== undefined && !isKnownAbsent(snapshot, contentRef);
  const { source } = (content['spec'] ?? {}) as { readonly source?: { readonly snapshotHandle?: string } };
  const { snapshotHandle } = (content['status'] ?? {}) as { readonly snapshotHandle?: string };
  const annotations = Object.keys(content.metadata['annotations'] ?? {});
  return (
    source?.snapshotHandle !== undefined ||
    snapshotHandle !== undefined ||
    annotations.some((key) => key.endsWith('/volumesnapshot-being-created'))
  );
}

/** The first fix acts, and by our own reckoning does not leave things as they are. */
function checkFirst(snapshot: Snapshot, item: ReportItem, fix: Fix, programs: readonly ShellProgram[]): string[] {
  const calls = programs.map(({ words }) => readKubectl(words));
  // "Ask …" is the action; its command only tests what to ask for.
  const isOnlyLooking =
    programs.length > 0 &&
    !fix.text.startsWith('Ask ') &&
    calls.every((call) => call !== undefined && readingVerbs.includes(call.verb) && !actsOnNode(call));
  const after = foreseeFix(snapshot, item, fix, { parse: parseManifests });
  return [
    ...(programs.length === 0 &&
    !/^(?:Ask|Wait|Upgrade|Grow|Add|Set|Create|Give|Move|Install|Free|Start|Restore|Replace|Let|Correct)\b/.test(
      fix.text,
    )
      ? [`no command: ${fix.text.slice(0, 80)}`]
      : []),
    ...(isOnlyLooking ? [`only looks: ${commandsOf(fix).join(' ; ').slice(0, 120)}`] : []),
    ...(after?.status === 'blocked' && after.cause === item.cause
      ? [`leaves ${item.cause ?? ''}: ${commandsOf(fix).join(' ; ').slice(0, 160)}`]
      : []),
  ];
}

/** A debug pod that changes its node: a restart, an installation, a directory. */
function actsOnNode({ verb, behind }: KubectlCall): boolean {
  const command = behind.join(' ');
  return (
    verb === 'debug' &&
    /systemctl (?:(?:re)?start|enable --now)|(?:apt-get|yum) install|mkdir|crictl rmi|modprobe|umount|sed -i|fsck|xfs_repair|vgextend/.test(
      command,
    )
  );
}

/** Which of the commands a real shell does not parse: each is put into a function that is never called. */
export function unparsable(commands: readonly string[]): string[] {
  const parse = (some: readonly string[]): boolean =>
    spawnSync('bash', ['-n'], { input: some.map((command, index) => `f${index}() {\n${command}\n}\n`).join('') })
      .status === 0;
  const search = (some: readonly string[]): string[] => {
    if (some.length === 0 || parse(some)) return [];
    if (some.length === 1) return [...some];
    const half = Math.ceil(some.length / 2);
    return [...search(some.slice(0, half)), ...search(some.slice(half))];
  };
  return search([...new Set(commands)]);
}
