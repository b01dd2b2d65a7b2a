import { field } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';

const prefix = 'csi.storage.k8s.io/';
/** Written by the controller when it creates the content; used for creating and for deleting. */
export const deletionSecret = 'snapshot.storage.kubernetes.io/deletion-secret';

export type SecretCall = 'snapshotter' | 'snapshotter-list';

export interface SecretName {
  readonly name: string;
  readonly namespace: string;
  /** The fields that name it. */
  readonly evidence: EvidenceList;
}

/** The parameters of a snapshot class that name the secret of a call: first its name, then its namespace. */
export function secretKeys(call: SecretCall): readonly [string, string] {
  return [`${prefix}${call}-secret-name`, `${prefix}${call}-secret-namespace`];
}

/**
 * GetCredentialsFromAnnotation: the names resolved when the content was created count, for creating and for deleting.
 */
export function secretOfContent({ content }: SnapshotCase): SecretName | undefined {
  const name = content?.metadata.annotations?.[`${deletionSecret}-name`];
  const namespace = content?.metadata.annotations?.[`${deletionSecret}-namespace`];
  if (!content || !name || !namespace) return undefined;
  return {
    name,
    namespace,
    evidence: [
      field(content, `metadata.annotations[${deletionSecret}-name]`, name),
      field(content, `metadata.annotations[${deletionSecret}-namespace]`, namespace),
    ],
  };
}

/**
 * GetSecretReference: both parameters or neither, with a few placeholders. Undefined where the class names no secret.
 */
export function secretOfClass(s: SnapshotCase, call: SecretCall): SecretName | 'invalid' | undefined {
  const { snapshotClass } = s;
  const [nameKey, namespaceKey] = secretKeys(call);
  const nameTemplate = snapshotClass?.parameters?.[nameKey];
  const namespaceTemplate = snapshotClass?.parameters?.[namespaceKey];
  if (!snapshotClass || (nameTemplate === undefined && namespaceTemplate === undefined)) return undefined;
  if (!nameTemplate || !namespaceTemplate) return 'invalid';
  // The snapshot's name is allowed in the secret's name only, so that no snapshot can point at another namespace.
  const name = expandTemplate(nameTemplate, { ...placeholders(s), 'volumesnapshot.name': s.snapshot?.metadata.name });
  const namespace = expandTemplate(namespaceTemplate, placeholders(s));
  if (!name || !namespace) return 'invalid';
  return {
    name,
    namespace,
    evidence: [
      field(snapshotClass, `parameters[${nameKey}]`, nameTemplate),
      field(snapshotClass, `parameters[${namespaceKey}]`, namespaceTemplate),
    ],
  };
}

type Placeholders = Readonly<Record<string, string | undefined>>;

function placeholders(s: SnapshotCase): Placeholders {
  return {
    'volumesnapshotcontent.name': s.contentName,
    'volumesnapshot.namespace': s.snapshot?.metadata.namespace,
  };
}

/** Undefined when a placeholder is unknown or has no value. */
function expandTemplate(template: string, values: Placeholders): string | undefined {
  let isKnown = true;
  const text = template.replaceAll(/\$\{([^}]*)\}/g, (_match, token: string) => {
    const value = Object.hasOwn(values, token) ? values[token] : undefined;
    isKnown &&= value !== undefined;
    return value ?? '';
  });
  return isKnown ? text : undefined;
}
