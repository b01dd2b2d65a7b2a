import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TuiPorts } from '../../src/tui/ports.ts';
import { runTui } from '../../src/tui/root.ts';
import { FakeKeyboard, FakeTerminal } from '../kit/fake-terminal.ts';
import { frameOf, portsOver, tuiSnapshot } from '../kit/tui-ports.ts';
import type { PortsRecord } from '../kit/tui-ports.ts';

const snapshot = tuiSnapshot(new Date('2026-05-06T07:08:09Z'));
/** What a shell expects. */
const asFound = { isAlternate: false, hasCursor: true };

/** Only a screen that never comes ends it: no test depends on how fast the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 240_000, interval: 10 });

interface Running {
  readonly terminal: FakeTerminal;
  readonly keyboard: FakeKeyboard;
  readonly record: PortsRecord;
  readonly ended: Promise<'quit' | 'interrupted'>;
  readonly sees: (text: string | RegExp) => Promise<void>;
}

function start(
  options: {
    readonly columns?: number;
    readonly rows?: number;
    readonly cursor?: { readonly row: number; readonly column: number };
    readonly colour?: boolean;
    readonly ascii?: boolean;
    readonly signal?: AbortSignal;
    readonly ports?: (own: TuiPorts) => TuiPorts;
  } = {},
): Running {
  const terminal = new FakeTerminal(options.columns, options.rows, options.cursor);
  const keyboard = new FakeKeyboard();
  const { ports, record } = portsOver(snapshot);
  const ended = runTui({
    ports: options.ports?.(ports) ?? ports,
    place: {},
    look: { colour: options.colour ?? false, ascii: options.ascii ?? false },
    stdin: keyboard.stdin,
    stdout: terminal.stdout,
    ...(options.signal && { signal: options.signal }),
  });
  // A test that fails early must not leave it running.
  onTestFinished(async () => {
    keyboard.type('\u0003');
    await ended.catch(() => undefined);
  });
  const sees = (text: string | RegExp): Promise<void> => until(() => expect(terminal.text).toMatch(text));
  return { terminal, keyboard, record, ended, sees };
}

describe('the screen on a terminal', () => {
  it.each([
    ['80 × 24', {}, '80x24'],
    ['120 × 40', { columns: 120, rows: 40 }, '120x40'],
    ['80 × 24 in ASCII', { ascii: true }, '80x24-ascii'],
  ] as const)('of %s looks like this', async (_size, options, name) => {
    const { terminal, keyboard, sees } = start(options);
    await sees('sched-rwop-conflict');
    await expect(`${terminal.text}\n`).toMatchFileSnapshot(`screens/list-${name}.txt`);
    keyboard.type('j');
    keyboard.type('j\r');
    await sees(/metrics-restored.*\[journey\]/);
    await sees(/provisioner|metrics-restored {2}namespace data/);
    keyboard.type('\t');
    await sees(/\[chain\][\s\S]*broken here/);
    await expect(`${terminal.text}\n`).toMatchFileSnapshot(`screens/chain-${name}.txt`);
  });

  it('walks from the list to a page and back, and quits', async () => {
    const { keyboard, sees, ended, terminal, record } = start();
    await sees('sched-rwop-conflict');
    expect(terminal).toMatchObject({ isAlternate: true, hasCursor: false });
    keyboard.type('j');
    keyboard.type('j');
    keyboard.type('\r');
    await sees('Cause: restore-snapshot-missing');
    keyboard.type('\r');
    await sees('The claim is to be restored from a VolumeSnapshot');
    keyboard.type('\u001b');
    await sees('[journey]');
    keyboard.type('\u001b');
    await sees(/> .*restore-snapshot-missing/);
    keyboard.type('q');
    await expect(ended).resolves.toBe('quit');
    expect(terminal).toMatchObject(asFound);
    expect({ isRaw: keyboard.isRaw, closed: record.closed }).toEqual({ isRaw: false, closed: 1 });
  });

  it('begins in the corner, wherever the cursor of the shell was', async () => {
    const { terminal, sees } = start({ cursor: { row: 20, column: 7 } });
    await sees('sched-rwop-conflict');
    expect(terminal.lines[0]).toMatch(/^kubectl csi {2}demo .* 3 waiting$/);
    expect(terminal.lines[1]).toMatch(/^\[1 stuck\] 2 claims/);
    expect(terminal.lines.at(-1)).toMatch(/ q quit +1\/21$/);
  });

  it('writes only the lines that change', async () => {
    const { terminal, keyboard, sees } = start();
    await sees('sched-rwop-conflict');
    const before = terminal.writes.length;
    keyboard.type('j');
    keyboard.type('j');
    await sees(/> .*restore-snapshot-missing/);
    const written = terminal.writes.slice(before).join('');
    // Two lines of the list, the sentence below it and the foot.
    expect(written).toContain('metrics-restored');
    expect(written).not.toContain('provisioner-not-running');
    expect(written).not.toContain('kubectl csi');
  });

  it('writes nothing for a frame that changes nothing', async () => {
    const { terminal, record, sees } = start();
    await sees('sched-rwop-conflict');
    await setTimeout(50);
    const before = terminal.writes.length;
    record.push(frameOf(snapshot));
    await setTimeout(50);
    expect(terminal.writes).toHaveLength(before);
  });

  it('shows new data when it comes, and that it is stale when it does not', async () => {
    const { record, sees } = start();
    await sees('live');
    record.push(
      frameOf(snapshot, {}, { state: 'stale', since: '2026-05-06T07:09:00Z', reason: 'the server does not answer' }),
    );
    await sees('STALE since 2026-05-06T07:09:00Z: the server does not answer');
    record.push(frameOf(snapshot));
    await sees('all namespaces  live');
  });

  it('follows the size of the window', async () => {
    const { terminal, sees } = start();
    await sees('sched-rwop-conflict');
    terminal.resize(130, 30);
    await sees('│ Cause: pvc-create-denied-quota');
    terminal.resize(60, 15);
    await sees(/^\[1 stuck\] 2 claims .*…$/m);
    expect(terminal.lines).toHaveLength(15);
  });

  it('looks after any change of size as if it had always had that size', async () => {
    const { terminal, record, sees } = start();
    await sees('sched-rwop-conflict');
    const frame = frameOf(snapshot);
    for (const [columns, rows] of [
      [130, 24],
      [80, 24],
      [80, 50],
      [60, 15],
      [60, 24],
      [140, 12],
    ] as const) {
      const fresh = start({ columns, rows });
      await fresh.sees('sched-rwop-conflict');
      terminal.resize(columns, rows);
      // Ages count from when the last frame came: both screens have to get it at the same moment.
      for (const shown of [record, fresh.record]) shown.push(frame);
      await until(() => expect(terminal.lines).toEqual(fresh.terminal.lines));
    }
  });

  it('copies by OSC 52', async () => {
    const { terminal, keyboard, sees } = start();
    await sees('sched-rwop-conflict');
    keyboard.type('j');
    keyboard.type('jy');
    await sees('Choose the command to copy');
    keyboard.type('j\r');
    await sees('Copied (if the terminal allows it)');
    const text = Buffer.from('kubectl -n data delete pvc metrics-restored').toString('base64');
    expect(terminal.commands).toEqual([`52;c;${text}`]);
  });

  it('opens what was chosen and closes what was open', async () => {
    const { keyboard, record, sees } = start();
    await sees('sched-rwop-conflict');
    keyboard.type(':ns shop\r');
    await sees('namespace shop');
    expect(record.opened).toEqual([{}, { namespace: 'shop' }]);
    expect(record.closed).toBe(1);
  });
});

describe('the terminal is left as it was found', () => {
  it('after Ctrl-C', async () => {
    const { terminal, keyboard, ended, sees } = start();
    await sees('sched-rwop-conflict');
    keyboard.type('\u0003');
    await expect(ended).resolves.toBe('interrupted');
    expect(terminal).toMatchObject(asFound);
    expect(keyboard.isRaw).toBe(false);
  });

  it('after a signal', async () => {
    const controller = new AbortController();
    const { terminal, ended, sees } = start({ signal: controller.signal });
    await sees('sched-rwop-conflict');
    controller.abort();
    await expect(ended).resolves.toBe('interrupted');
    expect(terminal).toMatchObject(asFound);
  });

  it('after a crash, whose reason is not lost', async () => {
    const { terminal, keyboard, ended, sees } = start({
      ports: (own) => ({
        ...own,
        open: async (place) => ({
          ...(await own.open(place)),
          subscribe: (listener) => (
            listener(frameOf(snapshot)),
            void setTimeout(20).then(() => listener({} as never)),
            () => undefined
          ),
        }),
      }),
    });
    await expect(ended).rejects.toThrow(TypeError);
    expect(terminal).toMatchObject(asFound);
    expect(keyboard.isRaw).toBe(false);
    expect(sees).toBeDefined();
  });

  it('says why a cluster cannot be opened, and lets one go elsewhere', async () => {
    let tries = 0;
    const { keyboard, sees } = start({
      ports: (own) => ({
        ...own,
        open: (place) =>
          (tries += 1) === 1 ? Promise.reject(new Error('the cluster cannot be reached')) : own.open(place),
      }),
    });
    await sees('the cluster cannot be reached');
    keyboard.type(':ctx staging\r');
    await sees('kubectl csi  staging');
  });
});
