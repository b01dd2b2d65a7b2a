import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { apiObjectMissingText, namedNamespaceText } from '../lib/driver-error/senses/kubernetes.ts';
import { noProviderText } from '../lib/driver-error/senses/file-system.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { knownNode, nodeOf } from './told-volume.ts';

/**
 * Where an object that a driver looks up for a pod is: in the namespace that the text names, else in that of the pod.
 */
function namespaceIn({ text, p }: FailedMount, name: string): string {
  const quoted = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return (
    new RegExp(`([a-z0-9-]+)/${quoted}\\b`).exec(text)?.[1] ??
    namedNamespaceText.exec(text)?.[1] ??
    p.pod.metadata.namespace ??
    'default'
  );
}

/** The Secrets Store driver looks in one namespace only. */
export function namespaceWords({ p, text }: FailedMount): string {
  const isProviderClass = /^secretproviderclass/i.test(apiObjectMissingText.exec(text)?.[1] ?? '');
  return isProviderClass
    ? ` The driver looks for it only in namespace ${p.pod.metadata.namespace ?? 'default'}, that of the pod.`
    : '';
}

/** The Kubernetes object that the driver did not find has to be where it looks for it. */
export function missingObjectFixes(m: FailedMount): Fix[] {
  const [, resource = '', name = ''] = apiObjectMissingText.exec(m.text) ?? [];
  if (!/^secretproviderclass/i.test(resource)) return [missingObjectFix(m, resource, name)];
  const namespace = m.p.pod.metadata.namespace ?? namespaceIn(m, name);
  return [copyProviderClassFix(name, namespace), createProviderClassFix(name, namespace)];
}

/** The driver looks only in the namespace of the pod (secrets-store-csi-driver nodeserver.go), and many forget that. */
function copyProviderClassFix(name: string, namespace: string): Fix {
  const file = `${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.secretproviderclass.yaml`;
  const clean = { metadata: { namespace, uid: null, resourceVersion: null, creationTimestamp: null } };
  return steps(
    `Copy SecretProviderClass "${name}" to namespace ${namespace}, that of the pod, if the first line lists it in another one (PLACEHOLDER_NS): the driver looks for it only there. Ask the owner of the store first whether its role may be used from ${namespace}, since roles are often bound to a namespace. ${retryWords}`,
    [
      `kubectl get secretproviderclasses -A --field-selector metadata.name=${shellWord(name)}`,
      `kubectl -n PLACEHOLDER_NS get secretproviderclass ${shellWord(name)} -o yaml > ${shellWord(file)}`,
      `kubectl patch --local -f ${shellWord(file)} --type=merge -p ${shellWord(JSON.stringify(clean))} -o yaml | kubectl create -f -`,
    ],
  );
}

function missingObjectFix(m: FailedMount, resource: string, name: string): Fix {
  const namespace = namespaceIn(m, name);
  if (/^(?:secret|configmap)/i.test(resource)) {
    const kind = /^secret/i.test(resource) ? 'Secret' : 'ConfigMap';
    if (kind === 'Secret') {
      const { words, command } = secretContent(m.driver, namespace, name);
      return steps(
        `Create Secret "${name}" in namespace ${namespace}, where the driver looks for it, with ${words}. ${retryWords}`,
        [command],
      );
    }
    return steps(
      `Create ${kind} "${name}" in namespace ${namespace} with the keys that the driver's documentation ` +
        `asks for. PLACEHOLDER_KEY and PLACEHOLDER_FILE: a key and the file with its content. ${retryWords}`,
      [createSourceCommand(kind, namespace, name)],
    );
  }
  return steps(
    `Create ${resource} "${name}", which the driver looks for, or correct the name where it is set. ${retryWords}`,
    [],
  );
}

