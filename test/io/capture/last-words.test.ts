import { describe, expect, it } from 'vitest';
import { reduceLastWords } from '../../../src/io/capture/last-words.ts';

const pod = { spec: { containers: [{ volumeMounts: [{ mountPath: '/data/' }] }] } };

describe('the last words of a program, in a capture', () => {
  it.each([
    ['panic: write /data/wal/0001: no space left on device', 'panic: write /data/wal/0001: no space left on device'],
    ['login alice with hunter2 failed\nopen /data/db: read-only file system', 'open /data/db: read-only file system'],
    ['write /home/alice/key: no space left on device', 'write /-: no space left on device'],
    ['cannot parse /data/app.yaml of alice: line 3', 'cannot … /data/app.yaml'],
    ['ENOSPC for alice', 'ENOSPC'],
  ])('%s: only what tells of a volume is kept', (message, kept) => {
    expect(reduceLastWords(message, pod)).toBe(kept);
  });

  it.each(['panic: hunter2', 'cannot open /home/alice/write', 'GET https://example.org/data/a failed'])(
    '%s: nothing is kept',
    (message) => {
      expect(reduceLastWords(message, pod)).toBeUndefined();
    },
  );
});
