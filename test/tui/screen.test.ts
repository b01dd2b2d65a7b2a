import { beforeAll, describe, expect, it } from 'vitest';
import type { StuckCause } from '../../src/core/report/status.ts';
import type { ClusterFeed, Frame } from '../../src/tui/ports.ts';
import { tabs } from '../../src/tui/state/state.ts';
import { displayWidth } from '../../src/terminal/wrap.ts';
import { frameOf, portsOver, tuiSnapshot } from '../kit/tui-ports.ts';
import { TestScreen } from '../kit/tui-screen.ts';

const snapshot = tuiSnapshot(new Date('2026-05-06T07:08:09Z'));
const { ports, record } = portsOver(snapshot);
let frame: Frame;
let feed: ClusterFeed;

beforeAll(async () => {
  frame = frameOf(snapshot);
  feed = await ports.open({});
});

/** The list with the cursor on the line of a cause. */
function listAt(cause: string, options: ConstructorParameters<typeof TestScreen>[1] = {}): TestScreen {
  const screen = new TestScreen(frame, options);
  for (let line = 1; !screen.cursor.includes(cause) && line < frame.stuck.length; line += 1) screen.press('j');
  expect(screen.cursor).toContain(cause);
  return screen;
}

const settled = (screen: TestScreen): Promise<TestScreen> => screen.settle(feed, ports);