function createProviderClassFix(name: string, namespace: string): Fix {
  return steps(
    `If there is none anywhere, create SecretProviderClass "${name}" in namespace ${namespace}. PLACEHOLDER_PROVIDER ` +
      `is the provider (vault, aws, azure, gcp); PLACEHOLDER_PARAMETERS are its parameters. ${retryWords}`,
    [
      applyCommand({
        apiVersion: 'secrets-store.csi.x-k8s.io/v1',
        kind: 'SecretProviderClass',
        metadata: { name, namespace },
        spec: { provider: 'PLACEHOLDER_PROVIDER', parameters: { objects: 'PLACEHOLDER_PARAMETERS' } },
      }),
    ],
  );
}

/** The inner text names what the provider could not fetch: the login, the role, or the object in the store. */
export function secretsStoreFix({ p, use, text }: FailedMount): Fix {
  const { action, caller } = rightIn(text);
  if (action !== undefined)
    return steps(
      `Ask the owner of the cloud account to allow ${action} to ` +
        `${caller ?? 'the identity that the quoted text names'}, on the object that it names. ${retryWords}`,
      [],
    );
  const name = use?.podVolume.csi?.volumeAttributes?.['secretProviderClass'];
  const what = 'Correct what the quoted text names: the login role, or the object in the store';
  if (name === undefined) return steps(`${what}, in the SecretProviderClass of the volume. ${retryWords}`, []);
  return steps(`${what}; both are set in SecretProviderClass "${name}". ${retryWords}`, [
    `kubectl -n ${shellWord(p.pod.metadata.namespace ?? 'default')} edit secretproviderclass ${shellWord(name)}`,
  ]);
}

/** Providers are DaemonSets of their own: the driver reaches them over a socket on the node. */
export function runProviderFix({ p, text }: FailedMount): Fix {
  const [, first, second] = noProviderText.exec(text) ?? [];
  const provider = first ?? second ?? '';
  return steps(
    `Let the provider "${provider}" of the Secrets Store CSI driver run on ${nodeOf(p)}: install its ` +
      'DaemonSet, or let its pods run on that node (tolerations, node selector). If its pod is there, it is ' +
      `not ready. ${retryWords}`,
    [],
  );
}

/** The secret with which the node mounts the volume, if the volume names one. */
function secretOf({ use, p }: FailedMount): { readonly name: string; readonly namespace: string } | undefined {
  const inline = use?.podVolume.csi?.nodePublishSecretRef?.name;
  if (inline) return { name: inline, namespace: p.pod.metadata.namespace ?? 'default' };
  const csi = use?.volumeObject?.spec?.csi;
  const { name, namespace } = csi?.nodeStageSecretRef ?? csi?.nodePublishSecretRef ?? {};
  return name && namespace ? { name, namespace } : undefined;
}

/** The driver got no credentials: those of the named Secret are wrong, or the volume names none. */
export function credentialsFix(m: FailedMount): Fix {
  const volume = m.use?.volumeObject;
  const claim = m.use?.claim?.claim;
  if (secretOf(m) || !volume?.spec?.csi) return writeSecretFix(m, 'Write usable credentials');
  const named = secretOfClass(m);
  if (!named || !claim)
    return steps(
      `Give ${m.driver ?? 'the driver'} its credentials: pv/${volume.metadata.name} names no Secret for ` +
        'mounting (nodeStageSecretRef), so they have to be in the settings of the driver, or the volume has ' +
        'to be recreated with one.',
      [],
      'disruptive',
    );
  return steps(
    `Recreate pv/${volume.metadata.name} with Secret "${named.name}" in namespace ${named.namespace}, ` +
      'which its class names for mounting and the volume does not. The policy is set to Retain first, so ' +
      'that the data stays. Stop all pods of the claim before that.',
    recreateVolumeCommands(m.p.ask, volume, claim, m.p.pod, { spec: { csi: { nodeStageSecretRef: named } } }),
    'disruptive',
  );
}

/** The Secret that the class names for new volumes; a volume that was created by hand may lack it. */
function secretOfClass({ p, use }: FailedMount): { readonly name: string; readonly namespace: string } | undefined {
  const className = use?.volumeObject?.spec?.storageClassName;
  const parameters = className ? p.ask.graph.find('StorageClass', undefined, className)?.parameters : undefined;
  const name = parameters?.['csi.storage.k8s.io/node-stage-secret-name'];
  const namespace = parameters?.['csi.storage.k8s.io/node-stage-secret-namespace'];
  const isPlain = (text: string | undefined): text is string => text !== undefined && !text.includes('${');
  return isPlain(name) && isPlain(namespace) ? { name, namespace } : undefined;
}

