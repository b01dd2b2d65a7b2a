import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { checkReportOf, ownChecks } from '../../../src/core/report/check.ts';
import type { CheckReport, CheckSurvey, FailOn, JudgedFinding } from '../../../src/core/report/check.ts';
import { probeReportOf } from '../../../src/core/report/probe-report.ts';
import { renderCheckGithub } from '../../../src/commands/check/github.ts';
import { workflowCommand } from '../../../src/terminal/github.ts';
import { renderCheckJunit } from '../../../src/commands/check/junit.ts';
import { renderCheckList } from '../../../src/commands/check/list.ts';
import { renderCheckMarkdown } from '../../../src/commands/check/markdown.ts';
import { renderCheckName } from '../../../src/commands/check/name.ts';
import { renderCheckPrometheus } from '../../../src/commands/check/prometheus.ts';
import { renderCheckText } from '../../../src/commands/check/text.ts';
import { renderProbeJunit } from '../../../src/commands/probe/junit.ts';

const finding = (
  id: string,
  severity: JudgedFinding['severity'],
  name: string,
  more: Partial<JudgedFinding> = {},
): JudgedFinding => ({
  id,
  type: ownChecks.some((check) => check.id === id) ? 'check' : 'cause',
  severity,
  confidence: 'certain',
  object: { kind: 'PersistentVolumeClaim', namespace: 'shop', name },
  summary: `${name} has ${id}`,
  group: `all have ${id}`,
  evidence: [
    {
      object: { kind: 'PersistentVolumeClaim', namespace: 'shop', name },
      path: 'spec.storageClassName',
      value: 'fast',
    },
  ],
  fix: [{ text: 'mend it', command: `kubectl -n shop delete pvc ${name}`, risk: 'disruptive' }],
  outcome: 'new',
  ...more,
});

const survey: CheckSurvey = {
  takenAt: '2026-05-04T03:14:00.5Z',
  source: { type: 'cluster', name: 'demo' },
  findings: [],
  unknown: [],
  unread: [],
  isSearched: true,
  isSearchedForWarnings: true,
  healthy: 3,
  drivers: [{ driver: 'disk.example.com', works: false, nodes: { ready: 2, missing: 1 } }],
};
const report = (
  findings: readonly JudgedFinding[],
  more: Partial<CheckSurvey> = {},
  failOn: FailOn = 'blocking',
): CheckReport => checkReportOf({ ...survey, ...more }, { failOn, findings, unusedIgnores: [], gone: [] });
const text = (checked: CheckReport, options: object = {}): string =>
  renderCheckText(checked, { width: 80, colour: false, ...options });

const mixed = report([
  finding('sc-missing', 'blocking', 'cart'),
  finding('sc-missing', 'blocking', 'orders'),
  finding('quota-near-limit', 'warning', 'data'),
  finding('wffc-no-consumer', 'info', 'later'),
  finding('pv-released-retain', 'warning', 'kept', {
    outcome: 'ignored',
    ignoredBy: 'pv-released-retain:*',
    reason: 'for the auditors',
  }),
  finding('sc-missing', 'blocking', 'ancient', { outcome: 'known' }),
]);
const hostile = report([
  finding('sc-missing', 'blocking', 'evil\u001B[2J\u202Ename', {
    summary: 'a\n::error::forged|`<b>@someone #1 100%\u0000\uFFFE',
    group: 'x',
  }),
  finding('quota-near-limit', 'warning', 'a"b\\c', {
    object: { kind: 'ResourceQuota', namespace: 'n"\\\n', name: 'q' },
    fix: [],
  }),
]);
const blind = report([], {
  isSearched: false,
  unread: [
    { resource: 'persistentvolumeclaims', verb: 'list', reason: 'forbidden', needed: 'which claims are not bound' },
  ],
});
const unjudged = report([], {
  unknown: [{ object: { kind: 'Pod', namespace: 'shop', name: 'web' }, summary: 'could not tell: nobody knows' }],
});
const all = [
  ['a mixed bag', mixed],
  ['hostile text', hostile],
  ['a blind reader', blind],
  ['something not judged', unjudged],
  ['nothing wrong', report([])],
  ['an empty cluster', report([], { healthy: 0, drivers: [] })],
] as const;

