import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { guardCommand } from '../../src/core/kube/safe-command.ts';
import { shellWord } from '../../src/core/kube/shell-word.ts';
import { askCheck } from '../../src/core/survey/checks/ask-check.ts';
import { commandsOf } from '../../src/core/report/fix-commands.ts';
import { hostilePrefix, withHostileNames } from '../kit/hostile-names.ts';
import { loadScenarios } from '../kit/scenario.ts';

/** What programs are started by a command, and with which words, as a real shell reads it. */
function startedBy(commands: readonly string[]): string[][][] {
  const programs = [
    'kubectl',
    'grep',
    'jq',
    'sed',
    'ssh',
    'sudo',
    'helm',
    'systemctl',
    'crictl',
    'aws',
    'gcloud',
    'az',
  ];
  const script = [
    // Descriptor 3 is outside of all pipes and redirections.
    'exec 3>&1',
    // One write a program: the programs of a pipe run at the same time.
    ...programs.map((program) => `${program}() { printf '%s\\0' ${program} "$@" $'\\1' >&3; }`),
    // Without a PATH nothing else can run.
    `command_not_found_handle() { printf 'STRANGE\\0%s\\0\\1\\0' "$1" >&3; }`,
    'PATH=',
    ...commands.flatMap((command) => [command, `printf '\\2\\0' >&3`]),
  ].join('\n');
  const cwd = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
  const { stdout } = spawnSync('/bin/bash', ['-s'], { cwd, input: script, encoding: 'utf8', maxBuffer: 1 << 28 });
  rmSync(cwd, { recursive: true });
  return stdout
    .split('\x02\0')
    .slice(0, -1)
    .map((part) =>
      part
        .split('\x01\0')
        .filter((words) => words !== '')
        .map((words) => words.split('\0').slice(0, -1)),
    );
}

describe('a command with names of a hostile dump', () => {
  const word = shellWord;
  it.each([
    [`kubectl -n ${word('-x')} delete pvc ${word('--all')}`, `kubectl -n '-x' delete pvc -- '--all'`],
    [`kubectl delete pvc data --wait=false`, `kubectl delete pvc data --wait=false`],
    [
      `kubectl -n x patch pvc ${word('--all')} --type=merge -p '{"a":1}'`,
      `kubectl -n x patch pvc --type=merge -p '{"a":1}' -- '--all'`,
    ],
    [`kubectl get pv ${word('-A')} -o yaml > ${word('../../x.yaml')}`, `kubectl get pv -o yaml -- '-A' > x.yaml`],
    [`kubectl get pv | grep ${word('-r')}`, `kubectl get pv | grep -- '-r'`],
    [`kubectl get pv | grep -e csi -e ${word('-r')}`, `kubectl get pv | grep -e csi -e '-r'`],
    [`kubectl taint nodes ${word('-n1')} a=b:NoExecute`, `kubectl taint nodes -- '-n1' a=b:NoExecute`],
    [`kubectl -n x exec ${word('-p')} -c main -- ls -l`, `kubectl -n x exec pod/'-p' -c main -- ls -l`],
    [`kubectl logs ${word('-p')} -c ${word('-c')} --previous`, `kubectl logs -c '-c' --previous -- '-p'`],
    [`kubectl csi probe ${word('-d')} --exec`, `kubectl csi probe --exec -- '-d'`],
    [`kubectl get pv -o jsonpath='{.spec}'`, `kubectl get pv -o jsonpath='{.spec}'`],
  ])('%s', (command, guarded) => {
    expect(guardCommand(command)).toBe(guarded);
    expect(guardCommand(guarded)).toBe(guarded);
  });

  it('keeps control characters of a name as escapes that a shell undoes', () => {
    const name = 'a\'b\n\u001b[31m\\"$(x)\u202e';
    expect(shellWord(name)).not.toMatch(/\p{C}/u);
    expect(startedBy([`kubectl get pvc ${shellWord(name)}`])).toEqual([[['kubectl', 'get', 'pvc', name]]]);
  });

  const scenarios = loadScenarios();
  const found = scenarios.flatMap(({ id, target, snapshot }) => {
    const hostile = withHostileNames(snapshot);
    const named = {
      ...target,
      name: hostilePrefix + target.name,
      ...(target.namespace !== undefined && { namespace: hostilePrefix + target.namespace }),
    };
    const findings = [
      ...diagnose(hostile, { targets: [named] }).report.items.flatMap((item) => item.findings),
      ...askCheck(hostile, {}).survey.findings,
    ];
    const commands = findings.flatMap((finding) => finding.fix.flatMap(commandsOf));
    return [...new Set(commands)].map((command) => ({ id, command }));
  });

  it('starts only the programs that it names, in every finding of every scenario', () => {
    const started = startedBy(found.map(({ command }) => command));
    expect(found.length).toBeGreaterThan(1000);
    expect(started).toHaveLength(found.length);
    const wrong = found.flatMap(({ id, command }, index) => {
      const programs = started[index] ?? [];
      const problems = programs.flatMap((words) => problemsOf(words));
      return problems.length === 0 ? [] : [`${id}: ${problems.join('; ')}: ${command}`];
    });
    expect(wrong).toEqual([]);
  });
});

/** A name may be a value of an option or stand behind `--`, but never be an option, nor be cut or run. */
function problemsOf(words: readonly string[]): string[] {
  const [program = ''] = words;
  if (program === 'STRANGE') return [`starts ${words[1] ?? ''}`];
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  return before.flatMap((text, index) => {
    const isWhole = text.includes(hostilePrefix) || text.includes(JSON.stringify(hostilePrefix).slice(1, -1));
    // Inside a JSONPath, which has no quotes, the name is reduced to letters.
    // The name of a file is reduced as well (fileOf), so that it is in the current directory and no option.
    const isFile = (before[index - 1] === '-f' || program === 'sed') && /^\w[\w.-]*\.yaml$/.test(text);
    if (text.includes('h4x') && !isWhole && !isFile && !/^jsonpath=\P{C}*$/u.test(text))
      return [`cuts the name ${JSON.stringify(text)}`];
    if (!text.startsWith(hostilePrefix)) return [];
    const previous = before[index - 1] ?? '';
    const isValue = /^(?:-[nlcofLpe]|--(?:namespace|selector|container|field-selector|node|from|type))$/.test(previous);
    return isValue ? [] : [`takes ${JSON.stringify(text)} for an option`];
  });
}
