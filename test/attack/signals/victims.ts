import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, Victim } from './run-case.ts';

const simple = (words: string, waits = false, rest: Partial<Victim> = {}): Victim => ({
  name: words,
  words: () => words.split(' '),
  waits,
  ...rest,
});

/** A kubeconfig whose credential plugin waits for a login that never happens. */
function kubeconfigWithPlugin({ directory, kubeconfig }: Place): string {
  const path = join(directory, 'kubeconfig');
  const [, server = ''] = /server: (\S+)/.exec(spawnSync('cat', [kubeconfig], { encoding: 'utf8' }).stdout) ?? [];
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: server.replaceAll(/["']/g, '').replace('http:', 'https:') } }],
      users: [
        {
          name: 'u',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: 'sleep',
              args: ['300'],
              interactiveMode: 'Never',
            },
          },
        },
      ],
    }),
  );
  return path;
}

export const victims: readonly Victim[] = [
  simple('why-pending -A'),
  simple('why-pending -A -w', true),
  simple('why -A -o json'),
  simple('status -w', true),
  simple('get pvc -A -w', true),
  {
    name: 'capture -A -o FILE',
    words: ({ directory }) => ['capture', '-A', '-o', join(directory, 'capture.json')],
    waits: false,
    mayLeave: /^capture\.json$/,
  },
  simple('capture -A -o -'),
  simple('wait pvc/build-cache -n ci --for=deleted --timeout=300s', true),
  simple('check --wait 300s'),
  { name: 'probe SOCKETS', words: ({ sockets }) => ['probe', sockets, '--timeout', '3s'], waits: false },
  { name: 'probe SOCKETS -w', words: ({ sockets }) => ['probe', sockets, '--timeout', '1s', '-w'], waits: true },
  simple('demo', true),
  simple('demo --once'),
  simple('why-pending -A with a plugin', true, {
    words: () => ['why-pending', '-A'],
    isSilent: true,
    kubeconfig: kubeconfigWithPlugin,
  }),
];

export const screens: readonly Victim[] = [
  simple('tui', true, { terminal: true }),
  simple('demo --tui', true, { terminal: true }),
];

/** Why there is no terminal to run the screens in; undefined if there is one. */
export function whyNoTerminal(): string | undefined {
  return spawnSync('script', ['--version']).error === undefined
    ? undefined
    : 'the program script, which gives a terminal, is not installed';
}
