import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/terminal/verdict/text.ts';
import type { Finding, Report, ReportItem } from '../../../src/core/report/report.ts';
import {
  claim,
  fortyOrphans,
  healthyClaim,
  mixedBag,
  noSlots,
  notReadable,
  orphaned,
  reportOf,
  waitsForPod,
  wrongParameters,
} from '../../kit/report-samples.ts';

const plain = (report: Report, width = 80, more: object = {}): string =>
  renderText(report, { width, colour: false, ...more });
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const isCommand = (line: string): boolean => /^ *(?:\d+\. .*)?\$ /.test(line) || line.includes('kubectl csi explain');

const screens: Record<string, Report> = {
  'no-slots': reportOf([noSlots]),
  'wrong-parameters': reportOf([wrongParameters]),
  'waits-for-pod': reportOf([waitsForPod]),
  'not-readable': reportOf([notReadable]),
  'forty-orphans': fortyOrphans,
  'mixed-bag': mixedBag,
};

describe('screens', () => {
  for (const [name, report] of Object.entries(screens)) {
    for (const width of [60, 80, 120, 160]) {
      it(`${name} at ${width} columns`, async () => {
        await expect(plain(report, width)).toMatchFileSnapshot(`screens/${name}.${width}.txt`);
      });
    }
    it(`${name}, wide`, async () => {
      await expect(plain(report, 120, { wide: true })).toMatchFileSnapshot(`screens/${name}.wide.txt`);
    });
    it(`${name} says the same with colours, but for the escapes`, () => {
      const coloured = renderText(report, { width: 80, colour: true });
      expect(coloured).toContain('\u001b[');
      expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(plain(report));
    });
    it(`${name} uses no more columns than there are, except for commands and identifiers`, () => {
      const isOneWord = (line: string): boolean => !line.trim().includes(' ');
      for (const width of [40, 60, 80]) {
        const wide = linesOf(plain(report, width)).filter((line) => stringWidth(line) > width);
        expect(wide.filter((line) => !isCommand(line) && !isOneWord(line))).toEqual([]);
      }
    });
    it(`${name} in ASCII holds nothing else`, () => {
      expect(plain(report, 80, { ascii: true })).toMatch(/^[\n -~]*$/);
    });
  }
});

describe('one target', () => {
  it('points at the row that broke, and still says so where the arrow does not fit beside it', () => {
    expect(plain(reportOf([noSlots]))).toMatch(/✖ schedule {3}pod\/web-0: no node fits +← broken here\n/);
    expect(plain(reportOf([noSlots]), 40)).toMatch(/no node fits\n +← broken here\n/);
  });

  it('folds stages that wait for the same', () => {
    const stages = noSlots.stages.map((row) =>
      row.state === 'unreached' ? { ...row, note: 'waits for schedule' } : row,
    );
    expect(plain(reportOf([{ ...noSlots, stages }]))).toContain('  · provision, bind, attach, mount: not reached\n');
  });

  it('never wraps or cuts a command', () => {
    const text = plain(reportOf([wrongParameters]), 40);
    for (const fix of wrongParameters.findings[0]?.fix ?? [])
      expect(linesOf(text).some((line) => line.endsWith(`$ ${fix.command}`))).toBe(true);
  });

  it('opens a dangerous fix with its danger', () => {
    const text = plain(reportOf([wrongParameters]));
    expect(text).toContain('  1. [disruptive] write iops');
    expect(text).toContain('  2. [data loss] delete the claim');
  });

  it('says what could not be read', () => {
    const text = plain(reportOf([notReadable]));
    expect(text).toContain('could not read csinodes (forbidden): whether the driver runs on node-a');
    expect(text).toContain('(the read failed: connection reset by peer)');
  });

  it('counts a wait from the clock of the report', () => {
    expect(linesOf(plain(reportOf([waitsForPod])))[0]).toBe('pvc/spare  namespace shop  waiting 3d');
    expect(linesOf(plain(reportOf([waitsForPod], { takenAt: 'not a time' })))[0]).toBe(
      'pvc/spare  namespace shop  waiting',
    );
  });

  it('gives no age to a moment that lies ahead', () => {
    expect(linesOf(plain(reportOf([waitsForPod], { takenAt: '2020-01-01T00:00:00Z' })))[0]).toBe(
      'pvc/spare  namespace shop  waiting',
    );
  });

  it('shows the cause and its sentence even when no finding carries them', () => {
    const text = plain(reportOf([{ ...noSlots, findings: [] }]));
    expect(text).toContain('Cause: sched-max-volume-count\n  all 3 nodes hold 25 of 25');
  });

  it('keeps all evidence for -o wide and says how much it left out', () => {
    const evidence = Array.from({ length: 30 }, (_, index) => ({
      object: { kind: 'Node', name: `node-${index}` },
      path: 'spec.unschedulable',
      value: 'true',
    }));
    const item: ReportItem = { ...noSlots, findings: noSlots.findings.map((finding) => ({ ...finding, evidence })) };
    expect(plain(reportOf([item]))).toContain('and 22 more (-o wide shows them)');
    expect(plain(reportOf([item]), 80, { wide: true })).toContain('node/node-29');
  });

  it('never breaks an identifier, even where it is wider than the screen', () => {
    const value = 'x'.repeat(500);
    const item: ReportItem = {
      ...noSlots,
      findings: noSlots.findings
        .slice(0, 1)
        .map((finding) => ({ ...finding, evidence: [{ object: claim('a'), path: 'status.message', value }] })),
    };
    const text = plain(reportOf([item]), 60);
    expect(text).toContain(value);
  });

  it('aligns rows whose notes hold wide characters', () => {
    const item: ReportItem = {
      ...noSlots,
      stages: noSlots.stages.map((row) => (row.stage === 'schedule' ? { ...row, note: '节点没有空位 🚫' } : row)),
    };
    const row = linesOf(plain(reportOf([item]))).find((line) => line.includes('← broken here')) ?? '';
    expect(stringWidth(row)).toBe(80);
  });

  it('says whose namespace it is when evidence lies elsewhere', () => {
    expect(plain(reportOf([wrongParameters]))).toContain(
      'pod/ebs-csi-controller-0 in kube-system  status.phase = Running',
    );
  });

  it('answers a healthy target that was named', () => {
    expect(plain(reportOf([healthyClaim('cache')]), 80, { named: true })).toContain(
      'pvc/cache  namespace shop  healthy\n  bound to pv/vol-1',
    );
  });
});

