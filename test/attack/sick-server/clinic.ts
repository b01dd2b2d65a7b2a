import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from '../../e2e/cluster/certificates.ts';
import { loadScenario, snapshotOf } from '../../kit/scenario.ts';
import { startSickServer } from './sick-server.ts';
import type { SickServer } from './sick-server.ts';

/** Nothing that is printed may have it. */
export const token = 'sick-server-token-8d1f2a7c';
/** A claim that is stuck: its class does not exist. */
export const stuck = { namespace: 'shop', name: 'data' };
export const requestTimeout = '2s';

/** A server for one lane, a kubeconfig for it, and a manifest that cannot work on it. */
export interface Bed {
  readonly server: SickServer;
  readonly kubeconfig: string;
  readonly manifest: string;
}

export interface Clinic {
  readonly beds: readonly Bed[];
  close(): Promise<void>;
}

export async function openClinic(size: number): Promise<Clinic> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-sick-'));
  const authority = await Authority.create(directory);
  const certificate = await authority.issue('serving', 'server', [], ['127.0.0.1']);
  const { snapshot } = loadScenario('sc-missing');
  const served = snapshotOf(snapshot.objects, {});
  const manifest = join(directory, 'claim.json');
  writeFileSync(
    manifest,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'more', namespace: stuck.namespace },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'gold',
        resources: { requests: { storage: '1Gi' } },
      },
    }),
  );
  const beds = await Promise.all(
    Array.from({ length: size }, async (_, at): Promise<Bed> => {
      const server = await startSickServer(served, certificate);
      const kubeconfig = join(directory, `config-${at}`);
      writeFileSync(kubeconfig, kubeconfigOf(server.url, authority.certificate), { mode: 0o600 });
      return { server, kubeconfig, manifest };
    }),
  );
  return {
    beds,
    async close() {
      await Promise.all(beds.map(({ server }) => server.close()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function kubeconfigOf(server: string, authority: string): string {
  const ca = readFileSync(authority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sick',
    clusters: [{ name: 'sick', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'jo', user: { token } }],
    contexts: [{ name: 'sick', context: { cluster: 'sick', user: 'jo', namespace: stuck.namespace } }],
  });
}
