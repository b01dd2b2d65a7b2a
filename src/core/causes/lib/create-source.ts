import { shellWord } from '../../kube/shell-word.ts';

/** Creates a Secret or ConfigMap whose content only a person knows. A file keeps it out of the shell's history. */
export function createSourceCommand(
  kind: 'Secret' | 'ConfigMap',
  namespace: string,
  name: string,
  key = 'PLACEHOLDER_KEY',
): string {
  const what = kind === 'Secret' ? 'secret generic' : 'configmap';
  return `kubectl -n ${shellWord(namespace)} create ${what} ${shellWord(name)} --from-file=${shellWord(key)}=PLACEHOLDER_FILE`;
}
