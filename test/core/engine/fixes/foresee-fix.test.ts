import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { foreseeFix, isProvenByObjects } from '../../../../src/core/engine/fixes/foresee-fix.ts';
import { playCommands } from '../../../../src/core/engine/fixes/play-commands.ts';
import { World } from '../../../../src/core/engine/rehearse/world.ts';
import type { Observation, RawObject } from '../../../../src/core/kube/snapshot.ts';
import { loadScenario } from '../../../kit/scenario.ts';

const parse = (text: string): RawObject[] => parseAllDocuments(text).map((document) => document.toJS() as RawObject);

function foresee(id: string, ...commands: string[]) {
  const { snapshot, target } = loadScenario(id);
  const item = diagnose(snapshot, { targets: [target] }).report.items[0]!;
  return foreseeFix(snapshot, item, { text: '', commands, risk: 'safe' }, { parse });
}

describe('what a fix would lead to', () => {
  it('sees a claim bound once its class exists', () => {
    const manifest =
      'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast-ssd}\nprovisioner: csi.example.com\n';
    const { snapshot } = loadScenario('sc-missing');
    const wanted = snapshot.objects.find(
      ({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.name === 'data',
    );
    const { storageClassName: name } = wanted!['spec'] as { storageClassName: string };
    const commands = `kubectl apply -f - <<'YAML'\n${manifest.replace('fast-ssd', name)}YAML`;
    expect(foresee('sc-missing', commands)).toEqual({ status: 'healthy', summary: 'pvc/data is bound.' });
  });

  it('sees a claim bound that is saved, deleted and recreated with another class', () => {
    expect(
      foresee(
        'sc-missing',
        'kubectl -n shop get pvc data -o yaml > data.yaml',
        'kubectl -n shop delete pvc data',
        `kubectl patch --local -f data.yaml --type=merge -p '{"spec":{"storageClassName":"fast"}}' -o yaml | kubectl create -f -`,
      ),
    ).toMatchObject({ status: 'healthy' });
  });

  it('names the same cause when the class of the recreated claim does not exist either', () => {
    expect(
      foresee(
        'sc-missing',
        'kubectl -n shop get pvc data -o yaml > data.yaml',
        'kubectl -n shop delete pvc data',
        `kubectl patch --local -f data.yaml --type=merge -p '{"spec":{"storageClassName":"absent"}}' -o yaml | kubectl create -f -`,
      ),
    ).toMatchObject({ status: 'blocked', cause: 'sc-missing' });
  });

  it('sees a started provisioner', () => {
    expect(
      foresee('provisioner-not-running', 'kubectl -n storage scale deployment csi-controller --replicas=1'),
    ).toMatchObject({ status: 'healthy' });
  });

  it('names an attacher that does not run as what a pod waits for next', () => {
    const { snapshot, target } = loadScenario('attach-rwo-held-by-running-pod--claim');
    const item = diagnose(snapshot, { targets: [target] }).report.items[0]!;
    const fix = { text: '', commands: ['kubectl -n shop delete pod web-old'], risk: 'disruptive' } as const;
    const stopped = loadScenario('attach-attacher-not-running').snapshot.objects;
    const controllers = ['Deployment', 'Lease', 'Pod'];
    const isController = ({ kind, metadata }: RawObject): boolean =>
      controllers.includes(kind) && metadata.namespace === 'storage';
    const objects = [...snapshot.objects.filter((object) => !isController(object)), ...stopped.filter(isController)];
    expect(foreseeFix(snapshot, item, fix, { parse })).toMatchObject({ status: 'healthy' });
    expect(foreseeFix({ ...snapshot, objects }, item, fix, { parse })).toMatchObject({
      status: 'blocked',
      cause: 'attach-attacher-not-running',
    });
  });

  it('foresees no protection by a pod without a node for a claim in deletion', () => {
    const { snapshot, target } = loadScenario('pvc-terminating-in-use');
    const late = {
      kind: 'Pod',
      metadata: { name: 'late', namespace: 'shop', uid: 'late' },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase: 'Pending' },
    } as unknown as RawObject;
    const crowded = { ...snapshot, objects: [...snapshot.objects, late] };
    const item = diagnose(crowded, { targets: [target] }).report.items[0]!;
    const fix = { text: '', commands: ['kubectl -n shop delete pod web'], risk: 'data-loss' } as const;
    expect(foreseeFix(crowded, item, fix, { parse })?.cause).toBeUndefined();
  });

  it.each([
    ['sched-max-volume-count', 'slots that their volumes take'],
    ['va-pv-missing--still-attached', 'an attachment'],
  ])('keeps what pods may use that were not read (%s: %s)', (id) => {
    const { snapshot, target } = loadScenario(id);
    const pods: Observation = { kind: 'Pod', scope: {}, state: 'partial' };
    const seen = {
      ...snapshot,
      observations: [...snapshot.observations.filter(({ kind }) => kind !== 'Pod'), pods],
    };
    const item = diagnose(seen, { targets: [target] }).report.items[0]!;
    expect(isProvenByObjects(seen, item)).toBe(true);
  });

  it.each([
    ['only looks', 'kubectl -n shop get pvc data -o yaml'],
    ['has a placeholder', `kubectl -n shop create secret generic x --from-file=PLACEHOLDER_KEY=PLACEHOLDER_FILE`],
    ['is not kubectl', 'aws ec2 describe-volumes'],
    ['restarts something', 'kubectl -n storage rollout restart deployment csi-controller'],
    ['deletes the claim that was to be helped', 'kubectl -n shop delete pvc data'],
  ])('promises nothing for a fix that %s', (_what, command) => {
    expect(foresee('sc-missing', command)).toBeUndefined();
  });
});

describe('commands played on a snapshot', () => {
  it.each([
    [
      `kubectl taint node node-a dedicated=batch:NoSchedule`,
      ['spec', 'taints'],
      [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
    ],
    [`kubectl cordon node-a`, ['spec', 'unschedulable'], true],
    [`kubectl label node node-a zone=z1`, ['metadata', 'labels', 'zone'], 'z1'],
    [`kubectl annotate node node-a a/b=c --overwrite`, ['metadata', 'annotations', 'a/b'], 'c'],
    [
      `kubectl patch node node-a --type=json -p '[{"op":"add","path":"/metadata/labels/x","value":"y"}]'`,
      ['metadata', 'labels', 'x'],
      'y',
    ],
  ])('%s', (command, path, value) => {
    const world = new World(loadScenario('sc-missing').snapshot);
    expect(playCommands([command], world, parse)).toBe('changed');
    const found = path.reduce<unknown>(
      (inner, step) => (inner as Record<string, unknown>)[step],
      world.get('Node', undefined, 'node-a'),
    );
    expect(found).toEqual(value);
  });

  it('keeps a claim that a running pod uses, and marks it as being deleted', () => {
    const world = new World(loadScenario('sc-missing').snapshot);
    const used = world
      .ofKind('Pod')
      .find(
        (pod) => (pod['spec'] as { nodeName?: string }).nodeName && JSON.stringify(pod['spec']).includes('claimName'),
      )!;
    const claim = /"claimName":"([^"]+)"/.exec(JSON.stringify(used['spec']))?.[1] ?? '';
    playCommands([`kubectl -n ${used.metadata.namespace} delete pvc ${claim}`], world, parse);
    expect(
      world.get('PersistentVolumeClaim', used.metadata.namespace, claim)?.metadata['deletionTimestamp'],
    ).toBeDefined();
  });
});
