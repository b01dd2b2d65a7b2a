import { EnvironmentError } from '../../core/kube/errors.ts';
import { anything, boolean, list, map, record, string } from '../../core/kube/shape.ts';
import { readStrictly, WrongType } from './strict-shape.ts';
import type { Infer } from '../../core/kube/shape.ts';

// The fields and types of k8s.io/client-go/tools/clientcmd/api/v1, in which numbers have no place.
const extensions = list(record({ name: string, extension: anything }));
const clusterShape = record({
  server: string,
  'certificate-authority': string,
  'certificate-authority-data': string,
  'insecure-skip-tls-verify': boolean,
  'tls-server-name': string,
  'proxy-url': string,
  'disable-compression': boolean,
  extensions,
});
const execShape = record({
  apiVersion: string,
  command: string,
  args: list(string),
  env: list(record({ name: string, value: string })),
  installHint: string,
  provideClusterInfo: boolean,
  interactiveMode: string,
});
const userShape = record({
  token: string,
  tokenFile: string,
  username: string,
  password: string,
  'client-certificate': string,
  'client-certificate-data': string,
  'client-key': string,
  'client-key-data': string,
  as: string,
  'as-uid': string,
  'as-groups': list(string),
  'as-user-extra': map(list(string)),
  exec: execShape,
  'auth-provider': record({ name: string, config: map(string) }),
  extensions,
});
const contextShape = record({ cluster: string, user: string, namespace: string, extensions });
const fileShape = record({
  apiVersion: string,
  kind: string,
  preferences: record({ colors: boolean, extensions }),
  extensions,
  'current-context': string,
  clusters: list(record({ name: string, cluster: clusterShape })),
  users: list(record({ name: string, user: userShape })),
  contexts: list(record({ name: string, context: contextShape })),
});

export type ClusterEntry = Infer<typeof clusterShape>;
export type UserEntry = Infer<typeof userShape>;
export type ContextEntry = Infer<typeof contextShape>;
export type ExecEntry = Infer<typeof execShape>;

export type Content = Infer<typeof fileShape>;

/** A file without content is an empty kubeconfig; kind and version may be left out, but not be others. */
export function readContent(path: string, parsed: unknown): Content {
  const content = readTyped(path, parsed);
  const { kind = '', apiVersion = '' } = content;
  if ((kind !== '' && kind !== 'Config') || (apiVersion !== '' && apiVersion !== 'v1'))
    throw new EnvironmentError(
      `the kubeconfig ${path} is a ${kind === '' ? 'Config' : kind} of ${apiVersion === '' ? 'v1' : apiVersion}, not a Config of v1`,
      'Pass another --kubeconfig, or read a dump with --from FILE',
    );
  for (const [field, value] of dataFields(content))
    if (!isBase64(value))
      throw new EnvironmentError(`the kubeconfig ${path} has a ${field} that is not base64`, 'Copy the value again');
  return content;
}

function readTyped(path: string, parsed: unknown): Content {
  try {
    return readStrictly(parsed, fileShape) ?? {};
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw new EnvironmentError(
      `the kubeconfig ${path} has a value of the wrong type: ${error.message}`,
      'Correct it; text that looks like a number or a boolean needs quotes',
    );
  }
}

function dataFields({ clusters, users }: Content): [field: string, value: string | undefined][] {
  return [
    ...(clusters ?? []).map(({ cluster }, at): [string, string | undefined] => [
      `clusters[${at}].cluster.certificate-authority-data`,
      cluster?.['certificate-authority-data'],
    ]),
    ...(users ?? []).flatMap(({ user }, at) =>
      (['client-certificate-data', 'client-key-data'] as const).map((field): [string, string | undefined] => [
        `users[${at}].user.${field}`,
        user?.[field],
      ]),
    ),
  ];
}

/** As Go decodes it: with padding, and with line breaks anywhere. */
function isBase64(text: string | undefined): boolean {
  if (text === undefined) return true;
  const digits = text.replaceAll(/[\r\n]/g, '');
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
}
