import { describe, expect, it } from 'vitest';
import { commandInContext, filesWritten, sentenceInContext } from '../../../src/core/kube/command-context.ts';
import { commandsOf } from '../../../src/core/report/fix-commands.ts';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import { readShellLines } from '../../../src/core/engine/fixes/shell-line.ts';
import { readKubectl } from '../../../src/core/engine/fixes/kubectl-line.ts';
import { unparsable } from '../../kit/fix-checks.ts';
import { loadScenarios } from '../../kit/scenario.ts';

const place = (files: readonly string[] = [], context = 'prod') => ({
  context,
  filePrefix: 'prod.',
  files: new Set(files),
});

describe('a command for one of several clusters', () => {
  it.each([
    ['one command', 'kubectl -n shop get pvc data', 'kubectl --context prod -n shop get pvc data'],
    [
      'every program of a pipe',
      'printf \'%s\' \'{"kind":"Pod"}\' | kubectl apply -f - && kubectl get pods | grep kubectl',
      'printf \'%s\' \'{"kind":"Pod"}\' | kubectl --context prod apply -f - && kubectl --context prod get pods | grep kubectl',
    ],
    [
      'commands on several lines',
      'kubectl get pv\nkubectl get sc; kubectl get pvc',
      'kubectl --context prod get pv\nkubectl --context prod get sc; kubectl --context prod get pvc',
    ],
    [
      'a here-document, whose lines are data',
      "kubectl apply -f - <<'EOF'\nkubectl delete pvc data | kubectl\nEOF\nkubectl get pvc",
      "kubectl --context prod apply -f - <<'EOF'\nkubectl delete pvc data | kubectl\nEOF\nkubectl --context prod get pvc",
    ],
    [
      'substitutions, also inside double quotes',
      'kubectl delete pod $(kubectl get pod -o name) --now="$(kubectl get ns)"',
      'kubectl --context prod delete pod $(kubectl --context prod get pod -o name) --now="$(kubectl --context prod get ns)"',
    ],
    ['backquotes', 'echo `kubectl get pv`', 'echo `kubectl --context prod get pv`'],
    [
      'what xargs and sudo start',
      'kubectl get pv -o name | xargs -n 1 kubectl delete',
      'kubectl --context prod get pv -o name | xargs -n 1 kubectl --context prod delete',
    ],
    [
      'a loop',
      'for pv in a b; do kubectl delete pv $pv; done',
      'for pv in a b; do kubectl --context prod delete pv $pv; done',
    ],
    ['a plugin, whose flags follow its name', 'kubectl linstor node list', 'kubectl linstor --context prod node list'],
    ['this program', 'kubectl csi why pvc/data -n shop', 'kubectl csi why --context prod pvc/data -n shop'],
    ['helm', 'helm upgrade --install a b', 'helm --kube-context prod upgrade --install a b'],
    [
      'words behind two dashes',
      'kubectl debug node/a -- chroot /host sh -c "kubectl x; ls"',
      'kubectl --context prod debug node/a -- chroot /host sh -c "kubectl x; ls"',
    ],
    ['redirections', 'kubectl get pv 2>/dev/null >&2', 'kubectl --context prod get pv 2>/dev/null >&2'],
  ])('reaches it from %s', (_what, command, expected) => {
    expect(commandInContext(command, place())).toBe(expected);
  });

  it.each([
    ['explains a cause', 'kubectl csi explain sc-missing'],
    ['runs on a node', "ssh node-a 'kubectl get pods; systemctl restart kubelet'"],
    ['names its cluster already', 'kubectl --context other get pv'],
    ['only quotes kubectl', "grep 'kubectl get' kubectl.txt"],
  ])('stays as it is where it %s', (_what, command) => {
    expect(commandInContext(command, place())).toBe(command);
  });

  it('quotes a name that a shell would read otherwise, and never lets one become a flag', () => {
    const inContext = (name: string): string => commandInContext('kubectl get pv', place([], name));
    expect(inContext('kubernetes-admin@kubernetes')).toBe('kubectl --context kubernetes-admin@kubernetes get pv');
    expect(inContext('arn:aws:eks:eu-west-1:1234:cluster/prod')).toContain(
      '--context arn:aws:eks:eu-west-1:1234:cluster/prod ',
    );
    expect(inContext('a b; rm -rf $HOME')).toBe("kubectl --context 'a b; rm -rf $HOME' get pv");
    expect(inContext('--all')).toBe("kubectl --context='--all' get pv");
  });

  it('keeps the files of one cluster from those of another', () => {
    const commands = [
      'kubectl -n shop get pvc data -o yaml > data.pvc.yaml',
      'kubectl -n shop delete pvc data',
      "kubectl patch --local -f data.pvc.yaml --type=merge -p '{}' -o yaml | kubectl create -f -",
      "sed 's#a#b#g' data.pvc.yaml | kubectl apply -f -",
      'kubectl create --filename=data.pvc.yaml 2>/dev/null',
    ];
    const files = filesWritten(commands);
    expect([...files]).toEqual(['data.pvc.yaml']);
    expect(commands.map((command) => commandInContext(command, place([...files])))).toEqual([
      'kubectl --context prod -n shop get pvc data -o yaml > prod.data.pvc.yaml',
      'kubectl --context prod -n shop delete pvc data',
      "kubectl --context prod patch --local -f prod.data.pvc.yaml --type=merge -p '{}' -o yaml | kubectl --context prod create -f -",
      "sed 's#a#b#g' prod.data.pvc.yaml | kubectl --context prod apply -f -",
      'kubectl --context prod create --filename=prod.data.pvc.yaml 2>/dev/null',
    ]);
    expect(
      sentenceInContext('Edit data.pvc.yaml, which kubectl get pv shows (kubectl csi explain x).', place([...files])),
    ).toBe('Edit prod.data.pvc.yaml, which kubectl --context prod get pv shows (kubectl csi explain x).');
  });
});

describe('every printed fix', () => {
  const commands = [
    ...new Set(
      loadScenarios().flatMap(({ snapshot, target }) =>
        diagnose(snapshot, { targets: [target] }).report.items.flatMap(({ findings }) =>
          findings.flatMap(({ fix }) => fix.flatMap(commandsOf)),
        ),
      ),
    ),
  ];
  const chosen = place([...filesWritten(commands)], 'prod-1');
  const placed = commands.map((command) => commandInContext(command, chosen));

  it('acts on the named cluster with each kubectl and helm that it starts', () => {
    const wrong = placed.filter((command) =>
      (readShellLines(command) ?? []).flat().some(({ words }) => {
        const call = readKubectl(words);
        if (words[0] === 'helm') return words[2] !== 'prod-1';
        return call !== undefined && call.flags.get('context')?.join() !== 'prod-1';
      }),
    );
    expect(wrong.filter((command) => !command.startsWith('kubectl csi explain'))).toEqual([]);
  });

  it('differs in nothing else, and is still a command', () => {
    expect(unparsable(placed)).toEqual([]);
    const restored = placed.map((command) =>
      command.replaceAll(/ --(?:kube-)?context prod-1/g, '').replaceAll(/(?<=[ =])prod\./g, ''),
    );
    expect(restored).toEqual(commands);
  });

  it('never writes a file under a name that a fix for another cluster writes', () => {
    for (const command of placed) for (const file of filesWritten([command])) expect(file).toMatch(/^prod\./);
  });
});
