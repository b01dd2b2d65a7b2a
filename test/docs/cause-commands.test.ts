import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceNamed } from '../../src/core/kube/resources.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';
import { parseTemplate } from '../../src/terminal/jsonpath/parse-template.ts';
import { fillIn, loadCausePages } from '../kit/cause-page.ts';
import type { CausePage, PageCommand } from '../kit/cause-page.ts';
import { runProgram } from '../kit/run-program.ts';
import { loadScenario, loadScenarios } from '../kit/scenario.ts';
import type { Scenario } from '../kit/scenario.ts';

/** Commands that no embedded cluster can answer. */
const notHere: readonly (readonly [command: RegExp, why: string])[] = [
  [/^(?:journalctl|ps|ls|findmnt|showmount|mount)(?: |$)/, 'runs on a node'],
  [/^kubectl debug node\//, 'needs a shell on a node'],
  [/^kubectl .*\bexec\b/, 'needs a shell in a container'],
  [/^sed .*\| kubectl apply/, 'reads a file that the reader has edited'],
  [/ -f (?:claim|snapshot|volume)\.yaml/, 'reads a file that the reader has written'],
  [/^kubectl csi probe unix:/, 'needs the socket of a driver on this machine'],
  [/^kubectl csi .*--watch/, 'does not end'],
  [/apiservices|snapshotmetadataservices?|validatingadmissionpolicies|volumegroupsnapshot/, 'the embedded cluster serves no such kind'],
];
/** kubectl 1.32 itself fails on what the scenario leaves out and a real API server fills in. */
const notWithThisScenario: Readonly<Record<string, RegExp>> = { 'mount-projected-failed': /describe pod/ };

/** What the API server may answer: that something is missing, forbidden or not so is what many pages want to show. */
const anAnswer =
  /\(NotFound\)|\(Forbidden\)|previous terminated container|No resources found|is not valid for pod|server rejected our request|timed out waiting|not namespace scoped|^no$|no objects passed to scale|version difference|last-applied-configuration/m;

const pages = loadCausePages();
const byCause = new Map<string, Scenario>();
for (const scenario of loadScenarios())
  if (!byCause.has(scenario.cause) || scenario.id === scenario.cause) byCause.set(scenario.cause, scenario);
/** Causes that nothing in the API shows have no scenario: their commands run on that of another cause. */
const ofPagesWithoutOne = loadScenario('sc-missing');
const scenarioOf = ({ cause }: CausePage): Scenario => byCause.get(cause) ?? ofPagesWithoutOne;

const isOurs = ({ line }: PageCommand): boolean => /^kubectl csi /.test(line);
const isKubectl = (command: PageCommand): boolean => /^kubectl /.test(command.line) && !isOurs(command);
const isRun = (cause: string, { line }: PageCommand): boolean =>
  !notHere.some(([command]) => command.test(line)) && notWithThisScenario[cause]?.test(line) !== true;

describe('commands of the cause pages', () => {
  it('are all known: kubectl, our own, or listed with the reason why they cannot be run', () => {
    const strange = pages.flatMap(({ cause, commands }) =>
      commands
        .filter((command) => !isKubectl(command) && !isOurs(command))
        .filter(({ line }) => !notHere.some(([pattern]) => pattern.test(line)))
        .map(({ line }) => `${cause}: ${line}`),
    );
    expect(strange).toEqual([]);
    expect(pages.flatMap(({ commands }) => commands).length).toBeGreaterThan(750);
  });

  it('stand for nothing that the reader does not know: every placeholder is filled from the scenario', () => {
    const unknown = pages.flatMap((page) =>
      page.commands.flatMap(({ line }) =>
        fillIn(line, scenarioOf(page)).unknown.map((word) => `${page.cause}: ${word} in ${line}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('name the namespace of what has one', () => {
    const lost = pages.flatMap(({ cause, commands }) =>
      commands.filter(isKubectl).flatMap(({ line }) => (isUnscoped(line) ? [`${cause}: ${line}`] : [])),
    );
    expect(lost).toEqual([]);
  });

  it('ask for kinds that exist', () => {
    const unknown = pages.flatMap(({ cause, commands }) =>
      commands.filter(isKubectl).flatMap(({ line }) =>
        typesIn(line)
          .filter((type) => resourceNamed(type) === undefined && !otherKinds.test(type))
          .map((type) => `${cause}: ${type} in ${line}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('have templates that kubectl can read', () => {
    const broken = pages.flatMap(({ cause, commands }) =>
      commands.flatMap(({ line }) =>
        [...line.matchAll(/jsonpath='([^']+)'/g)].flatMap(([, template = '']) =>
          isTemplate(template) ? [] : [`${cause}: ${template}`],
        ),
      ),
    );
    expect(broken).toEqual([]);
  });

  it('have patches that are JSON', () => {
    const broken = pages.flatMap(({ cause, commands }) =>
      commands.flatMap(({ line }) =>
        [...line.matchAll(/ -p '([^']+)'/g)].flatMap(([, patch = '']) => (isJson(patch) ? [] : [`${cause}: ${patch}`])),
      ),
    );
    expect(broken).toEqual([]);
  });
});

/** Kinds of Kubernetes and of its storage that the program itself does not read. */
const otherKinds =
  /^(?:apiservices|clusterrolebinding|(?:validating|mutating)webhookconfigurations|validatingadmissionpolicies|volumegroupsnapshot(?:content|class)?|snapshotmetadataservices?|serviceaccounts?|endpointslices|endpoints|limitranges?|configmaps?|referencegrants?)(?:\.[\w.]+)?$/;

function typesIn(line: string): string[] {
  const named = /^kubectl (?:-n \S+ )?(?:get|describe|patch|annotate|label|delete|scale) (?!--local|-)(\S+)/.exec(line)?.[1] ?? '';
  return (named.split('/')[0] ?? '').split(',').filter((type) => type !== '' && !/^[A-Z]/.test(type));
}

function isUnscoped(line: string): boolean {
  const [, verb = '', rest = ''] =
    /^kubectl (get|describe|patch|annotate|label|delete|scale|logs|exec|rollout \w+) (.*)$/.exec(line.split(' | ')[0] ?? '') ?? [];
  if (verb === '' || /(?:^|\s)(?:-n|-A|--local|--all-namespaces|--namespace)(?:\s|=|$)/.test(rest)) return false;
  const types = /^(?:logs|exec)$/.test(verb) ? ['pods'] : (rest.split(/[\s/]/)[0] ?? '').split(',');
  return types.some((type) => resourceNamed(type)?.namespaced === true);
}

function isTemplate(text: string): boolean {
  try {
    parseTemplate(text.startsWith('{') ? text : `{${text}}`);
    return true;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not on the PATH)';
/** Several at a time: most of it is waiting for the loopback. */
const atOnce = 4;

describe('on its scenario', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-pages-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));

  it.skipIf(!hasKubectl)(
    `each kind of kubectl command is answered, a block in its order${why}`,
    async () => {
      const wrong: string[] = [];
      await inParallel(representatives(), async ({ page, commands }) => {
        const scenario = scenarioOf(page);
        const changes = commands.some(({ line }) => changing.test(line));
        const server = await startApiServer(
          scenario.snapshot,
          changes ? { controllers: { backend: demoBackend, stepMs: 5 } } : {},
        );
        const home = join(directory, page.cause);
        await mkdir(home, { recursive: true });
        await writeKubeconfig(join(home, 'kubeconfig'), server.url);
        for (const command of commands) {
          const { line } = fillIn(command.line, scenario);
          const said = await runLine(line.replace(/--timeout=\S+/, '--timeout=1s'), home);
          if (said !== undefined && !anAnswer.test(said)) wrong.push(`${page.cause}: ${line}\n  ${said}`);
        }
        await server.close();
      });
      expect(wrong).toEqual([]);
    },
  );

  it('each of our own commands is answered', async () => {
    const wrong: string[] = [];
    const lines = pages.flatMap((page) =>
      page.commands
        .filter((command) => isOurs(command) && isRun(page.cause, command))
        .map(({ line }) => ({ page, line: fillIn(line, scenarioOf(page)).line })),
    );
    expect(lines.length).toBeGreaterThan(15);
    await inParallel(lines, async ({ page, line }) => {
      const server = await startApiServer(scenarioOf(page).snapshot);
      const home = join(directory, `${page.cause}-own`);
      await mkdir(home, { recursive: true });
      await writeKubeconfig(join(home, 'kubeconfig'), server.url);
      const words = line.replace(/^kubectl csi /, '').split(' ');
      const file = words[0] === 'capture' ? ['-o', join(home, 'capture.json.gz')] : [];
      const { exitCode, stderr, stdout } = await runProgram([...words, ...file], {
        env: { KUBECONFIG: join(home, 'kubeconfig'), HOME: home },
      });
      if (exitCode === null || exitCode === 2 || exitCode > 3 || /\bat .*:\d+:\d+/.test(stderr))
        wrong.push(`${page.cause}: ${line} (exit code ${exitCode})\n  ${stderr || stdout}`);
      await server.close();
    });
    expect(wrong).toEqual([]);
  });
});

const changing = /kubectl (?:-n \S+ )?(?:patch|annotate|label|delete|scale|create|rollout|taint|cordon|wait)\b/;

/**
 * A block whose commands have the same verbs, types and flags as one that was run says nothing new about kubectl. With
 * KUBECTL_CSI_ALL_COMMANDS=1 every block is run.
 */
function representatives(): { page: CausePage; commands: PageCommand[] }[] {
  const known = new Set<string>();
  const isWhole = process.env['KUBECTL_CSI_ALL_COMMANDS'] === '1';
  return pages.flatMap((page) => {
    const kept = page.commands.filter((command) => isKubectl(command) && isRun(page.cause, command));
    const blocks = [...new Set(kept.map(({ block }) => block))].filter((block) => {
      const shapes = kept.filter((command) => command.block === block).map(({ line }) => shapeOf(line));
      const isNew = shapes.some((shape) => !known.has(shape));
      for (const shape of shapes) known.add(shape);
      return isNew || isWhole;
    });
    const commands = kept.filter(({ block }) => blocks.includes(block));
    return commands.length === 0 ? [] : [{ page, commands }];
  });
}

function shapeOf(line: string): string {
  return line
    .replace(/'[^']*'|"[^"]*"/g, '*')
    .replace(/\b(get|describe) \S+/, '$1 KIND')
    .replace(/\bcustom-columns=\S+/g, 'custom-columns=*')
    .replace(/(?<![\w.-])[A-Z][\w-]*/g, 'X')
    .replace(/-n \S+ /g, '')
    .replace(/(--(?:tail|since|sort-by|field-selector|as|as-group)=)\S+/g, '$1*')
    .replace(/\bgrep .*/, 'grep')
    .replace(/[\w-]+\.(?:io|com)\/[\w-]+/g, '*');
}

/** What a line prints on stderr, if it fails. A grep that finds nothing has done its work. */
function runLine(line: string, home: string): Promise<string | undefined> {
  const env = { ...process.env, HOME: home, KUBECONFIG: join(home, 'kubeconfig') };
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { env, cwd: home, timeout: 240_000 }, (error, stdout, stderr) => {
      const isQuietGrep = /\| (?:grep|sed|sort|head)/.test(line) && stderr === '';
      resolve(error === null || isQuietGrep ? undefined : `${stderr}${stdout}`.trim() || `exit code ${error.code}`);
    });
  });
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
