import { writeFile } from 'node:fs/promises';

interface KubeconfigOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly token?: string;
}

/**
 * A kubeconfig for one server without a particular user. A JSON string is also a YAML one, so names need no escaping.
 */
export function kubeconfigText(url: string, options: KubeconfigOptions = {}): string {
  const quote = (text: string): string => JSON.stringify(text);
  const context = options.context ?? 'demo';
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${quote(context)}`,
    'clusters:',
    `- name: ${quote(context)}`,
    '  cluster:',
    `    server: ${quote(url)}`,
    'contexts:',
    `- name: ${quote(context)}`,
    '  context:',
    `    cluster: ${quote(context)}`,
    `    user: ${quote(context)}`,
    ...(options.namespace === undefined ? [] : [`    namespace: ${quote(options.namespace)}`]),
    'users:',
    `- name: ${quote(context)}`,
    options.token === undefined ? '  user: {}' : `  user: {token: ${quote(options.token)}}`,
    '',
  ].join('\n');
}

export async function writeKubeconfig(path: string, url: string, options: KubeconfigOptions = {}): Promise<void> {
  await writeFile(path, kubeconfigText(url, options), { mode: 0o600 });
}