describe('the list of what is stuck', () => {
  it('folds by cause, in the order of the ages it shows, and what only waits last', () => {
    const screen = new TestScreen(frame);
    expect(screen.lines[0]).toMatch(/^kubectl csi {2}demo {2}all namespaces {2}live +✖ \d+ stuck {2}\d+ waiting$/);
    expect(screen.lines[1]).toBe('[1 stuck] 2 claims 3 pods 4 volumes 5 classes 6 drivers 7 attach 8 snap 9 events');
    expect(screen.text).toMatch(/✖ sched-rwop-conflict +13m {2}pod\/runner-1 -n ci\n/);
    const ages = frame.stuck.filter(({ status }) => status === 'blocked').map(({ oldest }) => Date.parse(oldest ?? ''));
    expect(ages).toEqual(ages.toSorted((one, other) => other - one));
    expect(screen.text).toMatch(/▸ ✖ provisioner-not-running +[89]\dm {2}4 claims and 2 pods/);
    expect(screen.press('G').text).toMatch(/Waiting \(expected\)\n.*\n.*wffc-no-consumer/);
    expect(screen.lines).toHaveLength(24);
  });

  it('tells the sentence of what is under the cursor where nothing stands beside', () => {
    expect(listAt('sched-rwop-conflict').text).toContain('pvc/runner-state allows one pod at a time');
  });

  it('shows the journey beside it on a wide screen', () => {
    const screen = listAt('sched-rwop-conflict', { columns: 160, rows: 45 });
    expect(screen.text).toMatch(/│ Cause: sched-rwop-conflict \(certain\)/);
    expect(screen.press('j').text).toMatch(/│ Cause: restore-snapshot-missing \(certain\)/);
  });

  it('unfolds a cause, and goes on to one of its subjects', () => {
    const screen = listAt('provisioner-not-running').press('enter');
    expect(screen.text).toMatch(/▾ ✖ provisioner-not-running.*\n {8}pvc\/test-results -n ci {2}Pending 22m/);
    expect(screen.press('j', 'j', 'enter').lines[1]).toContain('pvc/media -n shop');
    expect(screen.press('esc').cursor).toMatch(/^pvc\/media -n shop/);
    expect(screen.press('k', 'k', 'space').text).not.toContain('pvc/media -n shop');
  });

  it('narrows down while one types, also to single subjects of a cause, and back', () => {
    const screen = new TestScreen(frame).press('/').type('thumb');
    expect(screen.lines.filter((line) => /provisioner-not-running|thumbnails/.test(line))).toHaveLength(2);
    expect(screen.text).not.toContain('sched-rwop-conflict ');
    expect(screen.foot).toBe('/thumb_');
    expect(screen.press('enter').foot).toMatch(/^\/thumb {2}esc clear/);
    expect(screen.press('esc').text).toContain('sched-rwop-conflict');
    expect(screen.press('/').type('no such thing').text).toContain('Nothing stuck matches "no such thing".');
  });

  it('keeps the cursor on what it was on when lines come and go above it', () => {
    const screen = listAt('provision-selector-unsupported');
    const news: StuckCause = {
      status: 'blocked',
      cause: 'sc-missing',
      summary: 'another class is missing',
      targets: [{ kind: 'PersistentVolumeClaim', namespace: 'new', name: 'new' }],
      command: '',
    };
    screen.receive({ ...frame, stuck: [news, ...frame.stuck] });
    expect(screen.cursor).toContain('provision-selector-unsupported');
    expect(screen.text).toContain('pvc/new -n new');
    screen.receive({ ...frame, stuck: frame.stuck.slice(0, 3) });
    expect(screen.cursor).toContain('restore-snapshot-missing');
  });

  it('scrolls ten thousand subjects without drawing more than a screen of them', () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => ({
      kind: 'PersistentVolumeClaim',
      namespace: 'shop',
      name: `claim-${index}`,
    }));
    const screen = new TestScreen({
      ...frame,
      stuck: [{ status: 'blocked', cause: 'sc-missing', summary: 'gone', targets, command: '' }],
    }).press('enter', 'G');
    expect(screen.cursor).toMatch(/^pvc\/claim-9999/);
    expect(screen.foot).toMatch(/10001\/10001$/);
    expect(screen.press('ctrl-u').cursor).toMatch(/^pvc\/claim-999\d|^pvc\/claim-998\d/);
    expect(screen.press('g').cursor).toMatch(/10000 claims/);
  });

  it('says that nothing is stuck only if everything could be looked at', () => {
    const { report } = frame;
    const nothing = {
      ...frame,
      stuck: [],
      report: { ...report, items: [], causes: [], summary: { blocked: 0, waiting: 0, healthy: 3, unknown: 0 } },
    };
    expect(new TestScreen(nothing).text).toContain('Nothing is stuck.');
    const blind = {
      ...nothing,
      report: {
        ...nothing.report,
        unread: [{ resource: 'pods', verb: 'list', reason: 'forbidden', needed: 'which pods wait' }] as const,
      },
    };
    expect(new TestScreen(blind).text).toContain('Nothing stuck was found, but not everything could be read.');
    const some = { ...frame, report: { ...frame.report, unread: blind.report.unread } };
    expect(new TestScreen(some).text).toMatch(
      /\? could not read pods \(forbidden\): which pods wait[\s\S]*sched-rwop-conflict/,
    );
  });
});

