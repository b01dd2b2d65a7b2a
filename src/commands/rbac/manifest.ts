import type { AccessRight } from '../../core/kube/access-right.ts';
import { sanitise } from '../../terminal/sanitise.ts';

export interface RoleSubject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  readonly namespace?: string;
}

export interface RolePlan {
  readonly name: string;
  readonly rights: readonly AccessRight[];
  /** A Role in each of these for namespaced resources; without any, everything is in one ClusterRole. */
  readonly namespaces: readonly string[];
  readonly subjects: readonly RoleSubject[];
  /** Comments above the first document. */
  readonly notes: readonly string[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly object[];
}

interface Document {
  readonly manifest: Manifest;
  /** The rights behind the rules, in the same order. */
  readonly rights: readonly AccessRight[];
}

const apiGroup = 'rbac.authorization.k8s.io';

export function rolesDocument(plan: RolePlan): object {
  const manifests = documentsOf(plan).map(({ manifest }) => manifest);
  const [only] = manifests;
  return manifests.length === 1 && only !== undefined ? only : { apiVersion: 'v1', kind: 'List', items: manifests };
}

/** Each rule has a comment that states its purpose, since a person has to approve it. */
export async function renderRolesYaml(plan: RolePlan): Promise<string> {
  const { Document, isMap, isSeq } = await import('yaml');
  const texts = documentsOf(plan).map(({ manifest, rights }, index) => {
    const document = new Document(manifest, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
    const rules = document.get('rules');
    if (isSeq(rules)) {
      for (const [at, rule] of rules.items.entries()) {
        if (!isMap(rule)) continue;
        const right = rights[at] as AccessRight;
        rule.commentBefore = commentLines([
          right.tells,
          ...(right.isMetadataOnly ? ['only the metadata is read, never the contents'] : []),
        ]);
        for (const { value } of rule.items) if (isSeq(value)) value.flow = true;
      }
    }
    if (index === 0 && plan.notes.length > 0) document.commentBefore = commentLines(plan.notes);
    // A blank line would separate the notes from the document.
    return document.toString({ lineWidth: 0, flowCollectionPadding: false }).replace(/^((?:#.*\n)+)\n/, '$1');
  });
  return texts.join('---\n');
}

const commentLines = (lines: readonly string[]): string => lines.map((line) => ` ${sanitise(line)}`).join('\n');

function documentsOf(plan: RolePlan): Document[] {
  const { namespaces, rights } = plan;
  const clusterWide = namespaces.length === 0 ? rights : rights.filter(({ namespaced }) => !namespaced);
  const namespaced = namespaces.length === 0 ? [] : rights.filter((right) => right.namespaced);
  return [
    ...(clusterWide.length === 0 ? [] : [role(plan.name, clusterWide), ...binding(plan)]),
    ...(namespaced.length === 0
      ? []
      : namespaces.flatMap((namespace) => [role(plan.name, namespaced, namespace), ...binding(plan, namespace)])),
  ];
}

function role(name: string, rights: readonly AccessRight[], namespace?: string): Document {
  const rules = rights.map(({ group, resource, verbs }): Rule => ({
    apiGroups: [group],
    resources: [resource],
    verbs,
  }));
  return {
    manifest: {
      apiVersion: `${apiGroup}/v1`,
      kind: namespace === undefined ? 'ClusterRole' : 'Role',
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      rules,
    },
    rights,
  };
}

function binding({ name, subjects }: RolePlan, namespace?: string): Document[] {
  if (subjects.length === 0) return [];
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const bound = subjects.map((subject) =>
    subject.kind === 'ServiceAccount'
      ? { kind: subject.kind, namespace: subject.namespace, name: subject.name }
      : { apiGroup, kind: subject.kind, name: subject.name },
  );
  return [
    {
      manifest: {
        apiVersion: `${apiGroup}/v1`,
        kind: `${kind}Binding`,
        metadata: { name, ...(namespace !== undefined && { namespace }) },
        roleRef: { apiGroup, kind, name },
        subjects: bound,
      },
      rights: [],
    },
  ];
}
