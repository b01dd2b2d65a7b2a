import type { PreflightReport } from '../../src/core/report/preflight.ts';
import type { KubernetesObject } from './cluster/api.ts';
import { runCommand } from './cluster/command.ts';
import type { Program } from './program.ts';
import type { Phase, Scenario } from './scenarios/scenario.ts';
import { toldOtherwise, unforeseen } from './scenarios/unforeseen.ts';

/** What people write down; all else is the cluster that they meet. */
const writtenKinds: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'Pod', 'StatefulSet', 'VolumeSnapshot']);

/** Later, what goes wrong mostly shows only when it is tried: it may be foretold, but need not. */
const foreseeablePhases: ReadonlySet<Phase> = new Set([
  'admission',
  'binding',
  'wffc',
  'provision',
  'schedule',
  'snapshot',
]);

interface Prophecy {
  readonly object: string;
  readonly exitCode: number;
  readonly status?: string;
  readonly cause?: string;
  readonly summary: string;
}

/** What `preflight` says of each manifest of a scenario on the cluster as it is just before the manifest is applied. */
export class Foresight {
  readonly #program: Program;
  readonly #kubeconfig: string;
  readonly #prophecies: Prophecy[] = [];

  constructor(program: Program, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  readonly look = async (object: KubernetesObject): Promise<void> => {
    if (!writtenKinds.has(object.kind)) return;
    const { code, output, errors } = await runCommand('kubectl', ['csi', 'preflight', '-f', '-', '-o', 'json'], {
      input: JSON.stringify(object),
      environment: { KUBECONFIG: this.#kubeconfig, PATH: this.#program.path },
    });
    let report: PreflightReport | undefined;
    try {
      report = JSON.parse(output) as PreflightReport;
    } catch {
      /* No report: the errors are the answer. */
    }
    const item = report?.items[0];
    const told = item && {
      status: item.status,
      summary: [item.summary, ...item.unread.map(({ resource, needed }) => `${resource}: ${needed}`)].join('; '),
      ...(item.cause !== undefined && { cause: item.cause }),
    };
    this.#prophecies.push({
      object: `${object.kind} ${object.metadata.name}`,
      exitCode: code,
      ...(told ?? { summary: `${output}${errors}`.trim() }),
    });
  };

  /** Whether the trouble was named beforehand. */
  foretells(scenario: Scenario): boolean {
    return this.#prophecies.some(({ cause }) => cause !== undefined && acceptedOf(scenario).includes(cause));
  }

  /** What is wrong with what was said beforehand of a scenario whose cause is known by now. */
  problemWith(scenario: Scenario): string | undefined {
    const untold = this.#prophecies.find(({ status }) => status === undefined || status === 'unknown');
    if (untold) return `preflight could not judge ${show(untold)}`;
    const wrong = this.#prophecies.find(
      ({ status, cause }) => status === 'wouldFail' && !acceptedOf(scenario).includes(cause ?? ''),
    );
    if (wrong) return `preflight was wrong about ${show(wrong)}`;
    if (scenario.status === 'healthy' || !foreseeablePhases.has(scenario.phase)) return undefined;
    const reason = unforeseen[scenario.name];
    if (reason !== undefined)
      return this.foretells(scenario) ? `preflight foretells it, though it is said not to: ${reason}` : undefined;
    return this.foretells(scenario)
      ? undefined
      : `preflight did not foretell ${scenario.cause ?? 'nothing'}: ${this.#prophecies.map(show).join('; ')}`;
  }
}

function acceptedOf({ name, cause, meanwhile = [] }: Scenario): readonly string[] {
  return [...(cause === null ? [] : [cause]), ...meanwhile, ...(toldOtherwise[name] ?? [])];
}

function show({ object, exitCode, status, cause, summary }: Prophecy): string {
  return `${object} (exit ${exitCode}${status === undefined ? '' : `, ${status}`}${cause === undefined ? '' : ` ${cause}`}): ${summary}`;
}
