import type { AccessAnswer, AccessReport, AccessRight } from '../../core/kube/access-right.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { RoleSubject } from './manifest.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { manifest } from '../../cli/manifest.ts';
import { unknownName } from '../../cli/near-names.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource, ConnectionValues } from '../../cli/open-source.ts';
import { complain, print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { renderDocument } from '../../cli/render.ts';
import { commandsWithRights, extraFlags, hasExtra, rightsOf } from './rights.ts';
import type { ExtraFlag } from './rights.ts';

export interface RbacFlags extends ConnectionValues {
  readonly check: boolean;
  readonly namespace?: string[] | undefined;
  readonly name: string;
  readonly bind?: string[] | undefined;
  readonly 'without-secrets': boolean;
  readonly exec: boolean;
  readonly 'create-pods': boolean;
  readonly output?: 'text' | 'yaml' | 'json' | undefined;
  readonly 'no-headers': boolean;
  readonly color: string;
}

interface Asked {
  readonly commands: readonly string[];
  /** No command was named, so all are meant. */
  readonly isAll: boolean;
  readonly extras: readonly ExtraFlag[];
  readonly namespaces: readonly string[];
  readonly rights: readonly AccessRight[];
}

/** `rbac` from its words and flags to its exit code. */
export async function runRbac(words: readonly string[], flags: RbacFlags): Promise<ExitCode> {
  const asked = await readQuestion(words, flags);
  if (asked.rights.length === 0) {
    await complain(
      `no rights are needed: ${asked.commands.join(', ')} ${asked.commands.length === 1 ? 'asks' : 'ask'} no cluster for anything`,
    );
    return exitCodes.ok;
  }
  return flags.check ? checkRights(asked, flags) : printRoles(asked, flags);
}

async function readQuestion(words: readonly string[], flags: RbacFlags): Promise<Asked> {
  const known = Object.keys(manifest.commands);
  const wrong = words.find((word) => !known.includes(word));
  if (wrong !== undefined)
    throw await unknownName(
      'command',
      wrong,
      known,
      `the commands that read a cluster are ${commandsWithRights().join(', ')}`,
    );
  const commands = words.length === 0 ? commandsWithRights() : [...new Set(words)];
  const extras = extraFlags.filter((flag) => flags[flag]);
  for (const flag of extras)
    if (!hasExtra(commands, flag))
      throw new UserError(`--${flag} goes with probe`, `write kubectl csi rbac probe --${flag}`);
  for (const namespace of flags.namespace ?? [])
    if (!isDnsLabel(namespace))
      throw new UserError(
        `"${namespace}" cannot be the name of a namespace`,
        'names have small letters, digits and "-" only',
      );
  const isAll = words.length === 0;
  // A way into pods is more than reading: it is given to nobody who did not name probe.
  const rights = rightsOf(commands, extras).filter(
    ({ resource }) =>
      (!flags['without-secrets'] || resource !== 'secrets') && (!isAll || extras.length > 0 || !resource.includes('/')),
  );
  return { commands, isAll, extras, namespaces: [...new Set(flags.namespace ?? [])], rights };
}

async function printRoles(asked: Asked, flags: RbacFlags): Promise<ExitCode> {
  if (flags.output === 'text') throw new UserError('-o text goes with --check', 'a role is printed as yaml or json');
  if (!isRoleName(flags.name))
    throw new UserError(
      `"${flags.name}" cannot be the name of a role`,
      'it may not be empty, "." or "..", and holds neither "/" nor "%"',
    );
  const notes = notesOn(asked, flags);
  const plan = {
    name: flags.name,
    rights: asked.rights,
    namespaces: asked.namespaces,
    subjects: (flags.bind ?? []).map(readSubject),
    notes,
  };
  const { renderRolesJson, renderRolesYaml } = await import('./manifest.ts');
  if (flags.output === 'json') {
    await print(renderRolesJson(plan));
    // JSON has no comments, and what is left out must not go unsaid.
    if (notes.length > 1) await complain(notes.slice(1).join('\n'));
  } else await print(await renderRolesYaml(plan));
  return exitCodes.ok;
}

function notesOn({ commands, isAll, extras, namespaces, rights }: Asked, flags: RbacFlags): string[] {
  const named = isAll ? 'every command of kubectl csi' : `kubectl csi ${commands.join(', ')}`;
  const elsewhere = rights
    .filter(({ namespaced, isAskedElsewhere }) => namespaced && isAskedElsewhere)
    .map(({ resource }) => resource);
  return [
    `what ${named}${extras.map((flag) => ` --${flag}`).join('')} asks of a cluster, and no more`,
    ...(isAll && extras.length === 0
      ? [
          'probe speaks to drivers through their pods, which is more than reading: kubectl csi rbac probe prints that too',
        ]
      : []),
    ...(flags['without-secrets']
      ? ['without secrets: whether a secret that a class or a volume names exists is then not known']
      : []),
    ...(namespaces.length === 0 || elsewhere.length === 0
      ? []
      : [
          'drivers and sources can be anywhere, so these are looked for in other namespaces too:',
          [...new Set(elsewhere)].join(', '),
          'of those only what is in the namespaces named with -n is then known; without -n, all of it',
        ]),
  ];
}

function readSubject(written: string): RoleSubject {
  const [type = '', ...rest] = written.split(':');
  const name = rest.join(':');
  if (type === 'serviceaccount') {
    const [namespace = '', account = '', ...more] = rest;
    if (!isDnsLabel(namespace) || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(account) || more.length > 0)
      throw new UserError(
        `--bind ${written} does not name a service account`,
        'write --bind serviceaccount:NAMESPACE:NAME',
      );
    return { kind: 'ServiceAccount', namespace, name: account };
  }
  if ((type === 'user' || type === 'group') && name !== '') return { kind: type === 'user' ? 'User' : 'Group', name };
  throw new UserError(
    `--bind ${written} names nobody`,
    'write --bind user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME',
  );
}

const isDnsLabel = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
/** The API server's rule for roles: anything that can be one segment of a path. */
const isRoleName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/%\p{Cc}]/u.test(name);

