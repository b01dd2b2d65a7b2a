import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../../src/sim/kubeconfig.ts';
import { programPath, runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';
import { snapshotOf } from '../../sim/cluster.ts';

const examples = join(import.meta.dirname, '../../../docs/ci');
const broken = demoSnapshot(new Date('2026-05-06T07:08:09Z'));
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'ns' } };
const well = snapshotOf([namespace]);

interface Manifest {
  readonly kind: string;
  readonly rules?: unknown;
  readonly [field: string]: any;
}

const documents = async (file: string): Promise<Manifest[]> =>
  parseAllDocuments(await readFile(join(examples, file), 'utf8')).map((document) => document.toJS() as Manifest);
const firstScript = (command: readonly string[]): string => command.at(-1) as string;

/** Runs the script as the shell of a pipeline does, against an embedded cluster. */
async function runScript(
  script: string,
  snapshot: Snapshot,
  env: Readonly<Record<string, string>> = {},
  options: ApiServerOptions = {},
): Promise<Finished & { readonly directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'ci-'));
  const server = await startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt),
    renewsLeases: false,
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, server.url);
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-e', '-c', script], {
      cwd: directory,
      env: {
        ...process.env,
        LANG: 'C.UTF-8',
        PATH: `${dirname(programPath)}:${process.env['PATH'] ?? ''}`,
        KUBECONFIG: kubeconfig,
        NAMESPACE: 'shop',
        ...env,
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr, directory }));
  });
}

