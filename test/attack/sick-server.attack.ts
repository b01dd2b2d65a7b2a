import { availableParallelism } from 'node:os';
import { complaintsOf, commands, run } from './sick-server/cases.ts';
import type { Run, SickCommand } from './sick-server/cases.ts';
import { openClinic } from './sick-server/clinic.ts';
import type { Bed } from './sick-server/clinic.ts';
import type { Fault } from './sick-server/fault.ts';
import { faults } from './sick-server/faults.ts';
import { feedComplaints } from './sick-server/feed.ts';

export const name = 'sick server';

/** Runs wait for a server more than they work. */
const lanes = 3 * availableParallelism();

/** Every fault of a server against every command that reads one. */
export async function attack(report: (line: string) => void): Promise<{ cases: number; failures: string[] }> {
  const only = new RegExp(process.env['FAULT'] ?? '');
  const chosen = faults.filter((fault) => only.test(fault.name));
  const clinic = await openClinic(lanes);
  try {
    const [first] = clinic.beds;
    const sound = new Map<SickCommand, Run>();
    for (const command of first ? commands : []) sound.set(command, await run(first as Bed, command));
    const cases = chosen.flatMap((fault) => [...commands, undefined].map((command) => ({ fault, command })));
    const failures: string[] = [];
    let next = 0;
    const lane = async (bed: Bed): Promise<void> => {
      for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
        const { fault, command } = one;
        const complaints = await examine(bed, fault, command, command && sound.get(command));
        const found = complaints.map((complaint) => `${fault.name} × ${command?.name ?? 'tui'}: ${complaint}`);
        failures.push(...found);
        // At once: the whole takes minutes.
        for (const line of found) report(`FAILED  ${line}`);
        if (next % 100 === 0) report(`${next} of ${cases.length}, ${failures.length} failures`);
      }
    };
    await Promise.all(clinic.beds.map(lane));
    report(`${chosen.length} faults × ${commands.length + 1} commands`);
    return { cases: cases.length, failures };
  } finally {
    await clinic.close();
  }
}

async function examine(
  bed: Bed,
  fault: Fault,
  command: SickCommand | undefined,
  sound: Run | undefined,
): Promise<string[]> {
  bed.server.infect(fault);
  if (command === undefined || sound === undefined) return feedComplaints(bed, fault);
  const ran = await run(bed, command, fault);
  const complaints = complaintsOf(fault, command, ran, sound, bed);
  return complaints.map((complaint) => `${complaint}\n    exit ${ran.exitCode}: ${excerpt(ran.stderr || ran.stdout)}`);
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 400));
}

if (import.meta.main) {
  const { cases, failures } = await attack((line) => void process.stdout.write(`${line}\n`));
  process.stdout.write(`${cases} cases, ${failures.length} failures\n`);
  process.exit(failures.length > 0 ? 1 : 0);
}
