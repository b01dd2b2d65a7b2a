import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import { provisionerOf } from './provisioner.ts';

export const parameterPrefix = 'csi.storage.k8s.io/';

/**
 * For which call a class may name a secret, and the older keys that still count (external-provisioner controller.go,
 * secretParamsMap).
 */
interface SecretKind {
  readonly call: string;
  readonly deprecated?: string;
}

/** In the order in which the provisioner resolves them; only the first secret is read while provisioning. */
const secretKinds: readonly SecretKind[] = [
  { call: 'provisioner', deprecated: 'csiProvisionerSecret' },
  { call: 'controller-publish', deprecated: 'csiControllerPublishSecret' },
  { call: 'node-stage', deprecated: 'csiNodeStageSecret' },
  { call: 'node-publish', deprecated: 'csiNodePublishSecret' },
  { call: 'controller-expand' },
  { call: 'node-expand' },
  { call: 'controller-modify' },
];
const defaultKind: SecretKind = { call: '' };

interface SecretKeys {
  readonly name: readonly string[];
  readonly namespace: readonly string[];
}

const keysByKind = new Map<SecretKind, SecretKeys>();

function keysOf(kind: SecretKind): SecretKeys {
  const keys = keysByKind.get(kind) ?? spellKeys(kind);
  keysByKind.set(kind, keys);
  return keys;
}

function spellKeys({ call, deprecated }: SecretKind): SecretKeys {
  const prefix = `${parameterPrefix}${call === '' ? '' : `${call}-`}secret`;
  return {
    name: [`${prefix}-name`, ...(deprecated ? [`${deprecated}Name`] : [])],
    namespace: [`${prefix}-namespace`, ...(deprecated ? [`${deprecated}Namespace`] : [])],
  };
}

/** Every reserved key that the provisioner knows (removePrefixedParameters). */
export const knownParameterKeys: ReadonlySet<string> = new Set([
  `${parameterPrefix}fstype`,
  ...[...secretKinds, defaultKind].flatMap((kind) => Object.values(keysOf(kind)).flat()),
]);

export type SecretParameter =
  | { readonly state: 'unused' }
  | { readonly state: 'incomplete'; readonly call: string; readonly keys: readonly string[]; readonly why: string }
  | {
      readonly state: 'invalid';
      readonly call: string;
      readonly key: string;
      readonly template: string;
      readonly why: string;
    }
  | {
      readonly state: 'resolved';
      readonly call: string;
      readonly key: string;
      readonly namespaceKey: string;
      readonly name: string;
      readonly namespace: string;
    };

/** What the class says of each secret, for this claim; the first one is the provisioner's own. */
export function secretsOf(storageClass: StorageClass, c: ClaimCase): SecretParameter[] {
  return usedTemplates(storageClass).map(({ call, template }) =>
    template.state === 'pair' ? resolve(call, template, c) : template,
  );
}

/** The keys that count for one call. */
interface UsedTemplate {
  readonly call: string;
  readonly template: Template;
}

const templatesByClass = new WeakMap<StorageClass, readonly UsedTemplate[]>();

/**
 * What the class defines for any claim: for each kind of secret its own keys, or else those for all. Cached, since
 * every claim of the class needs it.
 */
function usedTemplates(storageClass: StorageClass): readonly UsedTemplate[] {
  const templates = templatesByClass.get(storageClass) ?? findTemplates(storageClass);
  templatesByClass.set(storageClass, templates);
  return templates;
}

function findTemplates(storageClass: StorageClass): readonly UsedTemplate[] {
  return secretKinds.map((kind) => {
    const own = templatesOf(kind, storageClass);
    const template = own.state === 'unused' ? templatesOf(defaultKind, storageClass) : own;
    return { call: kind.call, template };
  });
}

type Template = TemplatePair | Extract<SecretParameter, { state: 'unused' | 'incomplete' }>;

interface TemplatePair {
  readonly state: 'pair';
  readonly nameKey: string;
  readonly name: string;
  readonly namespaceKey: string;
  readonly namespace: string;
}

