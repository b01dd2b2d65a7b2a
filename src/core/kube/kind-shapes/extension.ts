import { boolean, list, record, string } from '../shape.ts';

const webhook = record({
  name: string,
  failurePolicy: string,
  rules: list(record({ operations: list(string), apiGroups: list(string), resources: list(string) })),
  clientConfig: record({ service: record({ namespace: string, name: string }), url: string }),
});

const roleRules = list(
  record({
    apiGroups: list(string),
    resources: list(string),
    resourceNames: list(string),
    verbs: list(string),
  }),
);
const roleBinding = {
  roleRef: record({ kind: string, name: string }),
  subjects: list(record({ kind: string, name: string, namespace: string })),
};

/** What extends the API or guards it, as far as it concerns storage. */
export const extensionShapes = {
  ReferenceGrant: {
    spec: record({
      from: list(record({ group: string, kind: string, namespace: string })),
      to: list(record({ group: string, kind: string, name: string })),
    }),
  },
  VolumePopulator: { sourceKind: record({ group: string, kind: string }) },
  CustomResourceDefinition: {
    spec: record({
      group: string,
      scope: string,
      names: record({ kind: string, plural: string }),
      versions: list(record({ name: string, served: boolean })),
    }),
  },
  MutatingWebhookConfiguration: { webhooks: list(webhook) },
  ValidatingWebhookConfiguration: { webhooks: list(webhook) },
  // Read from dumps only: see facts/rights.
  ClusterRole: { rules: roleRules },
  ClusterRoleBinding: roleBinding,
  Role: { rules: roleRules },
  RoleBinding: roleBinding,
} as const;
