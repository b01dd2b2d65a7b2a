import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Api } from '../cluster/api.ts';
import { Attacher } from './attacher.ts';

/** The attacher of a driver whose sidecars run in a pod. */
const { values: flags } = parseArgs({
  options: {
    'csi-address': { type: 'string', default: '/csi/csi.sock' },
    kubeconfig: { type: 'string', default: '' },
    driver: { type: 'string', default: '' },
    'leader-election': { type: 'boolean' },
    'leader-election-namespace': { type: 'string', default: 'kube-system' },
  },
});

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { 'client-certificate-data': string; 'client-key-data': string } }[];
}

const { clusters, users } = JSON.parse(readFileSync(flags.kubeconfig, 'utf8')) as Kubeconfig;
const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
if (cluster === undefined || user === undefined) throw new Error('the kubeconfig names no cluster or no user');
const directory = mkdtempSync('/tmp/credentials-');
const save = (name: string, data: string): string => {
  const path = join(directory, name);
  writeFileSync(path, Buffer.from(data, 'base64'), { mode: 0o600 });
  return path;
};
const api = Api.connect(
  Number(new URL(cluster.server).port),
  { certificate: save('authority', cluster['certificate-authority-data']) },
  {
    certificate: save('certificate', user['client-certificate-data']),
    key: save('key', user['client-key-data']),
  },
);
const attacher = new Attacher(
  api,
  flags.driver,
  flags['csi-address'],
  '/dev/stderr',
  flags['leader-election-namespace'],
);
process.on('SIGTERM', () => {
  void attacher.stop().then(() => process.exit(0));
});