describe('many targets', () => {
  it('folds forty claims behind one driver into one cause', () => {
    const text = plain(fortyOrphans);
    expect(text.match(/Cause: provisioner-down/g)).toHaveLength(1);
    expect(text).toContain('40 claims in namespace shop');
    expect(text).toContain('and 30 more (-o wide lists them)');
    expect(text.match(/kubectl describe deployment/g)).toHaveLength(1);
    expect(linesOf(text).at(-1)).toBe('40 blocked (40 claims, 1 cause), 1 waiting, 1 healthy');
  });

  it('begins with a table, most stuck objects first, and shows three causes in full', () => {
    const text = plain(mixedBag, 120);
    expect(text).toMatch(
      /^4 blocked \(4 claims, 3 causes\), 1 unknown, 1 waiting, 2 healthy\n\nCAUSE +STUCK +OLDEST +/,
    );
    expect(text).toMatch(/\nprovisioner-down +2 claims +14m +blue, green +no controller/);
    expect(text.match(/^Evidence$/gm)).toHaveLength(3);
  });

  it('shows more causes in full only with --details, and says how to see one', () => {
    const four = reportOf(['a', 'b', 'c', 'd'].map((name) => ({ ...orphaned(name), cause: `cause-${name}` })));
    const text = plain(four);
    expect(text).not.toContain('Evidence\n');
    expect(text).toMatch(/--details shows all\):\n {2}\$ kubectl csi why pvc\/a -n shop\n$/);
    expect(plain(four, 80, { details: true })).toContain('Evidence\n');
  });

  it('lists all forty when wide', () => {
    const text = plain(fortyOrphans, 80, { wide: true });
    for (let index = 0; index < 40; index += 1) expect(text).toMatch(new RegExp(`pvc/data-${index} `));
  });

  it("tells each subject's own evidence when wide, and what else holds a subject always", () => {
    const second = orphaned('b');
    const [finding] = second.findings as [Finding];
    const own: Finding = {
      ...finding,
      evidence: [...finding.evidence, { object: claim('b'), path: 'event ProvisioningFailed', value: 'only b' }],
    };
    const report = reportOf([
      orphaned('a'),
      { ...second, findings: [own, { ...finding, cause: 'quota-full', summary: 'the quota is full' }] },
    ]);
    expect(plain(report, 80, { wide: true })).toMatch(/pvc\/b .*\n {4}pvc\/b {2}event ProvisioningFailed: only b\n/);
    expect(plain(report)).not.toContain('only b');
    expect(plain(report)).toContain('Also\n  quota-full: the quota is full');
  });

  it('says whose fix it shows when the fixes differ', () => {
    const own = (name: string): ReportItem => {
      const item = orphaned(name);
      return {
        ...item,
        findings: item.findings.map((finding) => ({
          ...finding,
          fix: [{ text: 'look', command: `kubectl describe pvc ${name}`, risk: 'safe' as const }],
        })),
      };
    };
    expect(plain(reportOf([own('a'), own('b')]))).toContain('Fix, shown for pvc/a');
    expect(plain(reportOf([orphaned('a'), orphaned('b')]))).toMatch(/\nFix\n/);
  });

  it('leaves out no blocked target, even if no fold holds it', () => {
    const text = plain(
      reportOf([orphaned('a'), { ...noSlots, cause: undefined } as ReportItem, noSlots], { causes: [] }),
    );
    expect(text).toContain('pvc/a');
    expect(text).toContain('pvc/data-0');
    expect(text).toContain('sched-max-volume-count');
  });

  it('is a line when nothing is stuck', () => {
    expect(plain(reportOf([healthyClaim('a'), healthyClaim('b')]))).toBe(
      'Nothing is stuck in namespace shop: 2 claims checked.\n',
    );
    expect(plain(reportOf([healthyClaim('a'), healthyClaim('b', 'other')]))).toBe(
      'Nothing is stuck: 2 claims checked.\n',
    );
    expect(plain(reportOf([]), 80, { scope: 'namespace shop' })).toBe(
      'Nothing is stuck in namespace shop. There are no claims.\n',
    );
    expect(plain(reportOf([], { summary: { blocked: 0, waiting: 0, healthy: 12, unknown: 0 } }))).toBe(
      'Nothing is stuck: 12 claims checked.\n',
    );
  });

  it('names kinds that would have answered the same question in one line', () => {
    const unread = ['deployments', 'statefulsets'].map((resource) => ({
      resource,
      verb: 'list' as const,
      reason: 'not in the dump' as const,
      needed: 'where the provisioner is deployed',
    }));
    const text = plain(reportOf([{ ...healthyClaim('a'), unread }, healthyClaim('b')]), 120);
    expect(text).toContain(
      'could not read deployments, statefulsets (not in the dump): where the provisioner is deployed',
    );
  });

  it('does not say of a kind that the dump lacks it where it holds a part', () => {
    const unread = {
      resource: 'pods',
      verb: 'list',
      reason: 'not in the dump',
      needed: 'which pods use pvc/a',
    } as const;
    const message = 'only some objects are in the dump';
    const partly = plain(
      reportOf([{ ...healthyClaim('a'), unread: [{ ...unread, message }] }, healthyClaim('b')]),
      120,
    );
    expect(partly).toContain('could not read pods (only some objects are in the dump): which pods use pvc/a');
    expect(partly).not.toContain('not in the dump');
    const absent = { ...unread, message: 'not in the dump' };
    expect(plain(reportOf([{ ...healthyClaim('a'), unread: [absent] }, healthyClaim('b')]), 120)).toContain(
      'could not read pods (not in the dump): which pods use pvc/a',
    );
  });

  it('does not claim health when something could not be read', () => {
    const text = plain(reportOf([{ ...healthyClaim('a'), unread: notReadable.unread }, healthyClaim('b')]), 120);
    expect(text).toContain('could not read csinodes');
    expect(text).toContain(
      'Nothing stuck was found in namespace shop, but not everything could be read: 2 claims checked.',
    );
  });

  it('tells a dump from a cluster', () => {
    expect(
      plain(reportOf([healthyClaim('a'), healthyClaim('b')], { source: { type: 'files', name: 'dump/' } })),
    ).toContain('read from dump/, as of 2026-05-04T03:14:00Z');
  });
});

