import type { Controller } from './driver/controller.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import type { ObjectOf, Pod } from '../kube/kinds.ts';

export type AnyRole = ObjectOf<'ClusterRole'> | ObjectOf<'Role'>;
type AnyBinding = ObjectOf<'ClusterRoleBinding'> | ObjectOf<'RoleBinding'>;

/** The service account of a pod. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** One of the verbs is enough: releases of a sidecar differ in whether they update or patch. */
export interface Right {
  readonly verbs: readonly string[];
  readonly group: string;
  /** RESOURCE or RESOURCE/SUBRESOURCE. */
  readonly resource: string;
  /** Of a namespaced resource: where it is needed. */
  readonly namespace?: string;
}

function accountOf({ metadata: { namespace }, spec }: Pod): Account {
  return { namespace: namespace ?? 'default', name: spec?.serviceAccountName || 'default' };
}

/** The account of a controller, from its pods, else from the workload that creates them. */
export function accountOfController(
  { pods, workload }: Pick<Controller, 'pods' | 'workload'>,
  leader?: Pod,
): Account | undefined {
  const pod = leader ?? pods.items[0];
  if (pod) return accountOf(pod);
  const spec = workload?.object?.spec?.template?.spec;
  return workload && spec && { namespace: workload.namespace, name: spec.serviceAccountName || 'default' };
}

/** The roles that were given to an account, where none of them holds the right. */
export interface Refusal {
  readonly account: Account;
  readonly right: Right;
  readonly roles: readonly [AnyRole, ...AnyRole[]];
}

/**
 * Whether the roles in a dump leave out a right. Nothing is read for it: few accounts may read roles. Undefined where
 * the right is there, or where it cannot be known: no binding of the account, or one whose role is not at hand.
 */
export function refusalOf(ask: Inquiry, account: Account, right: Right): Refusal | undefined {
  const bindings: AnyBinding[] = [
    ...ask.graph.all('ClusterRoleBinding'),
    ...ask.graph.all('RoleBinding').filter(({ metadata }) => metadata.namespace === right.namespace),
  ].filter(({ subjects = [] }) => subjects.some((subject) => names(subject, account)));
  const roles = bindings.map((binding) => roleOf(ask, binding));
  const known = roles.filter((role) => role !== undefined);
  const [first, ...others] = known;
  if (!first || known.length < roles.length) return undefined;
  if (known.some((role) => grants(role, right))) return undefined;
  return { account, right, roles: [first, ...others] };
}

function names({ kind, name, namespace }: NonNullable<AnyBinding['subjects']>[number], account: Account): boolean {
  if (kind === 'ServiceAccount') return name === account.name && namespace === account.namespace;
  if (kind === 'User') return name === `system:serviceaccount:${account.namespace}:${account.name}`;
  return (
    kind === 'Group' &&
    ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${account.namespace}`].includes(
      name ?? '',
    )
  );
}

function roleOf(ask: Inquiry, { metadata, roleRef }: AnyBinding): AnyRole | undefined {
  const name = roleRef?.name ?? '';
  const role =
    roleRef?.kind === 'Role'
      ? ask.graph.find('Role', metadata.namespace, name)
      : ask.graph.find('ClusterRole', undefined, name);
  return role?.rules === undefined ? undefined : role;
}

/** Rules for single objects are counted as the right: which objects they mean is not compared. */
function grants({ rules = [] }: AnyRole, { verbs, group, resource }: Right): boolean {
  const [, subresource] = resource.split('/');
  const wanted = [resource, '*', ...(subresource === undefined ? [] : [`*/${subresource}`])];
  return rules.some(
    (rule) =>
      holds(rule.apiGroups, [group, '*']) && holds(rule.resources, wanted) && holds(rule.verbs, [...verbs, '*']),
  );
}

function holds(given: readonly string[] | undefined, wanted: readonly string[]): boolean {
  return (given ?? []).some((each) => wanted.includes(each));
}