describe('an object', () => {
  it('leads from the list to the page of its cause and back', async () => {
    const screen = listAt('restore-snapshot-missing').press('enter');
    await settled(screen);
    expect(screen.lines[1]).toBe('stuck > pvc/metrics-restored -n data  [journey] chain timeline events yaml');
    expect(screen.text).toContain('✖ provision  no volume yet from disk.csi.example.com');
    expect(screen.press('G').text).toContain('$ kubectl -n data get pvc metrics-restored -o yaml >');
    await settled(screen.press('enter'));
    expect(screen.lines[1]).toBe('stuck > pvc/metrics-restored -n data > restore-snapshot-missing');
    expect(screen.text).toContain('The claim is to be restored from a VolumeSnapshot that does not exist.');
    expect(screen.press('esc').lines[1]).toContain('[journey]');
    expect(screen.press('esc').cursor).toContain('restore-snapshot-missing');
  });

  it('goes through its panes', async () => {
    const screen = listAt('restore-snapshot-missing').press('enter');
    await settled(screen.press('tab'));
    expect(screen.text).toMatch(/✖ volume +none yet/);
    await settled(screen.press('tab'));
    expect(screen.text).toContain('timeline  from');
    await settled(screen.press('e'));
    expect(screen.text).toMatch(/Warning {2}ProvisioningFailed {2}pvc\/metrics-restored/);
    const yaml = screen.press('v');
    expect(yaml.text).toContain('Reading');
    await settled(yaml);
    expect(screen.text).toContain('  kind: PersistentVolumeClaim');
    expect(screen.press('shift-tab').lines[1]).toContain('[events]');
  });

  it('jumps along the chain', async () => {
    const screen = listAt('restore-snapshot-missing').press('r');
    await settled(screen);
    expect(screen.cursor).toMatch(/claim +metrics-restored/);
    await settled(screen.press('j', 'j', 'enter'));
    expect(screen.lines[1]).toContain('csidriver/disk.csi.example.com');
    expect(screen.press('esc').lines[1]).toContain('[chain]');
  });

  it('finds a word in a text, and the next one', async () => {
    const screen = listAt('restore-snapshot-missing').press('enter', 'enter');
    await settled(screen);
    screen.press('/').type('snapshot').press('enter');
    const first = screen.foot;
    expect(first).toContain('/snapshot  n next  N previous');
    screen.press('n', 'n', 'n', 'n', 'n', 'n', 'n', 'n');
    expect(screen.foot).not.toBe(first);
    expect(screen.press('/', 'ctrl-u').type('zebra').press('enter').foot).toContain(
      '"zebra" was not found in this text.',
    );
  });

  it('of a driver has its nodes, classes and claims to go to', async () => {
    const screen = await settled(new TestScreen(frame).press('6'));
    screen.press('j', 'j', 'j', 'r');
    await settled(screen);
    expect(screen.lines[1]).toContain('csidriver/disk.csi.example.com');
    expect(screen.text).toMatch(/nodes \(3\)\n> +node\/worker-1 {2}Ready/);
    expect(screen.text).toContain('pvc/runner-state -n ci  Bound  pod/runner-0  pod/runner-1');
    await settled(screen.press('enter', 'r'));
    expect(screen.text).toMatch(/drivers \(2\)\n> +csidriver\/disk.csi.example.com {2}registered, 3 of 25 volumes/);
  });

  it('shows long commands whole', () => {
    const screen = listAt('provisioner-not-running', { columns: 60, rows: 40 }).press('d');
    expect(screen.text).toMatch(/\$ kubectl -n storage-system scale deployment[\s]+files-controller --replicas=1/);
  });

  it('shows what it cannot be sure of as such', () => {
    const screen = listAt('restore-snapshot-missing').press('e');
    screen.do({
      type: 'answered',
      answered: {
        want: {
          type: 'events',
          target: { kind: 'PersistentVolumeClaim', namespace: 'data', name: 'metrics-restored' },
        },
        answer: { trouble: 'events is forbidden', frames: 1 },
      },
    });
    expect(screen.text).toContain('Could not be read: events is forbidden');
  });
});

