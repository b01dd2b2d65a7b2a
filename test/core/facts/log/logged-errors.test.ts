import { describe, expect, it } from 'vitest';
import { readLines } from '../../../../src/core/facts/log/log-line.ts';
import { findErrors } from '../../../../src/core/facts/log/logged-errors.ts';
import type { LogSpeaker } from '../../../../src/core/report/component-log.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const call = (second: number, rpc: string): string =>
  `I0301 11:00:${String(second).padStart(2, '0')}.000000       1 s.go:1] GRPC call: /csi.v1.Node/${rpc}`;
const request = (second: number, id: string): string =>
  `I0301 11:00:${String(second).padStart(2, '0')}.000000       1 s.go:2] GRPC request: {"volume_id":"${id}"}`;
const failure = (second: number, words: string): string =>
  `E0301 11:00:${String(second).padStart(2, '0')}.000000       1 s.go:3] GRPC error: rpc error: code = Internal desc = ${words}`;
const success = (second: number): string =>
  `I0301 11:00:${String(second).padStart(2, '0')}.000000       1 s.go:4] GRPC response: {}`;

function errors(lines: readonly string[], name: string, speaker: LogSpeaker = 'node plugin') {
  return findErrors(readLines(lines, now), [name], speaker).errors.map(({ rpc, text }) => [rpc, text]);
}

describe('the errors of a log about an object', () => {
  it('belong to the only call that is open', () => {
    expect(errors([call(1, 'NodeStageVolume'), request(1, 'vol-one'), failure(2, 'no disk')], 'vol-one')).toEqual([
      ['NodeStageVolume', 'rpc error: code = Internal desc = no disk'],
    ]);
  });

  it('belong to no call where two are open, since nothing tells whose they are', () => {
    const lines = [
      call(1, 'NodeStageVolume'),
      request(1, 'vol-one'),
      call(2, 'NodeStageVolume'),
      request(2, 'vol-two'),
      failure(3, 'no disk'),
    ];
    expect(errors(lines, 'vol-one')).toEqual([]);
    expect(errors(lines, 'vol-two')).toEqual([]);
  });

  it('belong to the latest call where the log holds no responses, since earlier ones went well at once', () => {
    const lines = [call(1, 'NodePublishVolume'), call(30, 'NodeStageVolume'), failure(30, 'no disk for vol-one')];
    expect(errors(lines, 'vol-one').map(([rpc]) => rpc)).toEqual(['NodeStageVolume']);
    expect(errors([call(0, 'NodeStageVolume'), success(0), ...lines], 'vol-one').map(([rpc]) => rpc)).toEqual([
      undefined,
    ]);
  });

  it('are those of the call that has not ended yet', () => {
    const lines = [
      call(1, 'NodeStageVolume'),
      request(1, 'vol-one'),
      success(2),
      call(3, 'NodeStageVolume'),
      request(3, 'vol-two'),
      failure(4, 'no disk'),
    ];
    expect(errors(lines, 'vol-one')).toEqual([]);
    expect(errors(lines, 'vol-two')).toHaveLength(1);
  });

  it('are history once the same call succeeds for the same object', () => {
    const lines = [
      call(1, 'NodeStageVolume'),
      request(1, 'vol-one'),
      failure(2, 'no disk'),
      call(3, 'NodeStageVolume'),
      request(3, 'vol-one'),
    ];
    expect(errors(lines, 'vol-one')).toHaveLength(1);
    expect(errors([...lines, success(4)], 'vol-one')).toEqual([]);
  });

  it('hold its name as a whole word', () => {
    const line =
      'E0301 11:00:01.000000       1 c.go:957] error syncing claim "pvc-1": rpc error: code = Internal desc = x';
    expect(errors([line.replace('pvc-1', 'shop/data-1')], 'shop/data-1', 'provisioner')).toHaveLength(1);
    for (const other of ['shop/data-10', 'shop/data-1-b', 'shop/data-1.b'])
      expect(errors([line.replace('pvc-1', other)], 'shop/data-1', 'provisioner')).toEqual([]);
  });

  it('are not looked for by a name that would be found anywhere', () => {
    expect(errors(['E0301 11:00:01.000000       1 c.go:9] rpc error: code = Internal desc = 17'], '17')).toEqual([]);
  });

  it('leave out remarks about retries', () => {
    const lines = [
      'W0301 11:00:01.000000       1 c.go:934] Retrying syncing claim "uid-of-claim" because failures 0 < threshold 15',
      'I0301 11:00:01.000000       1 c.go:955] Succeeded uid-of-claim',
    ];
    const found = findErrors(readLines(lines, now), ['uid-of-claim'], 'provisioner');
    expect(found).toEqual({ errors: [], about: 2 });
  });

  it('leave out events that the server did not save', () => {
    const line =
      'E0301 11:00:01.000000       1 event.go:359] "Server rejected event (will not retry!)" ' +
      'err="events \\"data.18e9\\" is forbidden" event="&Event{InvolvedObject:{Name:data,UID:uid-of-claim},}"';
    expect(errors([line], 'uid-of-claim', 'provisioner')).toEqual([]);
  });

  it('tell a deletion from a creation by the words of the provisioner', () => {
    const lines = [
      'E0301 11:00:01.000000       1 c.go:1] delete "pvc-one": volume deletion failed: rpc error: code = Internal desc = x',
      'E0301 11:00:02.000000       1 c.go:2] error syncing claim "pvc-one": failed to provision volume',
    ];
    expect(errors(lines, 'pvc-one', 'provisioner').map(([rpc]) => rpc)).toEqual(['DeleteVolume', 'CreateVolume']);
  });
});
