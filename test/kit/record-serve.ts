import { rowKinds } from '../../src/core/report/rows.ts';
import { serveHere } from './serve.ts';

/** Asks everything that a served page or document may ask. */
export async function recordServe(
  url: string,
  namespace: string | undefined,
  target: { readonly text: string; readonly namespace: string },
  isWatching: () => boolean,
): Promise<void> {
  const served = await serveHere({ server: url, ...(namespace !== undefined && { namespace }) });
  try {
    await served.until(({ freshness }) => {
      if (freshness.state !== 'live' || !isWatching()) throw new Error('it does not become live');
    });
    for (const { type } of Object.values(rowKinds)) await served.get(`/api/v1/get/${type}`);
    await served.get(`/api/v1/get/capacity?namespace=${target.namespace}&name=none`);
    await served.get(`/api/v1/why?target=${target.text}&namespace=${target.namespace}`);
    for (const type of ['deploy', 'rs', 'job', 'cronjob'])
      await served.get(`/api/v1/why?target=${type}/none&namespace=${target.namespace}`);
    await served.get('/');
  } finally {
    await served.close();
  }
}

/** What the flags add: a caller is reviewed, and a lease is created, or taken over where there is one. */
export async function recordHelpers(url: string, flag: 'auth' | 'lease'): Promise<void> {
  const { connectBoth } = await import('../../src/io/cluster/connect.ts');
  const { client } = await connectBoth({ server: url, kubeconfig: '/dev/null' } as never);
  if (flag === 'auth') {
    const { kubernetesAdmission } = await import('../../src/commands/serve/run/authenticate.ts');
    await kubernetesAdmission(client)('Bearer known-token', '/metrics');
    return;
  }
  const { LeaseHolder } = await import('../../src/commands/serve/run/lease.ts');
  for (const name of ['new', 'old']) {
    const holder = new LeaseHolder(client, { namespace: 'default', name }, () => undefined, {
      durationSeconds: 30,
      renewMs: 10_000,
    });
    await holder.remember('');
    await holder.close();
  }
}
