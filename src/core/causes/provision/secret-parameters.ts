import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { StorageClass } from '../../kube/kinds.ts';

export const parameterPrefix = 'csi.storage.k8s.io/';

/** For which call a class may name a secret, and the older keys that still count (external-provisioner controller.go, secretParamsMap). */
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
  return usedTemplates(storageClass).map((used, index) =>
    used.state === 'pair' ? resolve((secretKinds[index] as SecretKind).call, used, c) : used,
  );
}

const templatesByClass = new WeakMap<StorageClass, readonly Template[]>();

/** What the class says, whatever the claim: for each kind of secret its own keys, or else those for all. */
function usedTemplates(storageClass: StorageClass): readonly Template[] {
  let templates = templatesByClass.get(storageClass);
  if (!templates) {
    templates = secretKinds.map((kind) => {
      const own = templatesOf(kind, storageClass);
      return own.state === 'unused' ? templatesOf(defaultKind, storageClass) : own;
    });
    templatesByClass.set(storageClass, templates);
  }
  return templates;
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
  const call = kind.call === '' ? 'default' : kind.call;
  const [nameKey] = names;
  const [namespaceKey] = namespaces;
  if (names.length > 1 || namespaces.length > 1)
    return {
      state: 'incomplete',
      call,
      keys: [...names, ...namespaces],
      why: 'it is named twice, by the old and the new keys',
    };
  if (nameKey === undefined && namespaceKey === undefined) return { state: 'unused' };
  if (nameKey === undefined || namespaceKey === undefined)
    return {
      state: 'incomplete',
      call,
      keys: [...names, ...namespaces],
      why: nameKey === undefined ? `${keys.name[0] ?? ''} is not set` : `${keys.namespace[0] ?? ''} is not set`,
    };
  const name = parameters[nameKey] ?? '';
  const namespace = parameters[namespaceKey] ?? '';
  if (name === '' || namespace === '')
    return {
      state: 'incomplete',
      call,
      keys: [nameKey, namespaceKey],
      why: `${name === '' ? nameKey : namespaceKey} is empty`,
    };
  return { state: 'pair', nameKey, name, namespaceKey, namespace };
}

/** getSecretReference: the namespace may depend on less than the name, so that a user cannot point at another namespace's secret. */
function resolve(call: string, pair: TemplatePair, c: ClaimCase): SecretParameter {
  const tokens = new Map([
    ['pv.name', `pvc-${c.claim?.metadata.uid ?? ''}`],
    ['pvc.namespace', c.namespace],
  ]);
  const namespace = expand(pair.namespace, tokens);
  const invalid = (key: string, template: string, why: string): SecretParameter => ({
    state: 'invalid',
    call,
    key,
    template,
    why,
  });
  if (namespace.unknown.length > 0)
    return invalid(
      pair.namespaceKey,
      pair.namespace,
      `there is no \${${namespace.unknown.join('}, ${')}} in a namespace`,
    );
  if (!isLabel(namespace.text))
    return invalid(pair.namespaceKey, pair.namespace, `${namespace.text || 'an empty text'} is no namespace name`);
  tokens.set('pvc.name', c.name);
  for (const [key, value] of Object.entries(c.claim?.metadata.annotations ?? {}))
    tokens.set(`pvc.annotations['${key}']`, value);
  const name = expand(pair.name, tokens);
  if (name.unknown.length > 0)
    return invalid(
      pair.nameKey,
      pair.name,
      name.unknown.some((token) => token.startsWith('pvc.annotations'))
        ? `the claim has no annotation for \${${name.unknown.join('}, ${')}}`
        : `there is no \${${name.unknown.join('}, ${')}}`,
    );
  if (!isSubdomain(name.text))
    return invalid(pair.nameKey, pair.name, `${name.text || 'an empty text'} is no secret name`);
  return {
    state: 'resolved',
    call,
    key: pair.nameKey,
    namespaceKey: pair.namespaceKey,
    name: name.text,
    namespace: namespace.text,
  };
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
