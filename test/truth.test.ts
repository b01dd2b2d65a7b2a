import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../src/io/files/read-files.ts';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { resourceNamed } from '../src/core/kube/resources.ts';
import type { Snapshot } from '../src/core/kube/snapshot.ts';

/** What is really wrong in a dump of a real cluster. */
interface Expectation {
  readonly target: string;
  readonly namespace: string;
  readonly status: string;
  readonly cause: string | null;
  readonly wrong: readonly string[];
  readonly mustMention: readonly string[];
  readonly phase: string;
  readonly id?: string;
  /** Nothing but an event tells this cause from others. */
  readonly toldByEvents?: boolean;
}

const directory = join(import.meta.dirname, 'truth');
/** The same for dumps that do not say so themselves. */
const toldByEvents = [
  'createvolume-bad-parameter',
  'secret-missing',
  'driver-hung',
  'provisioner-forbidden',
  'mount-driver-crashed',
];

const cases = readdirSync(directory)
  .sort()
  .flatMap((name) => {
    const parsed = JSON.parse(readFileSync(join(directory, name, 'expect.json'), 'utf8')) as
      Expectation | Expectation[];
    return [parsed].flat().map((expectation) => [expectation.id ?? name, name, expectation] as const);
  });

describe('dumps of real clusters', () => {
  describe.each(cases)('%s', (id, name, expectation) => {
    it('gives the true cause', async () => {
      const snapshot = await load(name, false);
      check(snapshot, expectation);
    });

    it('gives the true cause with --complete', async () => check(await load(name, true), expectation));

    const needsEvents = expectation.toldByEvents === true || toldByEvents.includes(id);

    it(
      needsEvents
        ? 'is not called healthy without events (only events tell this one)'
        : 'gives the true cause without events',
      async () => {
        const snapshot = await load(name, false);
        const silent = { ...snapshot, objects: snapshot.objects.filter(({ kind }) => kind !== 'Event') };
        if (needsEvents) expect(judge(silent, expectation).status).not.toBe('healthy');
        else check(silent, expectation);
      },
    );
  });
});

function check(snapshot: Snapshot, expectation: Expectation): void {
  const item = judge(snapshot, expectation);
  const shown = JSON.stringify([item.summary, item.cause, item.findings.map(({ summary }) => summary)]);
  expect({ status: item.status, cause: item.cause ?? null }, shown).toEqual({
    status: expectation.status,
    cause: expectation.cause,
  });
  for (const wrong of expectation.wrong) expect(item.cause).not.toBe(wrong);
  const said = JSON.stringify(item);
  for (const word of expectation.mustMention) expect(said).toContain(word);
}

function judge(snapshot: Snapshot, { target, namespace }: Expectation) {
  const [, name = ''] = target.split('/');
  const { report } = diagnose(snapshot, {
    targets: [{ kind: kindOf(target) as 'Pod', ...(namespace && { namespace }), name }],
  });
  const [item] = report.items;
  if (!item) throw new Error(`${target} was not found`);
  return item;
}

function kindOf(target: string): string {
  return resourceNamed(target.split('/')[0] ?? '')?.kind ?? '';
}

const loaded = new Map<string, Promise<Snapshot>>();

function load(name: string, complete: boolean): Promise<Snapshot> {
  const key = `${name} ${complete}`;
  const snapshot = loaded.get(key) ?? readFiles([join(directory, name, 'cluster.yaml')], { complete });
  loaded.set(key, snapshot);
  return snapshot;
}