/** `lead` is an imperative: "Write usable credentials". */
export function writeSecretFix(m: FailedMount, lead: string): Fix {
  const secret = secretOf(m);
  const attributes = m.use?.volumeObject?.spec?.csi?.volumeAttributes;
  const bucket = attributes?.['bucketName'] ?? attributes?.['bucket'];
  if (!secret)
    return steps(
      `Ask the owner of ${bucket === undefined ? 'the storage' : `bucket ${bucket}`} to admit the identity ` +
        `or key that ${m.driver ?? 'the node'} uses ` +
        `there${bucket === undefined ? `, and ${nodeOf(m.p)} where access goes by address` : ' (a role, a policy of the bucket): to list it, and to read and write its objects'}. ` +
        `${retryWords}`,
      [],
    );
  const { words, command } = secretContent(m.driver, secret.namespace, secret.name);
  return steps(
    `${lead} into Secret "${secret.name}" in namespace ${secret.namespace}, which the volume names, under ${words}. ${retryWords}`,
    [`${command} --dry-run=client -o yaml | kubectl apply -f -`],
  );
}

/** The cloud names the right; some drivers log in with the service account of the pod, not with their own. */
export function allowActionFix(m: FailedMount): Fix {
  const { action, caller } = rightIn(m.text);
  const account = podAccountOf(m);
  if (action === 'iam.serviceAccounts.getAccessToken')
    return steps(
      `Let ${account ?? 'the service account that the driver uses'} act as the Google service account that ` +
        'its annotation iam.gke.io/gcp-service-account names (PLACEHOLDER_GSA; PLACEHOLDER_PROJECT is the ' +
        `project of the cluster): the role is missing, or the annotation names another account. ${retryWords}`,
      [
        'gcloud iam service-accounts add-iam-policy-binding PLACEHOLDER_GSA ' +
          '--role=roles/iam.workloadIdentityUser ' +
          `--member=${shellWord(`serviceAccount:PLACEHOLDER_PROJECT.svc.id.goog[${m.p.pod.metadata.namespace ?? 'default'}/${accountName(m)}]`)}`,
      ],
    );
  return steps(
    `Ask the owner of the cloud account to allow ${action ?? 'the action named above'} for ` +
      `${caller ?? account ?? `the identity of ${m.driver ?? 'the driver'}`}. ${retryWords}`,
    [],
  );
}

function accountName({ p }: FailedMount): string {
  return p.pod.spec?.serviceAccountName ?? 'default';
}

/** Drivers that mount with the identity of the pod say so in their CSIDriver object; that of gcsfuse is known to. */
function podAccountOf(m: FailedMount): string | undefined {
  const { driver, p } = m;
  const object = driver === undefined ? undefined : p.ask.graph.find('CSIDriver', undefined, driver);
  const usesPod = (object?.spec?.tokenRequests ?? []).length > 0 || driver === 'gcsfuse.csi.storage.gke.io';
  return usesPod
    ? `service account ${accountName(m)} of the pod, in namespace ${p.pod.metadata.namespace ?? 'default'}`
    : undefined;
}

/** Targets admit initiators by name, and some also require a user and password (CHAP). */
export function loginFixes(m: FailedMount): Fix[] {
  const node = nodeOf(m.p);
  const admit = isWindows(knownNode(m.p))
    ? []
    : [
        steps(
          `${secretOf(m) ? 'If the Secret is right, ask' : 'Ask'} the owner of the storage to admit the ` +
            `initiator name of ${node}, which the command prints, to the target of the volume. ${retryWords}`,
          [onNode(node, 'cat /etc/iscsi/initiatorname.iscsi')],
        ),
      ];
  return secretOf(m) || admit.length === 0
    ? [writeSecretFix(m, 'Write the user and password (CHAP) that the storage accepts'), ...admit]
    : admit;
}
