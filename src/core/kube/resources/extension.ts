import type { Resource } from './resource.ts';

const authorization = { group: 'rbac.authorization.k8s.io', versions: ['v1'] } as const;
const admission = { group: 'admissionregistration.k8s.io', versions: ['v1'] } as const;

/** What extends the API, as far as it concerns storage. */
export const extensionResources: readonly Resource[] = [
  {
    kind: 'ReferenceGrant',
    name: 'referencegrants',
    group: 'gateway.networking.k8s.io',
    versions: ['v1', 'v1beta1'],
    namespaced: true,
    aliases: ['referencegrant'],
    isOptional: true,
    tells: 'whether another namespace may be used as a source',
  },
  {
    kind: 'VolumePopulator',
    name: 'volumepopulators',
    group: 'populator.storage.k8s.io',
    versions: ['v1beta1'],
    namespaced: false,
    aliases: ['volumepopulator'],
    isOptional: true,
    tells: 'which kinds a volume populator serves',
  },
  {
    kind: 'CustomResourceDefinition',
    name: 'customresourcedefinitions',
    group: 'apiextensions.k8s.io',
    versions: ['v1'],
    namespaced: false,
    aliases: ['customresourcedefinition', 'crd'],
    tells: 'whether the kind of the data source is installed',
  },
  {
    kind: 'MutatingWebhookConfiguration',
    name: 'mutatingwebhookconfigurations',
    ...admission,
    namespaced: false,
    aliases: ['mutatingwebhookconfiguration'],
    tells: 'which webhooks may refuse a claim',
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    name: 'validatingwebhookconfigurations',
    ...admission,
    namespaced: false,
    aliases: ['validatingwebhookconfiguration'],
    tells: 'which webhooks may refuse a claim',
  },
  {
    kind: 'ClusterRole',
    name: 'clusterroles',
    ...authorization,
    namespaced: false,
    aliases: ['clusterrole'],
    isOfFiles: true,
    tells: 'what the account of a controller may do',
  },
  {
    kind: 'ClusterRoleBinding',
    name: 'clusterrolebindings',
    ...authorization,
    namespaced: false,
    aliases: ['clusterrolebinding'],
    isOfFiles: true,
    tells: 'what the account of a controller may do',
  },
  {
    kind: 'Role',
    name: 'roles',
    ...authorization,
    namespaced: true,
    aliases: ['role'],
    isOfFiles: true,
    tells: 'what the account of a controller may do',
  },
  {
    kind: 'RoleBinding',
    name: 'rolebindings',
    ...authorization,
    namespaced: true,
    aliases: ['rolebinding'],
    isOfFiles: true,
    tells: 'what the account of a controller may do',
  },
];