/** verifyAndGetSecretNameAndNamespaceTemplate: both or neither, once each, and not empty. */
function templatesOf(kind: SecretKind, { parameters = {} }: StorageClass): Template {
  const keys = keysOf(kind);
  const names = keys.name.filter((key) => parameters[key] !== undefined);
  const namespaces = keys.namespace.filter((key) => parameters[key] !== undefined);
  const [nameKey] = names;
  const [namespaceKey] = namespaces;
  const incomplete = (why: string): Template => ({
    state: 'incomplete',
    call: kind.call === '' ? 'default' : kind.call,
    keys: [...names, ...namespaces],
    why,
  });
  if (names.length > 1 || namespaces.length > 1) return incomplete('it is named twice, by the old and the new keys');
  if (nameKey === undefined)
    return namespaceKey === undefined ? { state: 'unused' } : incomplete(`${keys.name[0] ?? ''} is not set`);
  if (namespaceKey === undefined) return incomplete(`${keys.namespace[0] ?? ''} is not set`);
  const name = parameters[nameKey] ?? '';
  const namespace = parameters[namespaceKey] ?? '';
  if (name === '' || namespace === '') return incomplete(`${name === '' ? nameKey : namespaceKey} is empty`);
  return { state: 'pair', nameKey, name, namespaceKey, namespace };
}

/**
 * getSecretReference: the namespace may depend on less than the name, so that a user cannot point at another
 * namespace's secret.
 */
function resolve(call: string, pair: TemplatePair, c: ClaimCase): SecretParameter {
  const namespace = resolveNamespace(pair, c);
  if (namespace.why !== undefined)
    return { state: 'invalid', call, key: pair.namespaceKey, template: pair.namespace, why: namespace.why };
  const name = resolveName(pair, c);
  if (name.why !== undefined) return { state: 'invalid', call, key: pair.nameKey, template: pair.name, why: name.why };
  const { nameKey: key, namespaceKey } = pair;
  return { state: 'resolved', call, key, namespaceKey, name: name.text, namespace: namespace.text };
}

interface Resolved {
  readonly text: string;
  /** Why the text is no valid name. */
  readonly why: string | undefined;
}

function resolveNamespace(pair: TemplatePair, c: ClaimCase): Resolved {
  const { text, unknown } = expand(pair.namespace, namespaceTokens(c));
  if (unknown.length > 0) return { text, why: `a namespace may not depend on ${tokensText(unknown)}` };
  return { text, why: isLabel(text) ? undefined : `${text || 'an empty name'} is not a valid namespace name` };
}

function resolveName(pair: TemplatePair, c: ClaimCase): Resolved {
  const { text, unknown } = expand(pair.name, nameTokens(c));
  if (unknown.some((token) => token.startsWith('pvc.annotations')))
    return { text, why: `the claim has no annotation for ${tokensText(unknown)}` };
  if (unknown.length > 0) return { text, why: `${tokensText(unknown)} is not a known token` };
  return { text, why: isSubdomain(text) ? undefined : `${text || 'an empty name'} is not a valid secret name` };
}

function namespaceTokens(c: ClaimCase): Map<string, string> {
  return new Map([
    ['pv.name', `pvc-${c.claim?.metadata.uid ?? ''}`],
    ['pvc.namespace', c.namespace],
  ]);
}

function nameTokens(c: ClaimCase): Map<string, string> {
  const annotations = Object.entries(c.claim?.metadata.annotations ?? {});
  return new Map([
    ...namespaceTokens(c),
    ['pvc.name', c.name],
    ...annotations.map(([key, value]): [string, string] => [`pvc.annotations['${key}']`, value]),
  ]);
}

function tokensText(tokens: readonly string[]): string {
  return `\${${tokens.join('}, ${')}}`;
}

/** As Go's os.Expand: ${token} or $token. */
function expand(
  template: string,
  tokens: ReadonlyMap<string, string>,
): { readonly text: string; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const text = template.replaceAll(
    /\$(?:\{([^}]*)\}|([A-Za-z0-9_]+))/g,
    (_match, braced: string | undefined, bare: string | undefined) => {
      const token = braced ?? bare ?? '';
      const value = tokens.get(token);
      if (value === undefined) unknown.push(token);
      return value ?? '';
    },
  );
  return { text, unknown };
}

function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(part));
}

/** Only the CSI sidecar reads these parameters; those of a class with an in-tree name are translated first. */
export function csiClassOf(c: ClaimCase): StorageClass | undefined {
  const provisioner = provisionerOf(c);
  return provisioner?.isCsi && !provisioner.inTree ? c.storageClassObject : undefined;
}
