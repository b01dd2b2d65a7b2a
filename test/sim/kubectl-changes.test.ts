import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';

const isMissing = spawnSync('kubectl', ['version', '--client']).status !== 0;
const why = isMissing ? ' (skipped: kubectl is not on the PATH)' : '';
const patience = 240_000;

let directory: string;
let server: ApiServer;

/** What a person would see, output and errors together. */
function kubectl(line: string): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: directory, KUBECONFIG: join(directory, 'config') };
    execFile('sh', ['-c', `kubectl ${line}`], { env, cwd: directory, timeout: patience }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  server = await startApiServer(demoSnapshot(new Date()), { controllers: { backend: demoBackend, stepMs: 10 } });
  await writeKubeconfig(join(directory, 'config'), server.url, { namespace: 'shop', context: 'demo' });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

const claim = (size: string): string =>
  [
    'apiVersion: v1',
    'kind: PersistentVolumeClaim',
    'metadata: {name: fresh, labels: {size: small}}',
    `spec: {accessModes: [ReadWriteOnce], storageClassName: fast-immediate, resources: {requests: {storage: ${size}}}}`,
  ].join('\n');

describe(`the real kubectl changes the demo${why}`, () => {
  it.skipIf(isMissing)('applies a claim, waits for it, resizes and deletes it', async () => {
    await writeFile(join(directory, 'claim.yaml'), claim('1Gi'));
    expect(await kubectl('apply -f claim.yaml')).toBe('persistentvolumeclaim/fresh created\n');
    expect(await kubectl("wait pvc/fresh --for=jsonpath='{.status.phase}'=Bound --timeout=30s")).toContain(
      'condition met',
    );
    expect(await kubectl('apply -f claim.yaml')).toBe('persistentvolumeclaim/fresh unchanged\n');
    await writeFile(join(directory, 'claim.yaml'), claim('2Gi'));
    expect(await kubectl('apply -f claim.yaml')).toBe('persistentvolumeclaim/fresh configured\n');
    expect(await kubectl("wait pvc/fresh --for=jsonpath='{.status.capacity.storage}'=2Gi --timeout=30s")).toContain(
      'condition met',
    );
    expect(await kubectl('apply --server-side -f claim.yaml')).toContain('serverside-applied');
    await writeFile(join(directory, 'claim.yaml'), claim('1Gi'));
    expect(await kubectl('apply -f claim.yaml')).toContain('field can not be less than status.capacity');
    expect(await kubectl('get pvc fresh -o yaml | kubectl replace -f -')).toContain('replaced');
    expect(await kubectl('delete pvc fresh')).toContain('persistentvolumeclaim "fresh" deleted');
    expect(await kubectl('get pvc fresh')).toContain('"fresh" not found');
  });

  it.skipIf(isMissing)('labels, annotates, taints and cordons', async () => {
    expect(await kubectl('label node worker-1 disk=ssd')).toBe('node/worker-1 labeled\n');
    expect(await kubectl('annotate sc shared note=x')).toBe('storageclass.storage.k8s.io/shared annotated\n');
    expect(await kubectl('taint node worker-1 gpu=yes:NoSchedule')).toBe('node/worker-1 tainted\n');
    expect(await kubectl('describe node worker-1')).toMatch(/Taints:\s+gpu=yes:NoSchedule/);
    expect(await kubectl('taint node worker-1 gpu-')).toBe('node/worker-1 untainted\n');
    expect(await kubectl('cordon worker-1')).toBe('node/worker-1 cordoned\n');
    expect(await kubectl('get node worker-1')).toContain('Ready,SchedulingDisabled');
    expect(await kubectl('uncordon worker-1')).toBe('node/worker-1 uncordoned\n');
  });

  it.skipIf(isMissing)('scales, restarts and drains workloads', async () => {
    expect(await kubectl('scale sts catalog --replicas=3')).toBe('statefulset.apps/catalog scaled\n');
    expect(await kubectl('wait pod/catalog-2 --for=create --timeout=30s')).toContain('condition met');
    expect(await kubectl('wait pod/catalog-2 --for=condition=Ready --timeout=30s')).toContain('condition met');
    const restarted = await kubectl('-n kube-system rollout restart deploy/snapshot-controller');
    expect(restarted).toBe('deployment.apps/snapshot-controller restarted\n');
    expect(await kubectl('-n kube-system rollout status deploy/snapshot-controller --timeout=30s')).toContain(
      'successfully rolled out',
    );
    const drained = await kubectl('drain worker-2 --ignore-daemonsets --force --delete-emptydir-data --timeout=60s');
    expect(drained).toContain('node/worker-2 drained');
    expect(await kubectl('uncordon worker-2')).toContain('uncordoned');
  });

  it.skipIf(isMissing)('creates what it sends in protobuf, and hears what the demo cannot read', async () => {
    expect(await kubectl('create secret generic login --from-literal=user=me')).toBe('secret/login created\n');
    expect(await kubectl("get secret login -o jsonpath='{.data.user}'")).toBe('bWU=');
    expect(await kubectl('create configmap settings --from-literal=a=b')).toBe('configmap/settings created\n');
    expect(await kubectl('create quota small --hard=requests.storage=1Gi,persistentvolumeclaims=2')).toContain(
      'created',
    );
    expect(await kubectl("get quota small -o jsonpath='{.spec.hard}'")).toBe(
      '{"persistentvolumeclaims":"2","requests.storage":"1Gi"}',
    );
    expect(await kubectl('delete quota small')).toContain('deleted');
    expect(await kubectl('create ns temporary')).toBe('namespace/temporary created\n');
    expect(await kubectl('delete ns temporary')).toBe('namespace "temporary" deleted\n');
    expect(await kubectl('create deployment web --image=web')).toContain('this is the demo cluster of kubectl csi');
    const piped = await kubectl('create deployment web --image=web --dry-run=client -o yaml | kubectl apply -f -');
    expect(piped).toBe('deployment.apps/web created\n');
    expect(await kubectl('wait deploy/web --for=jsonpath={.status.readyReplicas}=1 --timeout=30s')).toContain('met');
  });

  it.skipIf(isMissing)('reads logs, rights and who it is', async () => {
    const log = await kubectl('-n storage-system logs deploy/disk-controller -c csi-provisioner');
    expect(log).toContain('pool ssd-1 has 1.2 TiB free, 20 TiB were requested');
    expect(await kubectl('-n storage-system logs deploy/disk-controller -c csi-provisioner --tail=1')).toMatch(
      /^[EI].*\n$/,
    );
    expect(await kubectl('logs cart-0')).toContain('pod cart-0 does not have a host assigned');
    expect(await kubectl('auth can-i delete pvc')).toBe('yes\n');
    expect(await kubectl('auth can-i --list')).toMatch(/\*\.\*/);
    expect(await kubectl('auth whoami')).toContain('Username');
    expect(await kubectl('get --raw /api/v1/nodes/worker-3/proxy/stats/summary')).toContain('"capacityBytes"');
    expect(await kubectl('get pdb,ingress,networkpolicy,role,endpointslice')).toContain('No resources found');
  });
});