describe('hostile text', () => {
  const evil = 'a\u001b[2J\u001b]0;owned\u0007b\u202ec\u009b31md\r\nfake line\u2028other';
  const item: ReportItem = {
    ...wrongParameters,
    target: { kind: `Pod${evil}`, namespace: evil, name: evil, uid: evil },
    cause: evil,
    summary: evil,
    stages: [{ stage: 'claim', state: 'blocked', note: evil, since: evil }],
    findings: wrongParameters.findings.map((finding) => ({
      ...finding,
      cause: evil,
      summary: evil,
      evidence: [{ object: { kind: evil, namespace: evil, name: evil }, path: evil, value: evil, at: evil }],
      fix: [{ text: evil, command: `kubectl ${evil}`, risk: 'safe' }],
    })),
    unread: [{ resource: evil, verb: 'get', reason: 'failed', needed: evil, message: evil }],
  };

  it('cannot reach the terminal from any field', () => {
    const source = { type: 'files' as const, name: evil };
    for (const wide of [false, true]) {
      for (const items of [[item], [item, item, healthyClaim('a')]]) {
        const text = plain(reportOf(items, { source, takenAt: evil }), 80, { wide, scope: evil });
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        expect(text).not.toMatch(/^fake line/m);
        expect(text).not.toContain('owned');
      }
    }
  });

  it('cannot add a second line to a command', () => {
    expect(plain(reportOf([item]))).toContain('$ kubectl abcd fake line other\n');
  });
});
