import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderJson, renderName, renderYaml } from '../../src/terminal/structured.ts';
import type { ReportItem } from '../../src/core/report/report.ts';
import {
  fortyOrphans,
  healthyClaim,
  mixedBag,
  noSlots,
  notReadable,
  reportOf,
  waitsForPod,
} from '../kit/report-samples.ts';

const odd = [
  'yes',
  'on',
  'no',
  '1e3',
  '0o7',
  '012',
  '12:30:00',
  '=',
  '<<',
  'null',
  '~',
  '- a',
  'a: b',
  '#x',
  '',
  ' a ',
  'a\nb',
  '\u001b[31m',
  'a\u009bb\u202ec',
  '2026-01-01',
  '{}',
  '*a',
  '!x',
  '%',
  'a\u2028b',
];
const oddReport = reportOf(odd.map((summary): ReportItem => ({ ...healthyClaim('a'), summary })));

describe('json and yaml', () => {
  it('carry the report as it is', async () => {
    for (const report of [mixedBag, fortyOrphans, oddReport]) {
      expect(JSON.parse(renderJson(report))).toEqual(report);
      expect(parse(await renderYaml(report))).toEqual(report);
    }
  });

  it('mean the same to a reader of YAML 1.1', async () => {
    expect(parse(await renderYaml(oddReport), { version: '1.1' })).toEqual(oddReport);
  });

  it('write no anchors for targets that stand in several places', async () => {
    expect(await renderYaml(fortyOrphans)).not.toMatch(/: [&*]a\d/);
  });

  it('hold no raw control character', async () => {
    for (const text of [renderJson(oddReport), await renderYaml(oddReport)])
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
  });

  it('end with one line break', async () => {
    for (const text of [renderJson(mixedBag), await renderYaml(mixedBag)]) expect(text).toMatch(/[^\n]\n$/);
  });
});

describe('names', () => {
  it('are those of the blocked and the unknown, as kubectl writes them', () => {
    expect(renderName(reportOf([noSlots, waitsForPod, notReadable, healthyClaim('a')]))).toBe(
      'persistentvolumeclaim/data-0\npersistentvolumeclaim/logs\n',
    );
  });

  it('carry the group of kinds outside the core', () => {
    expect(renderName(reportOf([{ ...noSlots, target: { kind: 'VolumeAttachment', name: 'csi-1' } }]))).toBe(
      'volumeattachment.storage.k8s.io/csi-1\n',
    );
  });

  it('are empty when nobody is needed', () => {
    expect(renderName(reportOf([healthyClaim('a')]))).toBe('');
  });
});
