import { describe, expect, it } from 'vitest';
import type { Fix, Report } from '../../../src/core/report/report.ts';
import { renderText } from '../../../src/terminal/verdict/text.ts';
import { fixLine } from '../../../src/terminal/verdict/finding.ts';
import { markdownFix } from '../../../src/terminal/markdown.ts';

const recreate: Fix = {
  text: 'Recreate the claim with class fast.',
  command: 'kubectl -n shop get pvc data -o yaml > data.pvc.yaml',
  commands: ['kubectl -n shop get pvc data -o yaml > data.pvc.yaml', 'kubectl -n shop delete pvc data'],
  risk: 'safe',
  after: { status: 'healthy', summary: 'pvc/data is bound.' },
};

function textOf(fix: Fix): string {
  const report: Report = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Report',
    takenAt: '2026-03-01T12:00:00Z',
    source: { type: 'cluster', name: 'test' },
    items: [
      {
        target: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' },
        status: 'blocked',
        stage: 'claim',
        cause: 'sc-missing',
        summary: 'StorageClass "gold" does not exist.',
        stages: [],
        findings: [
          {
            cause: 'sc-missing',
            stage: 'claim',
            role: 'cause',
            severity: 'blocking',
            confidence: 'certain',
            summary: 'StorageClass "gold" does not exist.',
            evidence: [],
            fix: [fix],
          },
        ],
        unread: [],
      },
    ],
    causes: [],
    summary: { blocked: 1, waiting: 0, healthy: 0, unknown: 0 },
  };
  return renderText(report, { width: 80, colour: false, named: true });
}

describe('a fix of several steps', () => {
  it('has each command on a line of its own, and then what it leads to', () => {
    expect(textOf(recreate)).toContain(
      [
        '  1. Recreate the claim with class fast.',
        '     $ kubectl -n shop get pvc data -o yaml > data.pvc.yaml',
        '     $ kubectl -n shop delete pvc data',
        '     After this: pvc/data is bound.',
      ].join('\n'),
    );
  });

  it('names the next obstacle that is already visible', () => {
    const after = { status: 'blocked', cause: 'sched-max-volume-count', summary: 'No node has a free slot.' } as const;
    expect(textOf({ ...recreate, after }).replaceAll(/\s+/g, ' ')).toContain(
      'After this, the next obstacle is sched-max-volume-count: No node has a free slot.',
    );
  });

  it('keeps all commands in one-line formats', () => {
    expect(fixLine(recreate)).toBe(
      'Recreate the claim with class fast:\n   kubectl -n shop get pvc data -o yaml > data.pvc.yaml\n   kubectl -n shop delete pvc data',
    );
    expect(markdownFix(recreate)).toBe(
      'Recreate the claim with class fast: `kubectl -n shop get pvc data -o yaml > data.pvc.yaml`, then `kubectl -n shop delete pvc data`',
    );
  });
});