describe('the tabs', () => {
  it.each([
    ['claims', /metrics-restored +Pending +restore-snapshot-missing/],
    ['pods', /runner-1 +Pending +sched-rwop-conflict/],
    ['classes', /old-nfs +nfs\.csi\.example\.com +<not-installed>/],
    ['volumes', /legacy-disk +Released +data\/legacy/],
    ['drivers', /worker-3 +✔ ready, 3\/3 volumes full/],
    ['attachments', /billing\/data-orders-0 +worker-1 +true/],
    ['snapshots', /metrics-nightly +true +pvc\/metrics/],
    ['events', /✖ ProvisioningFailed +pvc\/cart -n shop/],
  ] as const)('show the %s', async (tab, expected) => {
    const screen = await settled(new TestScreen(frame).press(String(tabs.indexOf(tab) + 1)));
    expect(screen.lines[1]).toMatch(new RegExp(`\\[${tabs.indexOf(tab) + 1} ${tab.slice(0, 4)}`));
    expect(screen.text).toMatch(expected);
  });

  it('are filtered, and lead to the object', async () => {
    const screen = await settled(new TestScreen(frame).type(':pvc').press('enter'));
    expect(screen.press('/').type('ledger').press('enter').cursor).toMatch(/^data +ledger +Lost/);
    await settled(screen.press('enter'));
    expect(screen.text).toContain('pvc-lost-pv-deleted');
  });

  it('show all columns when asked, and go left and right in them', async () => {
    const screen = await settled(new TestScreen(frame).press('2'));
    expect(screen.text).not.toContain('HANDLE');
    expect(screen.press('w', ...Array.from({ length: 16 }, () => 'l')).text).toContain('HANDLE');
    expect(screen.press('w', ...Array.from({ length: 16 }, () => 'h')).text).toContain('NAMESPACE');
  });
});

describe('the order of a table', () => {
  const names = (screen: TestScreen): string[] =>
    screen.lines.slice(3, -1).flatMap((line) => /^[> ] +\S+ +(\S+)/.exec(line)?.[1] ?? []);

  it('follows the sort keys, again in reverse, and the header shows it', async () => {
    const screen = await settled(new TestScreen(frame, { columns: 120, rows: 40 }).press('2'));
    const byName = names(screen);
    expect(screen.lines[2]).toMatch(/NAME↑ +STATUS +CAUSE +/);
    expect(screen.press('N').lines[2]).toMatch(/NAME↓/);
    expect(names(screen)).toEqual(byName.toReversed());
    expect(screen.press('S').lines[2]).toMatch(/NAME +STATUS +CAUSE↑/);
    expect(screen.cursor).toMatch(/Pending +\S+/);
    expect(names(screen)).not.toEqual(byName);
    expect(screen.press('S').lines[2]).toContain('CAUSE↓');
    expect(screen.cursor).toContain('Bound');
    expect(screen.press('A').lines[2]).toContain('AGE↑');
    const ages = screen.lines.slice(3, -1).flatMap((line) => / (\d+[smhd])\S* /.exec(line)?.[1] ?? []);
    const unitOrder = ages.map((age) => 'smhd'.indexOf(age.at(-1) ?? ''));
    expect(unitOrder).toEqual(unitOrder.toSorted());
  });

  it('puts what is stuck before what waits by design, which differs in its word', async () => {
    const screen = await settled(new TestScreen(frame, { columns: 120, rows: 40 }).press('2'));
    screen.press('S');
    const causes = screen.lines
      .slice(3, -1)
      .flatMap((line) => /(?:Pending|Bound|Lost|Terminating)\S* +([a-z]+[-:][a-z-]+) {3}/.exec(line)?.[1] ?? []);
    const firstWait = causes.findIndex((cause) => cause.startsWith('waiting:'));
    expect(firstWait).toBeGreaterThan(0);
    expect(causes.slice(firstWait).filter((cause) => !cause.startsWith('waiting:'))).toEqual([]);
  });

  it('is not changed where the list has one of its own', () => {
    expect(new TestScreen(frame).press('S').foot).toBe('The tab "stuck" has an order of its own.');
  });

  it('is marked in ASCII too', async () => {
    const screen = await settled(new TestScreen(frame, { ascii: true }).press('2'));
    screen.press('S', 'S');
    expect(screen.lines[2]).toContain('CAUSEv');
  });
});

