import { driverContainerOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { steps } from '../lib/steps.ts';
import { usualLoginOf } from '../lib/storage-behind.ts';
import type { LoginSecret } from '../lib/storage-behind.ts';
import { driverSettingsOf } from './driver-settings.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** Certificates of webhooks and sidecars are no login to a storage. */
const otherSecrets = /(?:^|-)(?:tls|certs?|webhook|ca)(?:-|$)/i;

/** Puts valid credentials where the driver next to the provisioner reads them. */
export function renewLogin(c: PresentClaim, driver: string): Fix {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  const pod = leader ?? pods?.items[0];
  const [secret, ...others] = pod ? secretsOf(c, pod) : [];
  const usual = pod ? undefined : usualLoginOf(driver);
  if (usual) return renewUsual(driver, usual);
  if (!pod || secret === undefined || others.length > 0)
    return fix(
      `Replace the credentials with which ${driver} logs in to the storage by valid ones, in ` +
        `${secret === undefined ? 'the Secret or the settings that it reads' : `the Secret that it reads them from (${[secret, ...others].join(', ')})`}, ` +
        `and restart its controller. ${retry}`,
    );
  return writeLogin(c, driver, pod, secret);
}

/** In a file whose name the arguments of the driver have, or key by key. */
function writeLogin(c: PresentClaim, driver: string, pod: Pod, secret: string): Fix {
  const namespace = pod.metadata.namespace ?? 'default';
  const key = driverSettingsOf(c)?.key;
  const read = `kubectl -n ${shellWord(namespace)} get secret ${shellWord(secret)} -o go-template=${shellWord(`{{index .data "${key ?? ''}" | base64decode}}`)} > PLACEHOLDER_FILE`;
  const how =
    key === undefined
      ? 'PLACEHOLDER_KEY and PLACEHOLDER_FILE: each key that the Secret has, and the file with its content.'
      : `The first line saves the settings in PLACEHOLDER_FILE: correct the login there before the second, and in the values of the chart that the Secret comes from.`;
  return steps(
    `Write valid credentials into Secret "${secret}" in namespace ${namespace}, which the controller of ` +
      `${driver} reads, and restart it. ${how} ${retry}`,
    [
      ...(key === undefined ? [] : [read]),
      `${createSourceCommand('Secret', namespace, secret, key)} --dry-run=client -o yaml | kubectl apply -f -`,
      driverSettingsOf(c)?.restart ?? `kubectl ${inNamespace(namespace)}delete pod ${shellWord(pod.metadata.name)}`,
    ],
    'disruptive',
  );
}

const retry = 'The next retry, within 5 minutes, then succeeds.';

/** Where the pods are not known: the names of the usual installation. */
function renewUsual(driver: string, { namespace, name, key }: LoginSecret): Fix {
  return steps(
    `Write valid credentials into the Secret that ${driver} reads them from, and restart its controller ` +
      '(PLACEHOLDER_WORKLOAD, which the second line lists). In the usual installation that is Secret ' +
      `"${name}" in namespace ${namespace}, key ${key}; PLACEHOLDER_FILE is a file with its content. ${retry}`,
    [
      `kubectl -n ${namespace} create secret generic ${name} --from-file=${key}=PLACEHOLDER_FILE ` +
        '--dry-run=client -o yaml | kubectl apply -f -',
      `kubectl -n ${namespace} get deployments,statefulsets`,
      `kubectl -n ${namespace} rollout restart PLACEHOLDER_WORKLOAD`,
    ],
    'disruptive',
  );
}

/** Where a dump has no volumes of the pod, a Secret with settings that is named after its release. */
function secretsOf(c: PresentClaim, pod: Pod): string[] {
  const read = secretsReadBy(pod);
  if (read.length > 0 || (pod.spec?.volumes ?? []).length > 0) return read;
  const release = (ownerOf(pod)?.name ?? pod.metadata.name).replace(
    /-(?:controller|provisioner|plugin|server)\b.*$/,
    '',
  );
  return c.ask
    .seen('Secret')
    .filter(({ metadata }) => metadata.namespace === pod.metadata.namespace && metadata.name.startsWith(`${release}-`))
    .map(({ metadata }) => metadata.name)
    .filter((name) => settingsSecrets.test(name) && !otherSecrets.test(name));
}

const settingsSecrets = /config|cred|auth|login|cloud|token|secret/i;

/** The Secrets that the driver's container gets, as variables or as files. */
function secretsReadBy({ spec }: Pod): string[] {
  const container = driverContainerOf(spec);
  const mounted = new Set(container?.volumeMounts?.map(({ name }) => name));
  const names = [
    ...(container?.env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...(container?.envFrom ?? []).map(({ secretRef }) => secretRef?.name),
    ...(spec?.volumes ?? []).filter(({ name }) => mounted.has(name)).map(({ secret }) => secret?.secretName),
  ];
  return [...new Set(names)].filter((name) => name !== undefined && !otherSecrets.test(name)) as string[];
}
