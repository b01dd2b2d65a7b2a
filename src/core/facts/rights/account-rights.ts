import type { Inquiry } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';

type ClusterRole = ObjectOf<'ClusterRole'>;
type ClusterRoleBinding = ObjectOf<'ClusterRoleBinding'>;

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** What a component does to objects of the whole cluster. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** A right that no role of an account has, as far as its roles and bindings were read. */
export interface MissingRight {
  readonly account: Account;
  readonly binding: ClusterRoleBinding;
  readonly role: ClusterRole;
}

/**
 * From the roles that a dump holds; a live cluster is not asked for them. Undefined where an account has the right, or
 * where no binding of it, or not every role of its bindings, was read.
 */
export function missingRight(ask: Inquiry, accounts: readonly Account[], right: Right): MissingRight | undefined {
  for (const account of accounts) {
    // Not a question of the inquiry: what no file holds is not read from a server for this.
    const bindings = ask.graph.all('ClusterRoleBinding').filter((binding) => binds(binding, account));
    const held = bindings.flatMap((binding) => {
      const role = ask.graph.find('ClusterRole', undefined, binding.roleRef?.name ?? '');
      return role ? [{ account, binding, role }] : [];
    });
    if (held.length === 0 || held.length < bindings.length) continue;
    if (held.some(({ role }) => allows(role, right))) return undefined;
    // The role that speaks of the same kind is the one that was meant to have it.
    return held.find(({ role }) => speaksOf(role, right)) ?? held[0];
  }
  return undefined;
}

function binds({ subjects = [] }: ClusterRoleBinding, { namespace, name }: Account): boolean {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return subjects.some(
    (subject) =>
      (subject.kind === 'ServiceAccount' && subject.name === name && subject.namespace === namespace) ||
      (subject.kind === 'Group' && groups.includes(subject.name ?? '')),
  );
}

/** plugin/pkg/auth/authorizer/rbac RuleAllows: a star stands for all, also before the name of a subresource. */
function allows({ rules = [] }: ClusterRole, { verb, group, resource }: Right): boolean {
  const [, subresource] = resource.split('/');
  const fits = (values: readonly string[] | undefined, ...wanted: readonly string[]): boolean =>
    values?.some((value) => value === '*' || wanted.includes(value)) === true;
  return rules.some(
    ({ verbs, apiGroups, resources }) =>
      fits(verbs, verb) &&
      fits(apiGroups, group) &&
      fits(resources, resource, ...(subresource === undefined ? [] : [`*/${subresource}`])),
  );
}

function speaksOf({ rules = [] }: ClusterRole, { group, resource }: Right): boolean {
  const [kind = resource] = resource.split('/');
  return rules.some(({ apiGroups, resources }) => apiGroups?.includes(group) && resources?.includes(kind));
}
