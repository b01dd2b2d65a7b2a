import { describe, expect, it } from 'vitest';
import { askTrace } from '../../../src/core/survey/trace/ask-trace.ts';
import type { TargetRef } from '../../../src/core/kube/selection.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Trace } from '../../../src/core/report/trace.ts';
import { renderTrace } from '../../../src/commands/trace/text.ts';
import {
  attachStuck,
  events,
  provisionFailed,
  provisionFails,
  snapshotLife,
  snapshotWith,
} from '../../core/survey/trace-samples.ts';

const data: TargetRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
const traceOf = (snapshot: Snapshot, target = data): Trace => askTrace(snapshot, target).trace as Trace;
const screens: Readonly<Record<string, Trace>> = {
  healthy: traceOf(snapshotWith(undefined, events)),
  'provision-fails': traceOf(snapshotWith(provisionFails, provisionFailed)),
  'attach-stuck': traceOf(snapshotWith(attachStuck)),
  snapshot: traceOf(snapshotWith(undefined, snapshotLife), {
    kind: 'VolumeSnapshot',
    namespace: 'shop',
    name: 'nightly',
  }),
};

describe('screens of trace', () => {
  for (const [name, trace] of Object.entries(screens)) {
    for (const width of [60, 80, 120, 160]) {
      it(`${name} at ${width} columns`, async () => {
        await expect(renderTrace(trace, { width, colour: false, wide: width === 160 })).toMatchFileSnapshot(
          `../../screens/trace-${name}.${width}.txt`,
        );
      });
    }
    it(`${name} says the same with colours, but for the escapes`, () => {
      const coloured = renderTrace(trace, { width: 80, colour: true });
      expect(coloured).toContain('\u001b[');
      expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(renderTrace(trace, { width: 80, colour: false }));
    });
    it(`${name} in ASCII holds nothing else`, () => {
      expect(renderTrace(trace, { width: 80, colour: false, ascii: true })).toMatch(/^[\n -~]*$/);
    });
    it(`${name} is still read at 40 columns`, () => {
      const lines = renderTrace(trace, { width: 40, colour: false }).split('\n');
      expect(
        lines.filter(
          (line) => line.length > 40 && !line.includes('kubectl csi why') && !/^ +(\S \S+ +)?\S+( in \S+)?$/.test(line),
        ),
      ).toEqual([]);
    });
  }
});

describe('the text of a trace', () => {
  it('lets no cluster speak to the terminal', () => {
    const [first, ...rest] = screens['attach-stuck']?.chain ?? [];
    const evil = {
      ...(screens['attach-stuck'] as Trace),
      chain: [{ ...(first as Trace['chain'][number]), summary: 'fine\u001b[2J\u001b]0;x\u0007' }, ...rest],
    };
    const text = renderTrace(evil, { width: 80, colour: false });
    expect(text).not.toMatch(/[\u001b\u0007]/);
    expect(text).toContain('fine');
  });

  it('quotes what went wrong, and all words when wide', () => {
    const failing = screens['provision-fails'] as Trace;
    expect(renderTrace(failing, { width: 100, colour: false })).toContain('pool ssd-1 is full');
    const healthy = screens['healthy'] as Trace;
    expect(renderTrace(healthy, { width: 160, colour: false })).not.toContain('Successfully assigned');
    expect(renderTrace(healthy, { width: 160, colour: false, wide: true })).toContain(
      '> Successfully assigned shop/web-0 to node-a',
    );
  });

  it('does not say that nothing happened where events have expired by now', () => {
    const old = { ...(screens['attach-stuck'] as Trace), takenAt: '2026-03-01T14:00:00Z' };
    const text = renderTrace(
      { ...old, gaps: old.gaps.map(({ isNoisy: _, ...gap }) => gap) },
      { width: 80, colour: false },
    );
    expect(text).toContain('nothing on record: waited for');
    expect(renderTrace(screens['attach-stuck'] as Trace, { width: 80, colour: false })).not.toContain('on record');
  });

  it('names in one line what a dump leaves out, and in full what was refused', () => {
    const unread = [
      { resource: 'daemonsets', verb: 'list', reason: 'not in the dump', needed: 'where the plugin is' },
      { resource: 'nodes', verb: 'get', reason: 'forbidden', needed: 'whether node-a is ready' },
    ] as const;
    const text = renderTrace({ ...(screens['healthy'] as Trace), unread }, { width: 80, colour: false });
    expect(text).toContain('? could not read nodes (forbidden): whether node-a is ready\n');
    expect(text).toContain('? not in the dump: daemonsets (-o wide shows what it is needed for)\n');
  });
});
