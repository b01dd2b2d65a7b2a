import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { askStatus } from '../../../src/core/survey/status/ask-status.ts';
import { readFiles } from '../../../src/io/files/read-files.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Status } from '../../../src/core/report/status.ts';
import { renderStatusText } from '../../../src/commands/status/text.ts';
import { displayWidth } from '../../../src/terminal/wrap.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { largeCluster } from '../../kit/large-cluster.ts';

const truth = (name: string) => (): Promise<Snapshot> =>
  readFiles([join(import.meta.dirname, '../../truth', name, 'cluster.yaml')], { complete: false });

const clusters: Readonly<Record<string, () => Promise<Snapshot> | Snapshot>> = {
  demo: () => demoSnapshot(new Date('2026-05-06T07:08:09.123Z')),
  large: () => largeCluster(),
  healthy: truth('healthy'),
  'mixed-tainted': truth('mixed-tainted'),
};

const schema = JSON.parse(readFileSync(new URL('../../../docs/status.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false, strictTypes: false }).compile(schema);

const known = new Map<string, Status>();

async function statusOf(name: string): Promise<Status> {
  const status =
    known.get(name) ?? askStatus(await (clusters[name] as () => Snapshot)(), { breadth: 'everything' }).status;
  known.set(name, status);
  return status;
}

const draw = (
  status: Status,
  width: number,
  more: { readonly wide?: boolean; readonly ascii?: boolean } = {},
): string => renderStatusText(status, { width, colour: false, ...more });

describe.each(Object.keys(clusters))('the status of %s', (name) => {
  it('looks as it did', async () => {
    const status = await statusOf(name);
    for (const width of [80, 160])
      await expect(draw(status, width)).toMatchFileSnapshot(`../../screens/status-${name}.${width}.txt`);
  });

  it('stays within the screen, but for names and commands that are never broken', async () => {
    const status = await statusOf(name);
    for (const width of [80, 160]) {
      const long = draw(status, width)
        .split('\n')
        .filter((line) => displayWidth(line) > width && !/^ +\$ |^ +[✖✔?] \S+( \S+){0,3} {2}|^ {2}✖ /.test(line));
      expect(long).toEqual([]);
    }
  });

  it('is drawn with ASCII alone where the terminal has nothing else', async () => {
    expect(draw(await statusOf(name), 80, { ascii: true })).toMatch(/^[\n -~]+$/);
  });

  it('keeps the schema', async () => {
    validate(await statusOf(name));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('is the same in whatever order things were listed', async () => {
    const snapshot = await (clusters[name] as () => Snapshot)();
    const turned = { ...snapshot, objects: [...snapshot.objects].reverse() };
    expect(draw(askStatus(turned, { breadth: 'everything' }).status, 160, { wide: true })).toBe(
      draw(await statusOf(name), 160, { wide: true }),
    );
  });
});

describe('the screen of a status', () => {
  it('names every odd node and every cause when it is wide', async () => {
    const status = await statusOf('demo');
    const wide = draw(status, 80, { wide: true });
    for (const { cause = '' } of status.stuck) expect(wide).toContain(cause);
    expect(draw(status, 80)).toContain('more causes (-o wide lists them)');
    expect(wide).not.toContain('-o wide');
  });

  it('sums up a hundred nodes and names the odd ones with the reason', async () => {
    const text = draw(await statusOf('large'), 160);
    expect(text).toContain('disk.csi.example.com  ready on 96 of 98 nodes, not ready on 1, missing on 1, excluded from 2');
    expect(text).toContain('missing on node-023: it has no pod there');
    expect(text).toContain('not ready on node-007: waiting (CrashLoopBackOff)');
    expect(text).toContain('full: node-004 25/25');
    expect(text).toContain('nearly full: node-010 24/25');
    expect(text).not.toContain('node-060');
  });

  it('cuts a long list of nodes, but not when it is wide', async () => {
    const status = await statusOf('large');
    const [disk] = status.drivers;
    const broken = {
      ...status,
      drivers: [
        {
          ...disk,
          placements: disk?.placements.map((placement) => ({
            ...placement,
            state: 'missing',
            why: 'it has no pod there',
          })),
        },
      ],
    } as Status;
    expect(draw(broken, 80)).toContain('and 95 more');
    const wide = draw(broken, 80, { wide: true });
    for (const { name } of status.nodes) expect(wide).toContain(name);
  });

  it('shows nothing from a cluster that could move the cursor or break the line', async () => {
    const status = await statusOf('demo');
    const [first, ...others] = status.drivers;
    const evil = { ...status, drivers: [{ ...first, name: 'disk\u001b[2J\n\u202eevil' }, ...others] } as Status;
    expect(draw(evil, 80)).not.toMatch(/[\u001b\u202e]/);
    expect(draw(evil, 80)).toContain('disk evil');
  });

  it('paints what is bad and says it in words too', async () => {
    const status = await statusOf('demo');
    const painted = renderStatusText(status, { width: 80, colour: true });
    expect(painted).toContain('\u001b[1;31m17 stuck\u001b[0m');
    expect(painted.replaceAll(/\u001b\[[\d;]*m/g, '')).toBe(draw(status, 80));
  });
});

describe('the schema of the status', () => {
  it.each<[string, (status: Record<string, any>) => void]>([
    ['a foreign kind', (status) => (status['kind'] = 'Report')],
    ['a field it does not know', (status) => (status['extra'] = 1)],
    ['a count where nothing could be read', (status) => (status['claims'] = { extent: 'none', total: 0, states: {} })],
    ['a state of its own', (status) => (status['claims']['states']['happy'] = 3)],
    ['a driver without a state', (status) => delete status['drivers'][0]['state']],
    ['a cause without targets', (status) => (status['stuck'][0]['targets'] = [])],
  ])('rejects %s', async (_name, spoil) => {
    const status = structuredClone(await statusOf('demo')) as unknown as Record<string, any>;
    spoil(status);
    expect(validate(status)).toBe(false);
  });
});

describe('what is stuck', () => {
  it('is not denied for claims and pods that could not be read, while drivers are in trouble', async () => {
    const demo = await statusOf('demo');
    const blocked = demo.drivers.filter(({ verdict }) => verdict?.status === 'blocked').length;
    expect(blocked).toBeGreaterThan(0);
    const ofDrivers = { ...demo, summary: { ...demo.summary, blocked, unknown: 0 } };
    expect(draw({ ...ofDrivers, isSearched: true }, 160)).toContain('no claim or pod is stuck');
    const unread = draw({ ...ofDrivers, isSearched: false }, 160);
    expect(unread).toMatch(/no stuck claim or pod was found.*; not everything could be read/);
    expect(unread).not.toContain('no claim or pod is stuck');
  });

  it('is counted as why counts it, and drivers in trouble by themselves', async () => {
    expect(draw(await statusOf('demo'), 80)).toContain(
      '\n✖ 29 objects are stuck (19 causes), 2 drivers are failing, 3 waiting (expected)\n',
    );
  });

  it('is one line with the driver behind which it is stuck', async () => {
    const { status } = askStatus(await truth('attacher-down')(), { breadth: 'everything' });
    expect(status.stuck.map(({ cause, targets }) => [cause, targets.map(({ kind }) => kind)])).toEqual([
      ['attach-attacher-not-running', ['Pod', 'VolumeAttachment', 'CSIDriver']],
    ]);
  });

  it('is not what only could not be judged', async () => {
    const status = await statusOf('demo');
    const unknown = {
      ...status,
      drivers: [],
      stuck: status.stuck.map((entry) => ({ ...entry, status: 'unknown' as const })),
      summary: { ...status.summary, blocked: 0, unknown: 29 },
    };
    const text = draw(unknown, 80);
    expect(text).toContain('? nothing stuck was found, but 29 could not be judged');
    expect(text).toMatch(/\ncould not be judged\n {4}CAUSE +OBJECTS +OLDEST +FOR EXAMPLE\n {2}\? /);
    expect(text).toContain('  More about the first:  $ kubectl csi why');
  });
});