describe('the log', () => {
  it('is that of the component that has to act next, asked for only by its key', async () => {
    const asked = record.logged.length;
    const screen = await settled(listAt('restore-snapshot-missing', { columns: 120, rows: 40 }).press('enter'));
    expect(record.logged).toHaveLength(asked);
    await settled(screen.press('L'));
    expect(record.logged).toHaveLength(asked + 1);
    expect(screen.lines[1]).toContain('log for pvc/metrics-restored -n data');
    expect(screen.text).toContain('The next step is up to the provisioner of disk.csi.example.com.');
    expect(screen.text).toMatch(/The provisioner, leader: container \S+ of pod\/\S+ -n storage-system/);
    expect(screen.text).toMatch(/ {2}I0506 first line\n +second line/);
    expect(screen.text).toContain('This user may not read it (get pods/log)');
    screen.receive({ ...frame });
    await settled(screen);
    expect(record.logged).toHaveLength(asked + 1);
    await settled(screen.press('L'));
    expect(record.logged).toHaveLength(asked + 2);
    expect(screen.press('esc').lines[1]).toContain('[journey]');
  });

  it('says where no pod of the component runs', async () => {
    const screen = await settled(listAt('provisioner-not-running').press('L'));
    expect(screen.text.replace(/\s+/g, ' ')).toContain('No pod of the provisioner of files.csi.example.com was found.');
  });

  it('of something healthy does not exist', async () => {
    const screen = await settled(new TestScreen(frame).press('2', '/').type('blog').press('enter'));
    await settled(screen.press('L'));
    expect(screen.text.replace(/\s+/g, ' ')).toContain('pvc/blog is not stuck');
  });
});

describe('what is done to the world', () => {
  it('opens another namespace', async () => {
    const screen = new TestScreen(frame).press('n');
    await settled(screen);
    expect(screen.lines[1]).toBe('Choose a namespace');
    screen.press('/').type('sho').press('enter', 'enter');
    expect(screen.effects).toEqual([{ type: 'openPlace', place: { namespace: 'shop' } }]);
    expect(screen.text).toContain('Reading');
    expect(screen.press('0').effects.at(-1)).toEqual({ type: 'openPlace', place: { namespace: undefined } });
    expect(screen.type(':ns web').press('enter').effects.at(-1)).toEqual({
      type: 'openPlace',
      place: { namespace: 'web' },
    });
    expect(screen.type(':ctx prod').press('enter').effects.at(-1)).toEqual({
      type: 'openPlace',
      place: { context: 'prod' },
    });
  });

  it('says how to go to a namespace that may not be listed', () => {
    const screen = new TestScreen(frame, { columns: 100 }).press('n').do({
      type: 'answered',
      answered: { want: { type: 'namespaces' }, answer: { trouble: 'namespaces is forbidden', frames: 1 } },
    });
    expect(screen.text).toContain('Namespaces could not be read (namespaces is forbidden). Enter :ns NAME instead.');
    expect(screen.press('esc').type(':ns shop').press('enter').effects).toEqual([
      { type: 'openPlace', place: { namespace: 'shop' } },
    ]);
  });

  it('copies the one command of a fix, and of several the one that is chosen', () => {
    const single = new TestScreen(frame).press('/').type('provisioner-not-running').press('enter', 'y');
    expect(single.effects).toEqual([
      { type: 'copy', text: 'kubectl -n storage-system scale deployment files-controller --replicas=1' },
    ]);
    const screen = listAt('sched-rwop-conflict').press('y', 'j', 'enter');
    expect(screen.effects).toEqual([{ type: 'copy', text: 'kubectl -n ci delete pod runner-0' }]);
    screen.press('j', 'y', 'j', 'enter');
    expect(screen.effects.at(-1)).toEqual({ type: 'copy', text: 'kubectl -n data delete pvc metrics-restored' });
    expect(screen.foot).toContain('Copied (if the terminal allows it): kubectl -n data delete pvc metrics-restored');
  });

  it('executes nothing on the cluster before someone said so', async () => {
    const screen = listAt('restore-snapshot-missing').press('enter');
    await settled(screen);
    const asked = record.probed.length;
    expect(screen.press('p').foot).toBe(
      'Probe disk.csi.example.com?  y health check  e run a command in its pods  n no',
    );
    for (const key of ['enter', 'n', 'esc', 'space'])
      expect((await settled(screen.press('p', key))).foot).not.toContain('Probe disk');
    expect(record.probed).toHaveLength(asked);
    await settled(screen.press('p', 'y'));
    expect(record.probed.at(-1)).toMatchObject({ driver: 'disk.csi.example.com', exec: false });
    await settled(screen.press('p', 'e'));
    expect(record.probed.at(-1)).toMatchObject({ exec: true });
  });

  it('saves a capture under the name that was typed', () => {
    const screen = new TestScreen(frame).press('s').type('/tmp/it is.gz').press('enter');
    expect(screen.effects).toEqual([{ type: 'capture', path: '/tmp/it is.gz' }]);
    expect(screen.do({ type: 'remark', remark: { text: 'Saved to /tmp/it is.gz', isTrouble: false } }).foot).toBe(
      'Saved to /tmp/it is.gz',
    );
  });

  it('quits by q, :q and Ctrl-C, and by nothing that is typed into a line', () => {
    expect(new TestScreen(frame).press('q').effects).toEqual([{ type: 'quit', how: 'quit' }]);
    expect(new TestScreen(frame).type(':q').press('enter').effects).toEqual([{ type: 'quit', how: 'quit' }]);
    expect(new TestScreen(frame).press('/', 'q').effects).toEqual([]);
    expect(new TestScreen(frame).press('/', 'ctrl-c').effects).toEqual([{ type: 'quit', how: 'interrupted' }]);
    expect(new TestScreen(frame).press('?', 'q').effects).toEqual([]);
  });

  it('says which commands there are when one is unknown', () => {
    expect(new TestScreen(frame).type(':foo').press('enter').foot).toMatch(
      /^✖ Unknown command :foo\. Commands: :ns, :ctx, :q, :stuck/,
    );
  });
});