describe('the examples for pipelines', () => {
  it('are all named in the page', async () => {
    const page = await readFile(join(examples, '../ci.md'), 'utf8');
    const files = (await readdir(examples, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    expect(files.filter((file) => file.endsWith('.yaml'))).toEqual([
      'argocd.yaml',
      'cronjob.yaml',
      'github-action.yaml',
      'github-actions.yaml',
      'gitlab-ci.yaml',
      'tekton.yaml',
    ]);
    for (const file of files) expect(page).toContain(`(ci/${file})`);
  });

  it('the GitHub action: annotations, a summary page, a report of tests and the exit code', async () => {
    const action = parse(await readFile(join(examples, '../../action.yml'), 'utf8')) as {
      readonly inputs: Readonly<Record<string, unknown>>;
      readonly runs: { readonly steps: readonly { readonly env?: Record<string, string>; readonly run?: string }[] };
    };
    const [, step] = action.runs.steps;
    expect(step?.run).toBe('bash "$GITHUB_ACTION_PATH/build/action/run.sh"');
    const runner = {
      GITHUB_ACTION_PATH: join(examples, '../..'),
      GITHUB_OUTPUT: 'output',
      GITHUB_STEP_SUMMARY: 'summary.md',
      RUNNER_TEMP: '.',
      COMMAND: 'check',
    };
    const failed = await runScript(step?.run ?? '', broken, { ...runner, ARGS: '-n shop', JUNIT: 'storage.xml' });
    expect(failed).toMatchObject({ exitCode: 1, stderr: '' });
    expect(failed.stdout).toMatch(/^::error title=sc-missing::StorageClass "fast-ssd" does not exist/m);
    const written = (name: string): Promise<string> => readFile(join(failed.directory, name), 'utf8');
    expect(await written('output')).toBe('exit-code=1\n');
    expect(await written('summary.md')).toContain('## Storage check');
    expect(await written('storage.xml')).toContain('<failure type="sc-missing"');
    expect((await runScript(step?.run ?? '', well, runner)).exitCode).toBe(0);
    const blind = { faults: { deny: (kind: string) => kind === 'PersistentVolumeClaim' } };
    expect((await runScript(step?.run ?? '', well, runner, blind)).exitCode).toBe(3);
    const warned = await runScript(step?.run ?? '', well, { ...runner, INCONCLUSIVE: 'warn' }, blind);
    expect(warned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('::warning title=kubectl csi::') });
    expect((await runScript(step?.run ?? '', well, { ...runner, COMMAND: 'delete' })).exitCode).toBe(2);
    const [, workflow] = [action, (await documents('github-action.yaml'))[0]] as const;
    for (const { steps } of Object.values<any>(workflow?.['jobs']))
      for (const { uses = '', with: given } of steps)
        if (uses.startsWith('kubectl-csi/'))
          expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  });

  it('the GitHub action waits too, and its annotation has the reason', async () => {
    const gone = await runScript('bash "$ACTION/build/action/run.sh"', broken, {
      ACTION: join(examples, '../..'),
      GITHUB_OUTPUT: 'output',
      RUNNER_TEMP: '.',
      COMMAND: 'wait',
      ARGS: 'pvc/reports-db -n shop --for=bound --timeout=5s',
    });
    expect(gone.exitCode).not.toBe(0);
    expect(gone.stdout + gone.stderr).toContain('reports-db');
  });

  it('the GitLab component: the same with inputs', async () => {
    const [, job] = (await documents('gitlab-component/templates/storage-check.yml')) as [Manifest, Manifest];
    const { script, allow_failure: allowed } = job['storage-check'];
    const { exitCode, directory } = await runScript(script.join('\n'), broken, { WAIT: '1s', ARGS: '' });
    expect(exitCode).toBe(1);
    expect(await readFile(join(directory, 'storage.xml'), 'utf8')).toContain('<failure type="sc-missing"');
    expect(allowed.exit_codes).toEqual([3]);
  });

  it('GitHub Actions: annotations, a summary page, and the exit code', async () => {
    const [{ jobs }] = (await documents('github-actions.yaml')) as [Manifest];
    const script = jobs.check.steps[0].run as string;
    const summary = join(await mkdtemp(join(tmpdir(), 'summary-')), 'page.md');
    onTestFinished(() => rm(dirname(summary), { recursive: true, force: true }));
    await writeFile(summary, 'before\n');
    const failed = await runScript(script, broken, { GITHUB_STEP_SUMMARY: summary });
    expect(failed.stdout).toMatch(/^::error title=sc-missing::StorageClass "fast-ssd" does not exist/m);
    expect(failed.exitCode).toBe(1);
    expect(await readFile(summary, 'utf8')).toMatch(/^before\n## Storage check\n/);
    expect((await runScript(script, well)).exitCode).toBe(0);
  });

  it('GitLab: a report of tests, whatever the result', async () => {
    const { 'storage-check': job } = parse(await readFile(join(examples, 'gitlab-ci.yaml'), 'utf8')) as {
      'storage-check': {
        script: string[];
        allow_failure: { exit_codes: number[] };
        artifacts: { reports: { junit: string } };
      };
    };
    const { exitCode, directory } = await runScript(job.script.join('\n'), broken);
    expect(await readFile(join(directory, job.artifacts.reports.junit), 'utf8')).toContain(
      '<failure type="sc-missing"',
    );
    expect(exitCode).toBe(1);
    const refused = await runScript(
      job.script.join('\n'),
      well,
      {},
      { faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } },
    );
    expect(job.allow_failure.exit_codes).toContain(refused.exitCode);
  });

  it('Tekton: the outcome as a result', async () => {
    const [{ spec }] = (await documents('tekton.yaml')) as [Manifest];
    const script = spec.steps[0].script as string;
    for (const [snapshot, outcome, code] of [
      [broken, 'failed', 1],
      [well, 'passed', 0],
    ] as const) {
      const { exitCode, directory } = await runScript(script, snapshot, { WAIT: '30s', OUTCOME: 'outcome' });
      expect(await readFile(join(directory, 'outcome'), 'utf8')).toBe(outcome);
      expect(exitCode).toBe(code);
    }
  });

  it('Argo CD: a hook after the sync that fails with the reason in its log', async () => {
    const [{ metadata, spec }] = (await documents('argocd.yaml')) as [Manifest];
    expect(metadata.annotations['argocd.argoproj.io/hook']).toBe('PostSync');
    const { exitCode, stdout } = await runScript(firstScript(spec.template.spec.containers[0].command), broken);
    expect(stdout).toContain('sc-missing');
    expect(exitCode).toBe(1);
  });

  describe('CronJob', () => {
    const script = async (): Promise<string> =>
      firstScript(
        (await documents('cronjob.yaml')).find(({ kind }) => kind === 'CronJob')?.['spec'].jobTemplate.spec.template
          .spec.containers[0].command,
      );

    it('has the role that rbac check prints, and no more', async () => {
      const { stdout } = await runProgram([
        'rbac',
        'check',
        '--name',
        'kubectl-csi-check',
        '--bind',
        'serviceaccount:storage-check:kubectl-csi-check',
      ]);
      const printed = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
      const written = await documents('cronjob.yaml');
      expect(written.filter(({ kind }) => kind.startsWith('ClusterRole'))).toEqual(printed);
    });

    it('leaves a file for the node exporter, and does not fail on what it finds', async () => {
      const { exitCode, stdout, directory } = await runScript(await script(), broken, { TEXTFILE_DIR: '.' });
      const file = await readFile(join(directory, 'kubectl_csi.prom'), 'utf8');
      expect(file).toContain('kubectl_csi_stuck{cause="sc-missing",namespace="shop",kind="PersistentVolumeClaim"} 1\n');
      expect(await readdir(directory)).not.toContain('kubectl_csi.prom.new');
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    });

    it('writes to standard output without a directory', async () => {
      const { exitCode, stdout } = await runScript(await script(), well);
      expect(stdout).toContain('kubectl_csi_up 1\n');
      expect(exitCode).toBe(0);
    });

    it('says that it is down when it cannot look, and fails', async () => {
      const { exitCode, directory } = await runScript(await script(), well, {
        TEXTFILE_DIR: '.',
        KUBECONFIG: '/nonexistent/kubeconfig',
      });
      expect(await readFile(join(directory, 'kubectl_csi.prom'), 'utf8')).toContain('kubectl_csi_up 0\n');
      expect(exitCode).toBe(4);
    });
  });
});
