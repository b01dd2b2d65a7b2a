import type { RawObject } from '../../kube/snapshot.ts';
import type { ObjectRef } from '../../report/report.ts';
import { madeNew } from '../rehearse/defaults.ts';
import { runWorkload } from '../rehearse/installation.ts';
import { podsOf } from '../rehearse/templates.ts';
import type { World } from '../rehearse/world.ts';
import {
  mergeInto,
  patched,
  withCordon,
  withMembers,
  withoutStatus,
  withReadyReplicas,
  withTaints,
} from './changed-objects.ts';
import { deleteObject, finishDeletion } from './delete-object.ts';
import { objectsNamed, readKubectl } from './kubectl-line.ts';
import type { KubectlCall } from './kubectl-line.ts';
import { isOfDaemonSet, isOwnedBy } from './owners.ts';
import { readShellLines } from './shell-line.ts';
import type { Pipeline, ShellProgram } from './shell-line.ts';

/**
 * How far commands could be played on a world: `changed` if they changed objects, `looked` if they only read,
 * `unplayable` if any of them does something whose effect on the objects is not known (a restart, a cloud's command, a
 * placeholder).
 */
export type Played = 'changed' | 'looked' | 'unplayable';

export type ParseManifests = (text: string) => readonly RawObject[];

/** Verbs that change nothing. */
const readingVerbs: ReadonlySet<string> = new Set([
  'get',
  'describe',
  'logs',
  'wait',
  'auth can-i',
  'rollout status',
  'apply view-last-applied',
  'csi',
  'top',
  'explain',
  'version',
  'api-resources',
]);