describe('ages', () => {
  const minute = 60_000;

  it('go on while the screen is live, although nothing changes', async () => {
    const screen = listAt('sched-rwop-conflict');
    expect(screen.cursor).toMatch(/sched-rwop-conflict +13m/);
    expect(screen.wait(2 * minute).cursor).toMatch(/sched-rwop-conflict +15m/);
    expect(screen.press('d').text).toContain('pod/runner-1  namespace ci  Pending 15m');
    expect((await settled(screen.press('2'))).text).toMatch(/metrics-restored +Pending .* 21m/);
    expect((await settled(screen.press('9'))).text).toMatch(/2m\d*s? +ExternalProvisioning/);
  });

  it('begin again at the time of a new frame', () => {
    const screen = listAt('sched-rwop-conflict')
      .wait(2 * minute)
      .receive(frame);
    expect(screen.cursor).toMatch(/sched-rwop-conflict +13m/);
  });

  it.each(['stale', 'dump', 'connecting'] as const)('stand still while the screen is %s', (state) => {
    const screen = listAt('sched-rwop-conflict').receive({
      ...frame,
      freshness: { state, since: frame.report.takenAt },
    });
    expect(screen.wait(2 * minute).cursor).toMatch(/sched-rwop-conflict +13m/);
  });
});

describe('old data', () => {
  it('is called stale in a line of its own until it is fresh again', () => {
    const screen = new TestScreen({
      ...frame,
      freshness: { state: 'stale', since: '2026-05-06T07:08:00Z', reason: 'connection refused' },
    });
    expect(screen.lines[0]).toContain('STALE');
    expect(screen.lines[1]).toBe(' STALE since 2026-05-06T07:08:00Z: connection refused');
    expect(screen.lines).toHaveLength(24);
    expect(screen.receive(frame).text).not.toContain('STALE');
  });

  it('is never waited for in silence: why nothing can be read is said', () => {
    const screen = new TestScreen(undefined);
    expect(screen.text).toContain('Reading');
    expect(screen.do({ type: 'failed', trouble: 'the cluster cannot be reached' }).text).toContain(
      'the cluster cannot be reached',
    );
  });

  it('of a dump has its date', () => {
    expect(
      new TestScreen({ ...frame, freshness: { state: 'dump', since: '2026-05-06T07:08:09.123Z' } }).lines[0],
    ).toContain('dump as of 2026-05-06T07:08:09Z');
  });
});

