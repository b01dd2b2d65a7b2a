import { describe, expect, it } from 'vitest';
import { filePrefixes, sharedSentence } from '../../../src/core/survey/contexts/context-answer.ts';
import type { ContextAnswer } from '../../../src/core/survey/contexts/context-answer.ts';
import { mergeReports } from '../../../src/core/survey/contexts/merge-reports.ts';
import type { Report, ReportItem, Unread } from '../../../src/core/report/report.ts';
import { renderSeveralText } from '../../../src/terminal/verdict/several.ts';
import { fortyOrphans, healthyClaim, noSlots, notReadable, reportOf } from '../../kit/report-samples.ts';

const sources = { isDump: false, now: '2026-01-01T00:00:00Z' };
const read = (context: string, document: Report): ContextAnswer<Report> => ({ type: 'read', context, document });
const textOf = (report: Report): string => renderSeveralText(report, { width: 100, colour: false });

describe('a cause in several clusters', () => {
  it.each([
    [
      'counts',
      'No slot is free: all 3 nodes hold 25 of 25 volumes.',
      'No slot is free: all 12 nodes hold 39 of 39 volumes.',
    ],
    [
      'numbers of what waits',
      'The driver is down, and 1 claim waits for it.',
      'The driver is down, and 14 claims wait for it.',
    ],
    [
      'generated names of pods',
      'Container driver of pod/csi-controller-6d5f7-x2x4z keeps crashing with exit code 1.',
      'Container driver of pod/csi-controller-7c9b8d5f4c-k9w2p keeps crashing with exit code 137.',
    ],
    [
      'later sentences',
      'Class "fast" does not exist. Classes are a and b.',
      'Class "fast" does not exist. Classes are c and d.',
    ],
  ])('is one although its %s differ', (_what, one, other) => {
    expect(sharedSentence(one)).toBe(sharedSentence(other));
  });

  it.each([
    ['classes', 'StorageClass "gold1" does not exist.', 'StorageClass "gold2" does not exist.'],
    ['numbered objects', 'pvc/data-0 is Lost.', 'pvc/data-1 is Lost.'],
    ['numbered nodes', 'The node worker-1 is gone.', 'The node worker-2 is gone.'],
    ['pods of a StatefulSet', 'pod/db-0 cannot start.', 'pod/db-1 cannot start.'],
    ['drivers', 'No provisioner is running for a.example.com.', 'No provisioner is running for b.example.com.'],
  ])('is two for two %s', (_what, one, other) => {
    expect(sharedSentence(one)).not.toBe(sharedSentence(other));
  });

  it('says which cluster its sentence is about where they differ', () => {
    const item = (summary: string): ReportItem => ({ ...noSlots, summary });
    const of = (summary: string): Report => {
      const report = reportOf([item(summary)]);
      return { ...report, causes: report.causes.map((cause) => ({ ...cause, summary })) };
    };
    const merged = mergeReports(
      [read('a', of('All 3 nodes are full.')), read('b', of('All 5 nodes are full.'))],
      sources,
    );
    expect(merged.causes.map(({ summary }) => summary)).toEqual(['In a: All 3 nodes are full.']);
    const same = mergeReports([read('a', of('All nodes are full.')), read('b', of('All nodes are full.'))], sources);
    expect(same.causes.map(({ summary }) => summary)).toEqual(['All nodes are full.']);
  });
});

describe('the report on several clusters', () => {
  it('stays readable for forty clusters', () => {
    const names = Array.from({ length: 40 }, (_, index) => `cluster-${index + 1}`);
    const report = mergeReports(
      names.map((name, index) => read(name, index % 6 === 0 ? reportOf([noSlots]) : reportOf([healthyClaim('a')]))),
      sources,
    );
    const lines = textOf(report).split('\n');
    expect(lines[0]).toMatch(/^Storage is stuck in 7 of 40 clusters: 7 blocked/);
    expect(lines.length).toBeLessThan(60);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toMatch(/In 7 clusters: cluster-1, cluster-7, .*cluster-37/);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toMatch(/Nothing stuck in 33 clusters: cluster-2, .* and 21 more/);
  });

  it('never counts a cluster of which a part could not be read among those without anything stuck', () => {
    const gap: Unread = { resource: 'pods', verb: 'list', reason: 'forbidden', needed: 'which pods wait' };
    const text = textOf(
      mergeReports(
        [
          read('blind', { ...reportOf([healthyClaim('a')]), unread: [gap] }),
          read('partly', reportOf([notReadable])),
          read('sound', reportOf([healthyClaim('a')])),
        ],
        sources,
      ),
    );
    expect(text).toMatch(/^(?!Nothing is stuck)/);
    expect(text).toContain('could not read pods (forbidden) in blind');
    expect(text).toContain('kubectl csi rbac --check --context');
    expect(text).toMatch(/Nothing stuck in sound\n/);
  });

  it('says what was not read even where all else is in order', () => {
    const merged = mergeReports(
      [
        read('a', reportOf([healthyClaim('a')])),
        { type: 'unread', context: 'b', message: 'It refused the connection.' },
      ],
      sources,
    );
    expect(textOf(merged)).toBe(
      'Nothing stuck was found in 1 of 2 clusters: 1 claim checked. 1 cluster could not be read.\n\n? b could not be read: It refused the connection.\n✔ Nothing stuck in a\n',
    );
  });

  it('does not mix up objects of the same name', () => {
    const merged = mergeReports([read('a', fortyOrphans), read('b', fortyOrphans)], sources);
    expect(merged.causes).toHaveLength(fortyOrphans.causes.length);
    expect(merged.summary.blocked).toBe(2 * fortyOrphans.summary.blocked);
    expect(textOf(merged)).toContain('Storage is stuck in 2 of 2 clusters: 80 blocked');
  });
});

it('gives the files of each cluster names of their own', () => {
  const prefixes = filePrefixes(['prod', 'a/b', 'a_b', 'A_B', 'arn:aws:eks:eu:1:cluster/x', '../..', '']);
  expect([...prefixes.values()]).toEqual([
    'prod.',
    'a_b.',
    'a_b-2.',
    'A_B-3.',
    'arn_aws_eks_eu_1_cluster_x.',
    'cluster.',
    'cluster-2.',
  ]);
});