describe('the result', () => {
  it.each([
    [[], 'blocking', 'passed'],
    [[finding('sc-missing', 'blocking', 'a')], 'blocking', 'failed'],
    [[finding('quota-near-limit', 'warning', 'a')], 'blocking', 'passed'],
    [[finding('quota-near-limit', 'warning', 'a')], 'warning', 'failed'],
    [[finding('sc-missing', 'blocking', 'a', { outcome: 'ignored' })], 'warning', 'passed'],
    [[finding('sc-missing', 'blocking', 'a', { outcome: 'known' })], 'warning', 'passed'],
    [[finding('wffc-no-consumer', 'info', 'a')], 'warning', 'passed'],
  ] as const)('of %j with --fail-on %s is %s', (findings, failOn, result) => {
    expect(report(findings, {}, failOn).result).toBe(result);
  });

  it('stays inconclusive whatever the threshold', () => {
    expect(blind.result).toBe('inconclusive');
    expect(report([], { isSearched: false }, 'warning').result).toBe('inconclusive');
    expect(report([finding('quota-near-limit', 'warning', 'a')], { isSearched: false }).result).toBe('inconclusive');
  });
});

describe('text', () => {
  it('is one screen, the worst first, folded, with the counts at the end', () => {
    expect(text(mixed)).toBe(`cluster demo, 2026-05-04T03:14:00Z

Blocking
  ✖ sc-missing  2 objects, e.g. pvc/cart -n shop
      all have sc-missing

Warnings
  ! quota-near-limit  pvc/data -n shop
      data has quota-near-limit

◌ waiting: 1 claim wffc-no-consumer

Evidence and fixes: -o wide. Meaning of a cause: kubectl csi explain CAUSE
✖ failed: 2 blocking, 1 warning, 1 waiting, 1 ignored, 1 in the baseline, 3
  claims healthy
`);
  });

  it('shows evidence, fix and what does not count when wide', () => {
    const wide = text(mixed, { wide: true });
    expect(wide).toContain('$ kubectl -n shop delete pvc cart');
    expect(wide).toContain('spec.storageClassName = fast');
    expect(wide).toContain('2 claims: pvc/cart -n shop, pvc/orders -n shop');
    expect(wide).toContain('(ignored by');
    expect(wide).toMatch(/for\s+the auditors/);
  });

  it('says that nothing is wrong in a line, and never of what nobody could read', () => {
    expect(text(report([]))).toContain('✔ passed: 3 claims healthy\n');
    expect(text(blind).replaceAll(/\s+/g, ' ')).toContain(
      '? inconclusive: nothing blocking was found, but not everything could be read or judged',
    );
    expect(text(blind)).toContain('could not read persistentvolumeclaims (forbidden)');
    expect(text(unjudged)).toContain('? pod/web -n shop\n      could not tell: nobody knows');
  });

  it('stays on its screen with two hundred reasons', () => {
    const many = text(
      report(
        Array.from({ length: 200 }, (_, index) =>
          finding('sc-missing', 'blocking', `claim-${index}`, { group: `reason ${index}` }),
        ),
      ),
    );
    expect(many.split('\n').length).toBeLessThan(45);
    expect(many).toContain('and 190 more (-o wide lists them)');
  });

  it.each([40, 80, 160])('keeps to %d columns, but for commands', (width) => {
    for (const line of text(mixed, { width }).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });
});

const schema = JSON.parse(readFileSync(new URL('../../../docs/check.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

describe('the schema', () => {
  it.each(all)('accepts %s', (_name, checked) => {
    validate(JSON.parse(JSON.stringify(checked)));
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each([
    ['a result of its own', { ...mixed, result: 'maybe' }],
    ['a field it does not know', { ...mixed, extra: 1 }],
    ['a finding without its outcome', { ...mixed, findings: [{ ...mixed.findings[0], outcome: undefined }] }],
    ['an id that is no slug', { ...mixed, findings: [{ ...mixed.findings[0], id: 'No Slug' }] }],
  ])('rejects %s', (_name, checked) => {
    expect(validate(JSON.parse(JSON.stringify(checked)))).toBe(false);
  });
});

const xsd = readFileSync(new URL('../../kit/junit.xsd', import.meta.url), 'utf8');
const complaints = async (contents: string): Promise<string[]> =>
  (await validateXML({ xml: [{ fileName: 'report.xml', contents }], schema: [xsd] })).errors.map(
    ({ message }) => message,
  );

describe('JUnit', () => {
  it.each(all)('is accepted for %s', async (_name, checked) => {
    expect(await complaints(renderCheckJunit(checked))).toEqual([]);
  });

  it('is accepted for a probe, from the same hand', async () => {
    const item = {
      via: 'socket',
      protocol: 'csi',
      notes: ['a\nb'],
      calls: [],
      drift: [],
      fix: [{ text: 'try', risk: 'safe' }],
      endpoint: 'unix:///a&b',
      status: 'unhealthy',
      summary: '<x>\u0000',
    } as const;
    expect(
      await complaints(
        renderProbeJunit(
          probeReportOf(
            [item, { ...item, status: 'ready' }, { ...item, status: 'unknown' }],
            '2026-05-04T03:14:00+02:00',
          ),
        ),
      ),
    ).toEqual([]);
  });

  it('would be refused with a zone in its time, or without a count', async () => {
    const xml = renderCheckJunit(mixed);
    expect(await complaints(xml.replace('2026-05-04T03:14:00"', '2026-05-04T03:14:00Z"'))).not.toEqual([]);
    expect(await complaints(xml.replaceAll(/ failures="\d+"/g, ''))).not.toEqual([]);
  });

  it('fails a case for each object that counts, skips what does not, and passes the rest', () => {
    const xml = renderCheckJunit(mixed);
    expect(xml).toMatch(/<testsuite name="kubectl csi check" tests="\d+" failures="2" errors="0" skipped="2"/);
    expect(xml).toContain('<testcase classname="kubectl csi check.sc-missing" name="pvc/cart -n shop"');
    expect(xml).toContain('<testcase classname="kubectl csi check.sc-missing" name="pvc/orders -n shop"');
    expect(xml).toContain('all with this cause: pvc/cart -n shop, pvc/orders -n shop');
    expect(xml).toContain('<skipped message="ignored by pv-released-retain:*: for the auditors"/>');
    expect(xml).toContain('<skipped message="in the baseline: ancient has sc-missing"/>');
    expect(xml).toContain('<system-out>warning: data has quota-near-limit');
    expect(xml).toContain('1. [disruptive] mend it: kubectl -n shop delete pvc cart');
    expect(xml).toContain('<testcase classname="kubectl csi check.sidecar-down" name="nothing found"');
    expect(renderCheckJunit(report(mixed.findings, {}, 'warning'))).toContain('failures="3"');
    expect(renderCheckJunit(blind)).toContain('errors="1"');
    expect(renderCheckJunit(blind)).not.toContain('nothing is stuck');
    expect(renderCheckJunit(report([]))).toContain('name="nothing is stuck"');
  });

  it('keeps the name of a case when others get stuck for the same reason', () => {
    const names = (count: number): string[] =>
      [
        ...renderCheckJunit(
          report(Array.from({ length: count }, (_, index) => finding('sc-missing', 'blocking', `claim-${index}`))),
        ).matchAll(/check\.sc-missing" name="([^"]*)"/g),
      ].map(([, name]) => name ?? '');
    expect(names(5).slice(0, 2)).toEqual(names(2));
  });
});

describe('GitHub', () => {
  it('never writes more of a level than GitHub shows, and names the rest', () => {
    const count = (findings: number): string[] =>
      renderCheckGithub(
        report(
          Array.from({ length: findings }, (_, index) =>
            finding('sc-missing', 'blocking', `claim-${index}`, { group: `reason ${index}` }),
          ),
        ),
      )
        .split('\n')
        .filter((line) => line.startsWith('::error'));
    expect(count(10)).toHaveLength(10);
    expect(count(13)).toHaveLength(10);
    expect(count(13).at(-1)).toBe('::error title=4 more::sc-missing, sc-missing, sc-missing, sc-missing');
  });
  it('writes one command for each reason, and ends with the counts', () => {
    expect(renderCheckGithub(mixed)).toBe(
      [
        '::error title=sc-missing::all have sc-missing%0Apvc/cart -n shop, pvc/orders -n shop%0Afix: [disruptive] mend it: kubectl -n shop delete pvc cart',
        '::warning title=quota-near-limit::data has quota-near-limit%0Apvc/data -n shop%0Afix: [disruptive] mend it: kubectl -n shop delete pvc data',
        'failed: 2 blocking, 1 warning, 1 waiting, 1 ignored, 1 in the baseline, 3 claims healthy',
        '',
      ].join('\n'),
    );
  });

  it('makes an error of a warning that makes the check fail, and of what could not be read', () => {
    expect(renderCheckGithub(report(mixed.findings, {}, 'warning'))).toContain('::error title=quota-near-limit::');
    expect(renderCheckGithub(blind)).toContain(
      '::error title=inconclusive::could not read persistentvolumeclaims (forbidden)',
    );
  });

  it('escapes as documented, so that no text can begin a command', () => {
    expect(workflowCommand('error', 'a:b,c%', 'x%y\r\nz: ,', { file: 'd,e.yaml' })).toBe(
      '::error file=d%2Ce.yaml,title=a%3Ab%2Cc%25::x%25y%0D%0Az: ,',
    );
    const lines = renderCheckGithub(hostile).split('\n');
    expect(lines.filter((line) => line.startsWith('::'))).toHaveLength(2);
    expect(lines[0]).toMatch(/^::error title=sc-missing::a ::error::forged/);
    expect(lines[0]).toContain('100%25');
  });
});

describe('Markdown', () => {
  it('is a table of reasons, and of what does not count', () => {
    const page = renderCheckMarkdown(mixed);
    expect(page).toContain(
      '| ❌ blocking | `sc-missing` | pvc/cart -n shop, pvc/orders -n shop | all have sc-missing | \\[disruptive\\] mend it: `kubectl -n shop delete pvc cart` |',
    );
    expect(page).toContain(
      '| `pv-released-retain` | pvc/kept -n shop | ignored by `pv-released-retain:*`: for the auditors |',
    );
  });

  it('lets nothing of a cluster become markup, a mention or a cell', () => {
    const page = renderCheckMarkdown(hostile);
    expect(page).toContain('\\|\\`\\<b\\>&#64;someone &#35;1');
    expect(page).not.toMatch(/@someone|<b>|\u001B|\u202E/);
    const rows = page.split('\n').filter((line) => line.startsWith('| ❌'));
    expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual([7]);
  });
});

/** What a scraper reads: the text format 0.0.4, strictly. */
function scrape(exposition: string): Map<string, number> {
  const samples = new Map<string, number>();
  const types = new Set<string>();
  expect(exposition.endsWith('\n')).toBe(true);
  for (const line of exposition.split('\n').slice(0, -1)) {
    const type = /^# TYPE ([a-z_]+) gauge$/.exec(line);
    if (type) types.add(type[1] as string);
    else if (!/^# HELP [a-z_]+ \S.*$/.test(line)) {
      const sample = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))*\})? (\d+(?:\.\d+)?)$/.exec(
        line,
      );
      expect(sample, line).not.toBeNull();
      expect(types.has(sample?.[1] ?? '')).toBe(true);
      expect(samples.has(`${sample?.[1] ?? ''}${sample?.[2] ?? ''}`)).toBe(false);
      samples.set(`${sample?.[1] ?? ''}${sample?.[2] ?? ''}`, Number(sample?.[3]));
    }
  }
  return samples;
}

describe('Prometheus', () => {
  it.each(all)('can scrape %s', (_name, checked) => {
    expect(scrape(renderCheckPrometheus(checked)).size).toBeGreaterThan(5);
  });

  it('counts by cause, namespace and kind, and never by name', () => {
    const samples = scrape(renderCheckPrometheus(mixed));
    expect(samples.get('kubectl_csi_stuck{cause="sc-missing",namespace="shop",kind="PersistentVolumeClaim"}')).toBe(2);
    expect(samples.get('kubectl_csi_check_findings{severity="blocking"}')).toBe(2);
    expect(samples.get('kubectl_csi_driver_nodes{driver="disk.example.com",state="missing"}')).toBe(1);
    expect(samples.get('kubectl_csi_driver_nodes{driver="disk.example.com",state="notReady"}')).toBe(0);
    expect(samples.get('kubectl_csi_up')).toBe(1);
    expect([...samples.keys()].join('\n')).not.toMatch(/cart|orders/);
  });

  it('is not up when it could not look, and escapes labels', () => {
    expect(scrape(renderCheckPrometheus(blind)).get('kubectl_csi_up')).toBe(0);
    expect(renderCheckPrometheus(hostile)).toContain('namespace="n\\"\\\\"');
  });
});

describe('names and the list', () => {
  it('names each object that needs someone once', () => {
    expect(renderCheckName(mixed)).toBe(
      'persistentvolumeclaim/cart\npersistentvolumeclaim/orders\npersistentvolumeclaim/data\n',
    );
  });

  it('lists the checks in their order, and the pages have a section for each', () => {
    const ids = ownChecks.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    const shown = renderCheckList(ownChecks, { width: 80, colour: false });
    const page = readFileSync(new URL('../../../docs/checks.md', import.meta.url), 'utf8');
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(ids);
    for (const { id, severity } of ownChecks) {
      expect(shown).toMatch(new RegExp(`^${id} +${severity}$`, 'm'));
      expect(page.toLowerCase()).toContain(`## ${id}\n\n${severity}.`);
    }
  });

  it('has no check that is also a cause', () => {
    expect(
      ownChecks.filter(({ id }) => {
        try {
          readFileSync(new URL(`../../../docs/causes/${id}.md`, import.meta.url));
          return true;
        } catch {
          return false;
        }
      }),
    ).toEqual([]);
  });
});
