import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './cluster/command.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** What a support engineer would ask for, and no secret. */
const kinds = ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses', 'csidrivers', 'csinodes', 'volumeattachments', 'csistoragecapacities', 'volumeattributesclasses', 'pods', 'nodes', 'namespaces', 'events', 'leases', 'statefulsets', 'resourcequotas', 'limitranges', 'volumesnapshots.snapshot.storage.k8s.io', 'volumesnapshotcontents.snapshot.storage.k8s.io', 'volumesnapshotclasses.snapshot.storage.k8s.io'];

/** Saves the cluster as it is, and what is true of it, in the form that test/truth replays. */
export async function saveTruth(directory: string, scenario: Scenario, name: string, namespace: string, kubeconfig: string): Promise<void> {
  const yaml = await mustRun('kubectl', ['get', kinds.join(','), '-A', '-o', 'yaml'], { environment: { KUBECONFIG: kubeconfig } });
  const target = join(directory, scenario.name);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'cluster.yaml'), withoutMachine(yaml));
  const { status, statusAlso = [], causes, wrong = [], mustMention = [], phase, note } = scenario;
  writeFileSync(join(target, 'expect.json'), `${JSON.stringify({ target: name, namespace, status, statusAlso, causes, wrong, mustMention, phase, note }, undefined, 1)}\n`);
}

/** The machine that ran it has no place in a test. */
function withoutMachine(yaml: string): string {
  return yaml
    .replaceAll(/(machineID|systemUUID|bootID): .*/g, '$1: 00000000-0000-0000-0000-000000000000')
    .replaceAll(new RegExp(`(?<=[\\s/_"])${hostname().replaceAll(/[^\w-]/g, '.')}(?=[\\s_"])`, 'g'), 'control-plane')
    .replaceAll(/\/\S*kubectl-csi-e2e-\w+/g, '/run/e2e');
}
