import { resourceOf, typedNameOf } from '../../kube/resources.ts';
import type { Kind } from '../../kube/kinds.ts';
import { guardCommand } from '../../kube/safe-command.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix, Risk } from '../../report/report.ts';

/** A fix of one or more commands, in the order in which they are to be run. */
export function steps(text: string, lines: readonly string[], risk: Risk = 'safe'): Fix {
  const commands = lines.map(guardCommand);
  const [command] = commands;
  if (command === undefined) return { text, risk };
  return commands.length === 1 ? { text, command, risk } : { text, command, commands, risk };
}

/** What a command names: an object of the cluster, or one that is to be there. */
export interface Named {
  readonly kind: Kind;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** `kubectl -n NAMESPACE VERB TYPE NAME MORE`. `more` is put at the end as it is: quote what comes from a cluster. */
export function kubectl(verb: string, { kind, metadata: { namespace, name } }: Named, more = ''): string {
  const place = namespace === undefined || !resourceOf(kind).namespaced ? '' : `-n ${shellWord(namespace)} `;
  return `kubectl ${place}${verb} ${typeWord(kind)} ${shellWord(name)}${more === '' ? '' : ` ${more}`}`;
}

/** The word that people type for a kind: pvc, pv, pod, storageclass. */
function typeWord(kind: Kind): string {
  const { name, aliases } = resourceOf(kind);
  if (kind === 'PersistentVolumeClaim') return 'pvc';
  if (kind === 'PersistentVolume') return 'pv';
  return aliases[0] ?? name;
}

/** A merge patch of one object. */
export function patchCommand(object: Named, patch: object, more = ''): string {
  return kubectl(
    'patch',
    object,
    `${more === '' ? '' : `${more} `}--type=merge -p ${shellWord(JSON.stringify(patch))}`,
  );
}

/** Saves an object to a file before something is done that cannot be undone. */
export function saveCommand(object: Named): string {
  return kubectl('get', object, `-o yaml > ${shellWord(fileOf(object))}`);
}

/** In the current directory, even if a name in a dump contains a path. */
export function fileOf({ kind, metadata: { name } }: Named): string {
  return `${name.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^[-._]+/, '')}.${typeWord(kind)}.yaml`;
}

/**
 * A manifest to apply as it is. JSON, because a command is one line: a here-document loses its lines where text is
 * indented.
 */
export function applyCommand(manifest: object): string {
  return `printf '%s' ${shellWord(JSON.stringify(manifest))} | kubectl apply -f -`;
}

/**
 * The same for an object that must not exist yet. On an existing volume, `apply` would change its claimRef, and so take
 * the volume from the claim that has it.
 */
export function createCommand(manifest: object): string {
  return `printf '%s' ${shellWord(JSON.stringify(manifest))} | kubectl create -f -`;
}

/** `pvc/data`, as kubectl takes and prints it. */
export function typedName({ kind, metadata: { name } }: Named): string {
  return `${typedNameOf(kind)}/${name}`;
}

/** A command that prints the end of a log, so that it shows the lines about one volume with those around them. */
export function linesAbout(command: string, name: string): string {
  return `${command.replace(/ --tail=\d+$/, ' --since=1h')} | grep -F -C 5 -- ${shellWord(name)}`;
}
