import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../src/io/files/read-files.ts';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { readKubectl } from '../src/core/engine/fixes/kubectl-line.ts';
import { readShellLines } from '../src/core/engine/fixes/shell-line.ts';
import { resourceNamed } from '../src/core/kube/resources.ts';
import type { TargetRef } from '../src/core/kube/selection.ts';
import type { Snapshot } from '../src/core/kube/snapshot.ts';
import { commandsOf } from '../src/core/report/fix-commands.ts';
import type { Finding } from '../src/core/report/report.ts';
import { checkFixes, unparsable } from './kit/fix-checks.ts';
import { fixExceptions } from './kit/fix-exceptions.ts';
import { loadScenarios } from './kit/scenario.ts';

/** The findings of one case that block, with what is wrong with their fixes. */
interface Checked {
  readonly id: string;
  readonly findings: readonly Finding[];
  readonly problems: readonly string[];
}

function checkCase(id: string, snapshot: Snapshot, target: TargetRef): Checked {
  const findings: Finding[] = [];
  const problems: string[] = [];
  for (const item of diagnose(snapshot, { targets: [target] }).report.items)
    for (const finding of item.findings.filter(({ role, severity }) => role === 'cause' && severity === 'blocking')) {
      findings.push(finding);
      for (const { rule, fix, detail } of checkFixes(snapshot, item, finding))
        problems.push(`${id} (${finding.cause}) fix ${fix} [${rule}] ${detail}`);
    }
  return { id, findings, problems };
}

const truth = join(import.meta.dirname, 'truth');

interface Expectation {
  readonly target: string;
  readonly namespace?: string;
}

async function checkDump(name: string): Promise<Checked[]> {
  const snapshot = await readFiles([join(truth, name, 'cluster.yaml')]);
  const parsed = JSON.parse(readFileSync(join(truth, name, 'expect.json'), 'utf8')) as Expectation | Expectation[];
  return [parsed].flat().map(({ target, namespace }) => {
    const [type = '', object = ''] = target.split('/');
    const kind = resourceNamed(type)?.kind;
    return checkCase(name, snapshot, { kind, ...(namespace && { namespace }), name: object } as TargetRef);
  });
}

const scenarios = loadScenarios(new RegExp(process.env['SCENARIO'] ?? ''));
const ofScenarios = scenarios.map(({ id, snapshot, target }) => checkCase(id, snapshot, target));
const ofDumps = (await Promise.all(readdirSync(truth).sort().map(checkDump))).flat();
const checked = [...ofScenarios, ...ofDumps];
const commands = [
  ...new Set(checked.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix.flatMap(commandsOf)))),
];

describe('the fixes of every scenario and dump', () => {
  it('stand up to everything that a machine can check', () => {
    const problems = checked.flatMap((one) => one.problems);
    const unexcused = problems.filter((problem) => !fixExceptions.some(({ pattern }) => pattern.test(problem)));
    expect(unexcused).toEqual([]);
  });

  it('have no exception that nothing needs', () => {
    if (process.env['SCENARIO'] !== undefined) return;
    const problems = checked.flatMap((one) => one.problems);
    const idle = fixExceptions.filter(({ pattern }) => !problems.some((problem) => pattern.test(problem)));
    expect(idle.map(({ pattern }) => String(pattern))).toEqual([]);
  });

  it('are commands that a shell parses', () => {
    expect(commands.length).toBeGreaterThan(0);
    expect(unparsable(commands)).toEqual([]);
  });

  it('are stated by each scenario, at least the first', () => {
    const blocked = scenarios.filter(({ id, file, cause }) => id === cause && file.expect.status === 'blocked');
    const silent = blocked.filter(({ file }) => file.expect.role !== 'advice' && file.expect.fix === undefined);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** The verb, its first word without a name, and the flags without their values: what kubectl refuses does not depend on more. */
function shapeOf(words: readonly string[]): string | undefined {
  const call = readKubectl(words);
  if (!call || call.verb === 'csi') return undefined;
  return `${call.verb} ${call.words[0]?.split('/')[0] ?? ''} ${[...call.flags.keys()].sort().join(' ')}`;
}

interface Manifest {
  readonly commands: Readonly<
    Record<string, { readonly flags: Readonly<Record<string, { readonly name: string; readonly char?: string }>> }>
  >;
}
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../oclif.manifest.json'), 'utf8')) as Manifest;

/** The words of a `kubectl csi` line that this program would refuse. */
function refusedWords(words: readonly string[]): string[] {
  const [, , id = '', ...rest] = words;
  const command = manifest.commands[id];
  if (!command) return [id];
  const flags = Object.values(command.flags);
  return rest
    .filter((word) => /^-{1,2}[a-z]/i.test(word))
    .filter((word) => {
      const name = word.replace(/^-+/, '').split('=')[0] ?? '';
      return !flags.some((flag) => (word.startsWith('--') ? flag.name === name : flag.char === name[0]));
    });
}

describe('kubectl csi', () => {
  it('knows every command and flag of the fixes', () => {
    const lines = commands
      .flatMap((command) => (readShellLines(command) ?? []).flat().map(({ words }) => words))
      .filter((words) => words[0] === 'kubectl' && words[1] === 'csi');
    expect(lines.length).toBeGreaterThan(0);
    const refused = lines.filter((words) => refusedWords(words).length > 0).map((words) => words.join(' '));
    expect([...new Set(refused)]).toEqual([]);
  });
});

describe('kubectl', () => {
  it.skipIf(!hasKubectl)(
    hasKubectl
      ? 'knows every verb and flag of the fixes'
      : 'knows every verb and flag of the fixes (skipped: kubectl is not on the PATH)',
    () => {
      const calls = commands.flatMap((command) => (readShellLines(command) ?? []).flat().map(({ words }) => words));
      const shapes = new Map(calls.map((words) => [shapeOf(words), words] as const));
      shapes.delete(undefined);
      const cwd = mkdtempSync(join(tmpdir(), 'kubectl-csi-fixes-'));
      // Port 9 of this machine answers nothing: all that kubectl can say is whether it understands the line.
      const env = { ...process.env, KUBECONFIG: '/dev/null', HOME: cwd };
      const refused = [...shapes.values()].flatMap((words) => {
        const line = ['--server=http://127.0.0.1:9', ...words.slice(1)];
        const { stderr } = spawnSync('kubectl', line, { cwd, env, input: '', encoding: 'utf8', timeout: 240_000 });
        return /unknown (?:flag|shorthand|command)|flag needs an argument|invalid argument|must be specified|required flag/.test(
          stderr,
        )
          ? [`${words.join(' ').slice(0, 160)}: ${stderr.trim().split('\n')[0] ?? ''}`]
          : [];
      });
      rmSync(cwd, { recursive: true });
      expect(refused).toEqual([]);
    },
  );
});
