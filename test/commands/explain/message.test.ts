import { describe, expect, it } from 'vitest';
import { answerText } from '../../../src/commands/explain/answer.ts';
import { renderMessageReport } from '../../../src/commands/explain/message-text.ts';

const known = {
  stages: new Map([
    ['attach-rwo-held-by-running-pod', 'attach'],
    ['provision-resource-exhausted', 'provision'],
    ['mount-secret-volume-missing', 'mount'],
  ]),
  sentences: new Map([['mount-secret-volume-missing', 'A secret that the pod mounts as a volume does not exist.']]),
};
const answer = (text: string): ReturnType<typeof answerText> =>
  answerText({ type: 'stdin', name: 'standard input', text }, known);
const screen = { width: 80, colour: false, wide: false };

const description = `Name:             web-0
Namespace:        shop
Containers:
Events:
  Warning  FailedAttachVolume      9m   attachdetach-controller  Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) web-1
  Normal   SuccessfulAttachVolume  8m   attachdetach-controller  AttachVolume.Attach succeeded for volume "pvc-1"
  Warning  FailedMount             2m   kubelet  Unable to attach or mount volumes: unmounted volumes=[login], unattached volumes=[login]: timed out waiting for the condition
  Warning  FailedMount             1m   kubelet  MountVolume.SetUp failed for volume "login" : secret "login" not found`;

describe('explain of a text', () => {
  it('puts the cause before symptoms and before what has passed, and asks about the described object', () => {
    const report = answer(description);
    expect(report.items[0]).toMatchObject({
      cause: 'mount-secret-volume-missing',
      strength: 'exact',
      match: { line: 8, words: 'secret "login" not found' },
      ask: 'kubectl csi why pod/web-0 -n shop',
    });
    expect(report.items.find(({ cause }) => cause === 'attach-rwo-held-by-running-pod')?.settled).toBe(true);
    expect(report.items.find(({ cause }) => cause === 'mount-generic-timeout')?.strength).toBe('symptom');
    const text = renderMessageReport(report, screen);
    expect(text).toContain('1. mount-secret-volume-missing (mount)');
    expect(text).not.toContain('mount-generic-timeout');
    expect(text).toContain('kubectl csi why pod/web-0 -n shop');
  });

  it('lists all causes that share the words, each with what decides', () => {
    const { items } = answer(
      'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node',
    );
    expect(items.length).toBeGreaterThan(3);
    expect(items.every(({ when }) => when !== undefined)).toBe(true);
  });

  it('says of a symptom that it is one', () => {
    const report = answer('0/3 nodes are available: 3 pod has unbound immediate PersistentVolumeClaims.');
    expect(renderMessageReport(report, screen)).toMatch(/^The text reports a symptom/);
  });

  it('calls causes possible where the text names no step', () => {
    const report = answer('rpc error: code = NotFound desc = order 7 not found');
    expect(new Set(report.items.map(({ strength }) => strength))).toEqual(new Set(['possible']));
    expect(renderMessageReport(report, screen)).toContain('If it is about a volume, these causes\nare possible:');
  });

  it('asks for the message where only the reason of an event was passed', () => {
    const report = answer('FailedMount\n');
    expect(report.source.isReason).toBe(true);
    expect(renderMessageReport(report, screen)).toContain('pass the message');
  });

  it('says what to do where nothing matches, and not that all is well', () => {
    const report = answer('the coffee is cold');
    expect(report.items).toEqual([]);
    expect(renderMessageReport(report, screen)).toContain('This does not mean that nothing is wrong.');
  });

  it('never asks about a volume that does not exist yet', () => {
    const { items } = answer(
      'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = no space for "pvc-1"',
    );
    expect(items[0]).toMatchObject({ cause: 'provision-resource-exhausted', ask: 'kubectl csi why sc/fast' });
  });

  it('reads escaped, folded and wrapped texts as the plain one', () => {
    const plain = 'storageclass.storage.k8s.io "fast" not found';
    for (const text of [
      `{"message": "storageclass.storage.k8s.io \\"fast\\" not found"}`,
      'storageclass.storage.k8s.io “fast” not found',
      'message: storageclass.storage.k8s.io\n  "fast" not found\nreason: ProvisioningFailed',
      'storageclass.storage.k8s.io\n"fast" not found',
      plain,
    ])
      expect(answer(text).items[0]?.cause, text).toBe('sc-missing');
  });

  it('counts what a log repeats', () => {
    const line = (n: number): string =>
      `E1118 20:00:0${n}.000000 1 controller.go:957] error syncing claim "${n}": failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = pool full`;
    const report = answer(
      [line(1), 'I1118 20:00:00.000000 1 reflector.go:1] all is well', line(2), line(3)].join('\n'),
    );
    expect(report.items[0]).toMatchObject({ cause: 'provision-resource-exhausted', match: { count: 3 } });
  });

  it('has no line wider than the screen but for commands and quoted words', () => {
    const wide = renderMessageReport(answer(description), screen)
      .split('\n')
      .filter((line) => line.length > 80 && !line.includes('$ '));
    expect(wide).toEqual([]);
  });
});
