import { expect, it } from 'vitest';
import { scrubLog } from '../../../src/io/capture/scrub-log.ts';

const scrub = (line: string): string =>
  scrubLog({ namespace: 'a', pod: 'b', container: 'c', state: 'complete', lines: [line] }).lines[0] ?? '';

it.each([
  ['GRPC request: {"name":"pvc-1","secrets":{"anything":"hunter2"},"x":1}', 'hunter2'],
  ['"GRPC call" request="{\\"secrets\\":{\\"user\\":\\"hunter2\\"}}"', 'hunter2'],
  ['request: name:"pvc-1" secrets:<key:"a" value:"hunter2" > secrets:<key:"b" value:"hunter3" >', 'hunter'],
  ['NodeStageSecrets:map[key:hunter2 other:hunter3] VolumeId:vol-1', 'hunter'],
  ['login with password=hunter2 failed', 'hunter2'],
  ['GET https://admin:hunter2@array.example.com/volumes', 'hunter2'],
  ['Authorization: Bearer abcdefghijklmnop12345', 'abcdefghijklmnop12345'],
])('removes credentials from %s', (line, secret) => {
  expect(scrub(line)).not.toContain(secret);
});

it('keeps what a diagnosis needs', () => {
  const line =
    'E0301 11:48:00.123456       1 controller.go:957] error syncing claim "11111111-2222-4333-8444-555555555555": failed to provision volume with StorageClass "slow": rpc error: code = ResourceExhausted desc = pool ssd-1 is full';
  expect(scrub(line)).toBe(line);
  const attachment =
    '"Error processing" VolumeAttachment="csi-acc46483ce81a70404a5109debd466b6c7cadacd953df46245cf38108641864c"';
  expect(scrub(attachment)).toBe(attachment);
});
