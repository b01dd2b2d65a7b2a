import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/cli/cluster-source.ts';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import { connectBoth } from '../../src/io/cluster/connect.ts';
import { EnvironmentError } from '../../src/core/kube/errors.ts';
import type { Report } from '../../src/core/report/report.ts';
import { commands, complaintsOf, run } from './sick-server/cases.ts';
import { openClinic, stuck, token } from './sick-server/clinic.ts';
import type { Bed, Clinic } from './sick-server/clinic.ts';
import type { Fault } from './sick-server/fault.ts';
import { faults } from './sick-server/faults.ts';

let clinic: Clinic;
beforeAll(async () => {
  clinic = await openClinic(6);
});
afterAll(() => clinic.close());

/** `why -n shop` inside this process: its report, or the error that ends the program. */
async function why(bed: Bed, fault: Fault): Promise<Report | Error> {
  bed.server.infect(fault);
  const connection = await connectBoth({
    kubeconfig: bed.kubeconfig,
    requestTimeout: fault.isEndless === true ? '500ms' : '20s',
    chunkSize: 1,
  });
  try {
    const question = { targets: [], namespace: undefined, everywhere: false, selector: undefined } as const;
    return (await sourceOf(connection).diagnose({ ...question, breadth: 'everything' })).report;
  } catch (error) {
    return error as Error;
  } finally {
    connection.reader.close();
  }
}

async function inLanes<T>(
  cases: readonly T[],
  examine: (bed: Bed, one: T) => Promise<readonly string[]>,
): Promise<string[]> {
  const complaints: string[] = [];
  const waiting = [...cases];
  await Promise.all(
    clinic.beds.map(async (bed) => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
        complaints.push(...(await examine(bed, one)));
    }),
  );
  return complaints;
}

/** Faults that are answered with errors again and again are tried until the timeout: those are for `npm run attack`. */
const isQuick = ({ name }: Fault): boolean =>
  !/status (?:5|429)|cut|shorter|chunks|page 2: 500|never ends|a third of a gigabyte/.test(name);
const bound = /did not answer within 500 ms|did not finish its answer within 500 ms/;

describe('a server that is sick', () => {
  it('has more ways to be so than one', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(faults.length).toBeGreaterThanOrEqual(73);
  });

  it('never makes a stuck claim look well, and ends with one message', async () => {
    const complaints = await inLanes(faults.filter(isQuick), async (bed, fault) => {
      const answer = await why(bed, fault);
      const text = answer instanceof Error ? answer.message : JSON.stringify(answer);
      const isEnded = fault.isEndless !== true || bound.test(text);
      const isHonest = answer instanceof Error ? answer instanceof EnvironmentError : exitCodeOf(answer) !== 0;
      const isRecovered = !(answer instanceof Error) && answer.items.some(({ target }) => target.name === stuck.name);
      return [
        ...(isHonest ? [] : [`${fault.name}: ${answer instanceof Error ? answer.stack : 'exit code 0'}`]),
        ...(isEnded ? [] : [`${fault.name}: ended for another reason than its limit: ${text.slice(0, 300)}`]),
        ...(fault.isHarmless === true && !isRecovered ? [`${fault.name}: ${text.slice(0, 300)}`] : []),
        ...(text.includes(token) ? [`${fault.name}: shows the token`] : []),
        ...(bed.server.stolen.length > 0 ? [`${fault.name}: follows a redirect`] : []),
        ...(bed.server.requests.every((line) => line.startsWith('GET ')) ? [] : [`${fault.name}: more than reading`]),
      ];
    });
    expect(complaints).toEqual([]);
  });

  it('does not deceive the program as a user runs it', async () => {
    const chosen = new Map(faults.map((fault) => [fault.name, fault]));
    const cases = (
      [
        ['status 404 as a web page, everywhere', 'check as metrics'],
        ["status 404 of a load balancer's default backend, claims", 'why-pending everywhere'],
        // The table shows that a claim is Pending, and the claim itself cannot be read.
        ['200 with items without metadata', 'why-pending'],
        ['200 with items without metadata', 'why-pending everywhere'],
        ['200 with {}, everywhere', 'check'],
        ['200 with items without names', 'status'],
        ['page 2: 404 as a web page', 'get'],
        ['frozen after three answers', 'wait'],
        ['no answer, everywhere', 'why NAME'],
        ['status 302 to another host', 'preflight'],
      ] as const
    ).map(([name, command]) => ({
      fault: chosen.get(name) as Fault,
      command: commands.find((one) => one.name === command) as (typeof commands)[number],
    }));
    const complaints = await inLanes(cases, async (bed, { fault, command }) => {
      bed.server.infect(undefined);
      const sound = await run(bed, command);
      bed.server.infect(fault);
      const ran = await run(bed, command, fault);
      return complaintsOf(fault, command, ran, sound, bed).map((line) => `${fault.name}: ${line}: ${ran.stderr}`);
    });
    expect(complaints).toEqual([]);
  });
});