/** Values that a person has to fill in: PLACEHOLDER_KEY, NEW_SIZE, <name>. */
const placeholder =
  /(?:^|[\s"'=:/[{,])(?:PLACEHOLDER\w*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|<[a-z][\w -]*>)(?=$|[\s"'=:/\]},])/;

/** Plays the printed commands on a world, as kubectl, the API server and the first controllers would. */
export function playCommands(commands: readonly string[], world: World, parse: ParseManifests): Played {
  const player = new Player(world, parse);
  const results = commands.map((command) => player.play(command));
  if (results.includes('unplayable')) return 'unplayable';
  return results.includes('changed') ? 'changed' : 'looked';
}

class Player {
  readonly #world: World;
  readonly #parse: ParseManifests;
  /** What earlier commands saved, by file name. */
  readonly #files = new Map<string, readonly RawObject[]>();

  constructor(world: World, parse: ParseManifests) {
    this.#world = world;
    this.#parse = parse;
  }

  play(command: string): Played {
    const lines = readShellLines(command);
    if (lines === undefined || placeholder.test(command)) return 'unplayable';
    const results = lines.map((line) => this.#playLine(line));
    if (results.includes('unplayable')) return 'unplayable';
    return results.includes('changed') ? 'changed' : 'looked';
  }

  #playLine(line: Pipeline): Played {
    let objects: readonly RawObject[] | undefined;
    let result: Played = 'looked';
    for (const program of line) {
      const call = readKubectl(program.words);
      const printed = printedText(program);
      if (printed !== undefined) {
        objects = this.#parse(printed);
        continue;
      }
      if (call === undefined) return line.length > 1 && isFilter(program) ? result : 'unplayable';
      const step = this.#playCall(call, program, objects);
      if (step.played === 'unplayable') return 'unplayable';
      if (step.played === 'changed') result = 'changed';
      objects = step.objects;
      if (program.output !== undefined && objects) this.#files.set(program.output, objects);
    }
    return result;
  }

  #playCall(call: KubectlCall, program: ShellProgram, piped: readonly RawObject[] | undefined): Step {
    if (readingVerbs.has(call.verb)) return { played: 'looked', objects: this.#found(objectsNamed(call)) };
    switch (call.verb) {
      case 'patch':
        return call.flags.has('local') ? this.#patchLocal(call) : this.#change(call, (object) => patched(object, call));
      case 'annotate':
        return this.#change(call, (object) => withMembers(object, 'annotations', call.words));
      case 'label':
        return this.#change(call, (object) => withMembers(object, 'labels', call.words));
      case 'cordon':
      case 'uncordon':
        return this.#change(call, (object) => withCordon(object, call.verb === 'cordon'));
      case 'taint':
        return this.#change(call, (object) => withTaints(object, call.words));
      case 'scale':
        return this.#scale(call);
      case 'delete':
        return this.#delete(call, piped);
      case 'create':
      case 'apply':
      case 'replace':
        return this.#create(call, this.#manifests(call, program, piped));
      case 'create secret':
      case 'create configmap':
      case 'create namespace':
        return this.#createNamed(call);
      default:
        return { played: 'unplayable' };
    }
  }

  #found(refs: readonly ObjectRef[]): readonly RawObject[] {
    return refs.flatMap(({ kind, namespace, name }) => this.#world.get(kind, namespace, name) ?? []);
  }

  #change(call: KubectlCall, change: (object: RawObject) => RawObject | undefined): Step {
    const refs = objectsNamed(call);
    const objects = this.#found(refs);
    if (refs.length === 0 || objects.length < refs.length) return { played: 'unplayable' };
    // What the pods of a changed DaemonSet do on their nodes is not played.
    if (objects.some(({ kind }) => kind === 'DaemonSet')) return { played: 'unplayable' };
    if (call.verb === 'patch' && objects.some((object) => this.#replacesPods(object, call)))
      return { played: 'unplayable' };
    for (const object of objects) {
      const next = change(object);
      if (next === undefined) return { played: 'unplayable' };
      this.#world.put(next);
      finishDeletion(this.#world, next);
    }
    return { played: 'changed' };
  }

  /** A changed template replaces the pods of an application by new ones with other names, which is not played. */
  #replacesPods({ kind, metadata }: RawObject, call: KubectlCall): boolean {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') return false;
    if (!(call.flags.get('patch')?.at(-1) ?? '').includes('"template"')) return false;
    return this.#world
      .ofKind('Pod')
      .some((pod) => pod.metadata.namespace === metadata.namespace && isOwnedBy(pod, kind, metadata.name));
  }

  #patchLocal(call: KubectlCall): Step {
    const saved = this.#files.get(call.flags.get('filename')?.at(-1) ?? '');
    const objects = saved?.map((object) => patched(object, call));
    if (!objects || objects.includes(undefined)) return { played: 'unplayable' };
    return { played: 'looked', objects: objects as readonly RawObject[] };
  }

  #scale(call: KubectlCall): Step {
    const replicas = Number(call.flags.get('replicas')?.at(-1));
    if (!Number.isInteger(replicas)) return { played: 'unplayable' };
    const result = this.#change(call, (object) => mergeInto(object, { spec: { replicas } }));
    if (result.played !== 'changed') return result;
    for (const object of this.#found(objectsNamed(call))) {
      const pods = podsOf(object);
      if (replicas > 0) runWorkload(withReadyReplicas(object, replicas), pods, this.#world);
    }
    return result;
  }

  #delete(call: KubectlCall, piped: readonly RawObject[] | undefined): Step {
    if (call.words.length === 0 || piped) return { played: 'unplayable' };
    const refs = objectsNamed(call);
    if (refs.length === 0) return { played: 'unplayable' };
    // Its DaemonSet recreates the pod, and what that changes on the node is not known.
    if (this.#found(refs).some(isOfDaemonSet)) return { played: 'unplayable' };
    for (const ref of refs) deleteObject(this.#world, ref);
    return { played: 'changed' };
  }

  #manifests(
    call: KubectlCall,
    program: ShellProgram,
    piped: readonly RawObject[] | undefined,
  ): readonly RawObject[] | undefined {
    const file = call.flags.get('filename')?.at(-1);
    if (file === '-') return piped ?? (program.input === undefined ? undefined : this.#parse(program.input));
    return file === undefined ? undefined : this.#files.get(file);
  }

  #create(call: KubectlCall, objects: readonly RawObject[] | undefined): Step {
    if (!objects || objects.length === 0) return { played: 'unplayable' };
    for (const object of objects) {
      const namespace = object.metadata.namespace ?? call.namespace;
      const placed = { ...object, metadata: { ...object.metadata, ...(namespace !== undefined && { namespace }) } };
      const existing = this.#world.get(placed.kind, namespace, placed.metadata.name);
      const isUpdate = existing !== undefined && call.verb === 'apply';
      const next = isUpdate ? mergeInto(existing, withoutStatus(placed)) : madeNew(placed, this.#world.madeAt);
      if (!isUpdate) this.#world.noteNovelty(next);
      this.#world.put(next);
    }
    return { played: 'changed' };
  }

  #createNamed(call: KubectlCall): Step {
    const kinds = {
      'create secret': 'Secret',
      'create configmap': 'ConfigMap',
      'create namespace': 'Namespace',
    } as const;
    const kind = kinds[call.verb as keyof typeof kinds];
    const name = kind === 'Secret' ? call.words[1] : call.words[0];
    if (name === undefined) return { played: 'unplayable' };
    const metadata = { name, ...(kind !== 'Namespace' && { namespace: call.namespace ?? 'default' }) };
    this.#world.put(madeNew({ apiVersion: 'v1', kind, metadata }, this.#world.madeAt));
    return { played: 'changed' };
  }
}

interface Step {
  readonly played: Played;
  /** What the call prints as manifests, for a file or the next program. */
  readonly objects?: readonly RawObject[];
}

/** `printf '%s' TEXT`, which puts a manifest into a pipe. */
function printedText({ words: [name, format, text] }: ShellProgram): string | undefined {
  return name === 'printf' && format === '%s' ? text : undefined;
}

/** Programs that only choose lines of what others print. */
function isFilter({ words: [name = ''] }: ShellProgram): boolean {
  return ['grep', 'head', 'tail', 'sort', 'column'].includes(name);
}