async function checkRights(asked: Asked, flags: RbacFlags): Promise<ExitCode> {
  if (flags.bind !== undefined && flags.bind.length > 0)
    throw new UserError('--bind and --check exclude each other', 'to check for somebody else, use --as, as in kubectl');
  const source = await openSource({ ...flags, namespace: undefined });
  try {
    const items = await withProgress(`asking ${source.name}`, () => askForAll(source, asked));
    const count = (allowed: boolean | undefined): number => items.filter((item) => item.allowed === allowed).length;
    const summary = { allowed: count(true), missing: count(false), unknown: count(undefined) };
    await print(
      await renderCheck(
        {
          apiVersion: 'csi.kubectl.dev/v1',
          kind: 'AccessReport',
          source: { type: 'cluster', name: source.name },
          commands: asked.commands,
          items,
          summary,
        },
        asked,
        flags,
      ),
    );
    if (summary.missing > 0) return exitCodes.blocked;
    return summary.unknown > 0 ? exitCodes.inconclusive : exitCodes.ok;
  } finally {
    await source.close();
  }
}

/** The client itself keeps the number of requests at a time small. */
async function askForAll(source: ClusterSource, { rights, namespaces }: Asked): Promise<AccessAnswer[]> {
  const questions = rights.flatMap((right) =>
    placesOf(right, namespaces).flatMap((namespace) => right.verbs.map((verb) => ({ right, verb, namespace }))),
  );
  return Promise.all(
    questions.map(async ({ right: { group, resource, tells }, verb, namespace }) => {
      const [plural = '', subresource] = resource.split('/');
      const place = namespace === undefined ? {} : { namespace };
      const allowed = await source.mayI({
        verb,
        group,
        resource: plural,
        ...(subresource !== undefined && { subresource }),
        ...place,
      });
      return { group, resource, verb, ...place, ...(allowed !== undefined && { allowed }), needed: tells };
    }),
  );
}

function placesOf({ namespaced }: AccessRight, namespaces: readonly string[]): readonly (string | undefined)[] {
  return namespaced && namespaces.length > 0 ? namespaces : [undefined];
}

async function renderCheck(report: AccessReport, asked: Asked, flags: RbacFlags): Promise<string> {
  if (flags.output === 'json' || flags.output === 'yaml') {
    return renderDocument(report, flags.output);
  }
  const { renderAccessCheck } = await import('./check.ts');
  const granting = [
    'kubectl csi rbac',
    ...(asked.isAll ? [] : asked.commands),
    ...asked.extras.map((flag) => `--${flag}`),
    ...asked.namespaces.map((namespace) => `-n ${namespace}`),
  ].join(' ');
  return renderAccessCheck(report, {
    ...screenOf(flags.color as ColourChoice, process.env, process.stdout),
    granting,
    headers: !flags['no-headers'],
  });
}
