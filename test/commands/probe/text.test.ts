import { describe, expect, it } from 'vitest';
import { probeReportOf } from '../../../src/core/report/probe-report.ts';
import type { ProbeItem } from '../../../src/core/report/probe-report.ts';
import { renderProbeJunit } from '../../../src/commands/probe/junit.ts';
import { renderProbeText } from '../../../src/commands/probe/text.ts';

const base = { via: 'socket', protocol: 'csi', notes: [], calls: [], drift: [], fix: [] } as const;
const ready: ProbeItem = {
  ...base,
  endpoint: 'unix:///csi/csi.sock',
  driver: 'disk.example.com',
  version: 'v1.2.3',
  status: 'ready',
  summary: 'the driver is ready and answers in 3 ms',
  latencyMs: 3.1,
};
const stale: ProbeItem = {
  ...base,
  endpoint: 'unix:///var/lib/kubelet/plugins/nas.example.com/csi.sock',
  status: 'unreachable',
  failure: 'socket-stale',
  stage: 'connect',
  summary: 'the socket is stale: the file exists, but no process listens on it, so the driver has ended or crashed',
  fix: [
    { text: 'see whether the container of the driver runs', command: 'crictl ps -a', risk: 'safe' },
    { text: 'delete the pod of the driver', risk: 'disruptive' },
  ],
};
const hostile: ProbeItem = {
  ...base,
  endpoint: 'unix:///x.sock',
  driver: 'evil\u001B[2J\u202Ename',
  status: 'unhealthy',
  failure: 'driver-error',
  stage: 'rpc',
  code: 'INTERNAL',
  summary: 'the driver answers Probe with INTERNAL: <b>\u001B]0;title\u0007&\u0000',
};
const text = (items: readonly ProbeItem[], options: object = {}): string =>
  renderProbeText(probeReportOf(items, '2026-05-04T03:14:00Z'), { width: 80, colour: false, ...options });

describe('the text of a probe', () => {
  it('shows what works in a line and what does not in full', () => {
    expect(text([ready, stale])).toBe(`✔ ready        unix:///csi/csi.sock  disk.example.com v1.2.3  3.1 ms

✖ unreachable  unix:///var/lib/kubelet/plugins/nas.example.com/csi.sock
    the socket is stale: the file exists, but no process listens on it, so the
    driver has ended or crashed
    socket-stale, stage connect
    fix
      1. see whether the container of the driver runs  $ crictl ps -a
      2. [disruptive] delete the pod of the driver

1 ready, 1 unreachable
`);
  });
  it('keeps an endpoint in one piece on a narrow screen', () => {
    expect(text([{ ...ready, endpoint: stale.endpoint }], { width: 40 })).toBe(
      '✔ ready  unix:///var/lib/kubelet/plugins/nas.example.com/csi.sock\n    disk.example.com v1.2.3  3.1 ms\n',
    );
  });
  it('lets no driver draw on the terminal', () => {
    expect(text([hostile])).not.toMatch(/[\u0000\u001B\u202E\u0007]/);
  });
  it('shows notes of a driver that is ready', () => {
    expect(text([{ ...ready, notes: ['it answers in 1.4 s'] }])).toContain('\n    note: it answers in 1.4 s\n');
  });
});

describe('drift', () => {
  it('is shown of a driver that is ready, and cannot draw on the terminal', () => {
    const shown = text([
      {
        ...ready,
        drift: [
          'the cluster assumes that volumes can grow (allowVolumeExpansion in class fast), and the driver cannot \u001B[2J',
        ],
      },
    ]);
    expect(shown).toBe(
      '✔ ready  unix:///csi/csi.sock  disk.example.com v1.2.3  3.1 ms\n    drift: the cluster assumes that volumes can grow (allowVolumeExpansion in\n           class fast), and the driver cannot\n',
    );
  });
});

describe('the matrix of capabilities', () => {
  const offering = (driver: string, controller: readonly string[]): ProbeItem => ({
    ...ready,
    endpoint: `unix:///${driver}`,
    driver,
    capabilities: { plugin: ['CONTROLLER_SERVICE'], controller },
  });
  it('has a column for each driver, and ? for what was not asked', () => {
    const shown = text([offering('a.example', ['EXPAND_VOLUME']), offering('b.example', ['77'])], {
      wide: true,
      width: 100,
    });
    expect(shown).toMatch(/^CAPABILITY +a\.example +b\.example$/m);
    expect(shown).toMatch(/^controller +EXPAND_VOLUME +yes +-$/m);
    expect(shown).toMatch(/^controller +77 +- +yes$/m);
    expect(shown).toMatch(/^node +not served or not asked +\? +\?$/m);
  });
  it('goes on below where the columns do not fit', () => {
    const shown = text([offering('first-driver.example.com', []), offering('second-driver.example.com', [])], {
      wide: true,
    });
    expect(shown.match(/^CAPABILITY/gm)).toHaveLength(2);
  });
  it('folds nodes that say the same into one column, and names the odd one out', () => {
    const onNode = (node: string, names: readonly string[]): ProbeItem => ({
      ...ready,
      endpoint: `unix:///${node}`,
      node,
      roles: ['node'],
      capabilities: { node: names },
    });
    const controller: ProbeItem = { ...offering('disk.example.com', ['EXPAND_VOLUME']), roles: ['controller'] };
    const shown = text(
      [
        controller,
        onNode('worker-1', ['EXPAND_VOLUME']),
        onNode('worker-2', ['EXPAND_VOLUME']),
        onNode('worker-3', []),
      ],
      { wide: true, width: 120 },
    );
    expect(shown).toMatch(
      /^CAPABILITY +disk\.example\.com +disk\.example\.com +disk\.example\.com\n +controller +2 nodes +worker-3$/m,
    );
    expect(shown).toMatch(/^node +EXPAND_VOLUME +\? +yes +-$/m);
  });
  it('tells local sockets of one driver apart by their names, where they differ', () => {
    const shown = text(
      [offering('a.example', ['GET_CAPACITY']), { ...offering('a.example', []), endpoint: 'unix:///run/old.sock' }],
      { wide: true, width: 100 },
    );
    expect(shown).toMatch(/^ +a\.example +old\.sock$/m);
  });
});

describe('JUnit', () => {
  it('counts failures and errors apart, and is well-formed whatever a driver says', () => {
    const xml = renderProbeJunit(
      probeReportOf(
        [ready, stale, hostile, { ...ready, status: 'unknown', failure: 'permission-denied', stage: 'stat' }],
        '2026-05-04T03:14:00Z',
      ),
    );
    expect(xml).toContain('tests="4" failures="2" errors="1" skipped="0"');
    expect(xml).toContain('<error type="permission-denied"');
    expect(xml).toContain('message="the driver answers Probe with INTERNAL: &lt;b&gt;&amp;"');
    expect(xml).not.toMatch(/[\u0000-\u0009\u000b-\u001F]/);
  });
});
