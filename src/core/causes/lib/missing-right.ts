import type { Inquiry } from '../../graph/inquiry.ts';
import { field } from '../../facts/evidence.ts';
import { refusalOf } from '../../facts/rights.ts';
import type { Account, AnyRole, Refusal, Right } from '../../facts/rights.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { steps } from './steps.ts';

/** Rights that a controller needs for its next step, and that its roles do not hold. */
export interface MissingRights {
  readonly first: Refusal;
  readonly all: readonly Refusal[];
}

export function missingRights(ask: Inquiry, account: Account, rights: readonly Right[]): MissingRights | undefined {
  const all = rights.map((right) => refusalOf(ask, account, right)).filter((refusal) => refusal !== undefined);
  const [first] = all;
  return first && { first, all };
}

/** `its account kube-system/hcloud-csi may not patch persistentvolumes: ClusterRole hcloud-csi has no such rule` */
export function missingWords({ first, all }: MissingRights): string {
  const { namespace, name } = first.account;
  const byVerbs = Map.groupBy(byResource(all), ({ verbs }) => orWords(verbs));
  const rights = [...byVerbs].map(([verbs, group]) => `${verbs} ${group.map((right) => nameOf(right)).join(' or ')}`);
  const role = roleToChange(first);
  return `its account ${namespace}/${name} may not ${rights.join(', nor ')}: ${role.kind} ${role.metadata.name} has no such rule`;
}

export function missingEvidence({ first, all }: MissingRights): Evidence[] {
  const role = roleToChange(first);
  return byResource(all).map((right) => {
    const [resource = ''] = right.resource.split('/');
    const given = (role.rules ?? []).filter(
      (rule) =>
        (rule.resources ?? []).includes(right.resource) ||
        (!right.resource.includes('/') && (rule.resources ?? []).includes(resource)),
    );
    const verbs = [...new Set(given.flatMap((rule) => rule.verbs ?? []))];
    return field(role, `rules[${nameOf(right)}]`, verbs.length === 0 ? 'none' : verbs.join(', '));
  });
}

/** Adds exactly the rights that are missing; `retry` states what goes on then. */
export function addRights({ first, all }: MissingRights, release: string, retry: string): Fix {
  const role = roleToChange(first);
  const patch = byResource(all).map(({ group, resource, verbs }) => ({
    op: 'add',
    path: '/rules/-',
    value: { apiGroups: [group], resources: [resource], verbs },
  }));
  const place = role.kind === 'Role' ? `-n ${shellWord(role.metadata.namespace ?? '')} ` : '';
  return steps(
    `Add what is missing to ${role.kind} "${role.metadata.name}", or apply the RBAC manifests of ${release} that hold it: otherwise the next deployment of that release removes it again. ${retry}`,
    [
      `kubectl ${place}patch ${role.kind.toLowerCase()} ${shellWord(role.metadata.name)} --type=json -p ${shellWord(JSON.stringify(patch))}`,
    ],
  );
}

/** `get, create or patch` */
function orWords(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** One right for each resource, with all verbs that are missing for it. */
function byResource(all: readonly Refusal[]): Right[] {
  const groups = Map.groupBy(all, ({ right }) => nameOf(right));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first.right, verbs: [first, ...others].flatMap(({ right }) => right.verbs) }] : [],
  );
}

/** The role that has rules for the same kind of object already, else the first. */
function roleToChange({ roles, right }: Refusal): AnyRole {
  const [plain = ''] = right.resource.split('/');
  // What is needed in one namespace is not granted in all.
  const wanted = roles.filter(({ kind }) => kind === (right.namespace === undefined ? 'ClusterRole' : 'Role'));
  return (
    wanted.find(({ rules = [] }) => rules.some(({ resources = [] }) => resources.includes(plain))) ??
    wanted[0] ??
    roles[0]
  );
}

function nameOf({ group, resource }: Right): string {
  const [plain = '', subresource] = resource.split('/');
  return `${plain}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}