describe('any terminal', () => {
  const walk = [
    'j',
    'enter',
    'tab',
    'tab',
    'enter',
    'esc',
    'esc',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '3',
    'S',
    'L',
    'esc',
    '?',
    'esc',
    '1',
    'n',
    'esc',
    '/',
    'w',
    'enter',
  ];

  it.each([
    [80, 24],
    [120, 40],
    [50, 12],
    [200, 60],
    [40, 8],
  ])('of %i × %i is filled, and nothing hangs over', async (columns, rows) => {
    const screen = new TestScreen(frame, { columns, rows, colour: true });
    for (const key of walk) {
      await settled(screen.press(key));
      expect(screen.painted, key).toHaveLength(rows);
      for (const line of screen.lines) expect(displayWidth(line), `${key}: ${line}`).toBeLessThanOrEqual(columns);
    }
  });

  it('has room for long sentences only where they belong', () => {
    const long = 'a word '.repeat(200);
    const summary = {
      ...frame.stuck[0]!,
      summary: long,
      targets: [{ kind: 'Pod', namespace: 'ci', name: 'runner-1' }],
    };
    const items = frame.report.items.map((item) => ({ ...item, summary: long }));
    const screen = new TestScreen({ ...frame, stuck: [summary], report: { ...frame.report, items } }).press(':');
    expect(screen.lines.filter((line) => /^ {2}(?:a|word) /.test(line))).toHaveLength(3);
    expect(screen.foot).toBe(':_');
    const failed = new TestScreen(undefined, { rows: 8 }).do({ type: 'failed', trouble: long }).press(':');
    expect(failed.lines).toHaveLength(8);
    expect(failed.foot).toBe(':_');
  });

  it('that is very low shows a line of the list rather than what could not be read', () => {
    const unread = ['pods', 'nodes'].map(
      (resource) => ({ resource, verb: 'list', reason: 'forbidden', needed: '' }) as const,
    );
    const screen = new TestScreen({ ...frame, report: { ...frame.report, unread } }, { rows: 6 }).press('j');
    expect(screen.cursor).toContain('sched-rwop-conflict');
    expect(screen.foot).toMatch(/2\/21$/);
  });

  it('without colour and without Unicode says the same in ASCII', async () => {
    const screen = new TestScreen(frame, { ascii: true });
    for (const key of walk) {
      await settled(screen.press(key));
      // What a person named is shown as it is; the demo's names are ASCII.
      expect(screen.painted.join('\n'), key).toMatch(/^[\x20-\x7e\n]*$/);
    }
  });

  it('gets no colour where none is wanted, and only of the sixteen where it is', () => {
    expect(new TestScreen(frame).painted.join('')).not.toContain('\u001b');
    const codes =
      new TestScreen(frame, { colour: true, columns: 160 }).painted.join('').match(/\u001b\[[\d;]*m/g) ?? [];
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !/^\u001b\[(0|1|2|7|22|27|31|32|35|39)m$/.test(code))).toEqual([]);
  });

  it('is not obeyed by what comes from a cluster', async () => {
    const evil = 'bad\u001b[2J\u009b31m\u202e\nname';
    const entry: StuckCause = {
      status: 'blocked',
      cause: evil,
      summary: evil,
      targets: [{ kind: 'PersistentVolumeClaim', namespace: evil, name: evil }],
      command: '',
    };
    const screen = new TestScreen({
      ...frame,
      context: evil,
      namespace: evil,
      stuck: [entry],
      freshness: { state: 'stale', since: evil, reason: evil },
    });
    expect(screen.painted.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect((await settled(screen.press('enter'))).painted.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
