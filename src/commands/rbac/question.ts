import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { manifest } from '../../cli/manifest.ts';
import { unknownName } from '../../cli/near-names.ts';
import type { AccessRight } from '../../core/kube/access-right.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import type { RolePlan, RoleSubject } from './manifest.ts';
import { commandsWithRights, extraFlags, extraWords, hasExtra, rightsOf } from './rights.ts';
import type { ExtraFlag } from './rights.ts';

export interface RbacFlags extends ConnectionValues {
  readonly check: boolean;
  readonly namespace?: string[] | undefined;
  readonly name: string;
  readonly bind?: string[] | undefined;
  readonly 'without-secrets': boolean;
  readonly exec: boolean;
  readonly 'create-pods': boolean;
  readonly logs?: string | undefined;
  readonly auth?: string | undefined;
  readonly lease?: string | undefined;
  readonly output?: 'text' | DocumentFormat | undefined;
  readonly 'no-headers': boolean;
  readonly color: string;
}

/** The commands whose rights were requested, and what these rights are. */
export interface RightsQuestion {
  readonly commands: readonly string[];
  /** No command was named, so all of them count. */
  readonly isAll: boolean;
  readonly extras: readonly ExtraFlag[];
  readonly namespaces: readonly string[];
  readonly rights: readonly AccessRight[];
}

/** A command that takes each flag. */
const takers: Readonly<Record<ExtraFlag, string>> = {
  exec: 'probe',
  'create-pods': 'probe',
  logs: 'why',
  auth: 'serve',
  lease: 'serve',
};

export async function readQuestion(words: readonly string[], flags: RbacFlags): Promise<RightsQuestion> {
  await refuseUnknownCommands(words);
  const isAll = words.length === 0;
  const commands = isAll ? commandsWithRights() : [...new Set(words)];
  const extras = extraFlags.filter((flag) => flags[flag] && flags[flag] !== 'never' && flags[flag] !== 'none');
  for (const flag of extras) {
    const taker = takers[flag];
    if (!hasExtra(commands, flag))
      throw new UserError(`--${flag} needs ${taker}`, `Write kubectl csi rbac ${taker} ${extraWords(flag)}`);
  }
  for (const namespace of flags.namespace ?? [])
    if (!isDnsLabel(namespace))
      throw new UserError(
        `"${namespace}" is not a valid name for a namespace`,
        'A name has only lower-case letters, digits and "-"',
      );
  const rights = rightsOf(commands, extras)
    .filter(({ resource }) => !flags['without-secrets'] || resource !== 'secrets')
    // Access to pods is more than reading, so it is granted only if probe or one of its flags is named.
    .filter(({ resource }) => !isAll || !resource.includes('/') || isWithExtra(resource, extras));
  return { commands, isAll, extras, namespaces: [...new Set(flags.namespace ?? [])], rights };
}

/** The right to read logs is not the one to connect to pods. */
function isWithExtra(resource: string, extras: readonly ExtraFlag[]): boolean {
  return extras.some((flag) => (flag === 'logs' ? resource === 'pods/log' : flag === 'exec' || flag === 'create-pods'));
}

async function refuseUnknownCommands(words: readonly string[]): Promise<void> {
  const known = Object.keys(manifest.commands);
  const wrong = words.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const readers = commandsWithRights().join(', ');
  throw await unknownName('command', wrong, known, `The commands that read a cluster are ${readers}`);
}

export function planRoles(question: RightsQuestion, flags: RbacFlags): RolePlan {
  if (!isRoleName(flags.name))
    throw new UserError(
      `"${flags.name}" is not a valid name for a role`,
      'A name must not be empty, "." or "..", or contain "/" or "%"',
    );
  return {
    name: flags.name,
    rights: question.rights,
    namespaces: question.namespaces,
    subjects: (flags.bind ?? []).map(readSubject),
    notes: notesOn(question, flags),
  };
}

function notesOn({ commands, isAll, extras, namespaces, rights }: RightsQuestion, flags: RbacFlags): string[] {
  const named = isAll ? 'every command of kubectl csi' : `kubectl csi ${commands.join(', ')}`;
  const elsewhere = rights
    .filter(({ namespaced, isAskedElsewhere }) => namespaced && isAskedElsewhere)
    .map(({ resource }) => resource);
  return [
    `The rights that ${named}${extras.map((flag) => ` ${extraWords(flag)}`).join('')} needs, and no more.`,
    ...(isAll && extras.length === 0
      ? ['Not included: probe, which connects to pods of drivers. kubectl csi rbac probe adds it.']
      : []),
    ...(commands.includes('serve') && (!extras.includes('auth') || !extras.includes('lease'))
      ? [
          'Not included: what serve creates with --auth kubernetes (reviews of its callers) and --lease. ' +
            'rbac serve --auth kubernetes --lease NAME adds it.',
        ]
      : []),
    ...(flags['without-secrets']
      ? ['Without secrets: whether a secret that a class or a volume refers to exists is then not known.']
      : []),
    ...(namespaces.length === 0 || elsewhere.length === 0
      ? []
      : [
          'Drivers and sources can be in any namespace, so these are also read in other namespaces:',
          [...new Set(elsewhere)].join(', '),
          'With -n, only the given namespaces are known; without -n, all of them.',
        ]),
  ];
}

function readSubject(written: string): RoleSubject {
  const [type = '', ...rest] = written.split(':');
  const name = rest.join(':');
  if (type === 'serviceaccount') {
    const [namespace = '', account = '', ...more] = rest;
    if (!isDnsLabel(namespace) || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(account) || more.length > 0)
      throw new UserError(`--bind ${written} is not a service account`, 'Write --bind serviceaccount:NAMESPACE:NAME');
    return { kind: 'ServiceAccount', namespace, name: account };
  }
  if ((type === 'user' || type === 'group') && name !== '') return { kind: type === 'user' ? 'User' : 'Group', name };
  throw new UserError(
    `--bind ${written} is not a user, group or service account`,
    'Write --bind user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME',
  );
}

const isDnsLabel = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
/** The API server's rule for the names of roles (path.IsValidPathSegmentName): one segment of a URL path. */
const isRoleName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/%\p{Cc}]/u.test(name);
