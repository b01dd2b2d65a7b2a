import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/core/report/report.ts';
import {
  fortyOrphans,
  healthyClaim,
  mixedBag,
  noSlots,
  notReadable,
  reportOf,
  waitsForPod,
} from '../../kit/report-samples.ts';

const schema = JSON.parse(readFileSync(new URL('../../../docs/report.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

type Step = string | number;

/** The mixed bag with one value set, or taken away. */
function broken(path: readonly Step[], value?: unknown): unknown {
  const report = structuredClone(mixedBag);
  const parent = path
    .slice(0, -1)
    .reduce<Record<Step, unknown>>(
      (node, step) => node[step] as Record<Step, unknown>,
      report as unknown as Record<Step, unknown>,
    );
  const last = path.at(-1) as Step;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return report;
}

describe('the schema of the report', () => {
  it.each<[string, Report]>([
    ['forty folded claims', fortyOrphans],
    ['a mixed bag', mixedBag],
    ['one blocked claim', reportOf([noSlots])],
    ['a wait', reportOf([waitsForPod])],
    ['something unreadable', reportOf([notReadable])],
    ['a healthy claim', reportOf([healthyClaim('a')])],
    [
      'an empty report of a dump',
      reportOf([], { source: { type: 'files', name: 'dump/' }, takenAt: '2026-05-04T03:14:00.123456+02:00' }),
    ],
  ])('accepts %s', (_name, report) => {
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a foreign version', broken(['apiVersion'], 'csi.kubectl.dev/v2')],
    ['a field it does not know', broken(['extra'], 1)],
    ['an item with a field it does not know', broken(['items', 0, 'colour'], 'red')],
    ['a time without a zone', broken(['takenAt'], '2026-05-04T03:14:00')],
    ['a status of its own', broken(['items', 0, 'status'], 'broken')],
    ['a stage of its own', broken(['items', 0, 'stages', 0, 'stage'], 'class')],
    ['a blocked target without a cause', broken(['items', 0, 'cause'])],
    ['a healthy target with a cause', broken(['items', 7, 'cause'], 'sc-missing')],
    ['a cause that is no slug', broken(['items', 0, 'findings', 0, 'cause'], 'No Slug')],
    ['a fix without its risk', broken(['items', 0, 'findings', 0, 'fix', 0, 'risk'])],
    ['evidence without an object', broken(['items', 0, 'findings', 0, 'evidence', 0, 'object'])],
    ['a number where text belongs', broken(['items', 0, 'findings', 0, 'evidence', 0, 'value'], 25)],
    ['an unread entry with a reason of its own', broken(['items', 5, 'unread', 0, 'reason'], 'dunno')],
    ['a folded cause without targets', broken(['causes', 0, 'targets'], [])],
    ['half a count', broken(['summary', 'blocked'], 0.5)],
    ['a missing summary', broken(['summary'])],
    ['null', null],
  ])('rejects %s', (_name, report) => {
    expect(validate(report)).toBe(false);
  });
});
