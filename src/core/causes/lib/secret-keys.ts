import { shellWord } from '../../kube/shell-word.ts';

/** The keys of the Secret with which a driver logs in to its storage, as its own documentation names them. */
const knownKeys: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:file|blob)\.csi\.azure\.com$/, ['azurestorageaccountname', 'azurestorageaccountkey']],
  [/^smb\.csi\.k8s\.io$/, ['username', 'password']],
  [/(?:^|\.)cephfs\.csi\.ceph\.com$/, ['adminID', 'adminKey']],
  [/(?:^|\.)rbd\.csi\.ceph\.com$/, ['userID', 'userKey']],
];

/** What to write about the content of a Secret, and the command that creates it. */
interface SecretContent {
  /** `the keys that …`, in the middle of a sentence. */
  readonly words: string;
  readonly command: string;
}

/** A file keeps the content out of the shell's history. */
export function secretContent(driver: string | undefined, namespace: string, name: string): SecretContent {
  const create = `kubectl -n ${shellWord(namespace)} create secret generic ${shellWord(name)}`;
  const keys = knownKeys.find(([pattern]) => driver !== undefined && pattern.test(driver))?.[1];
  if (!keys)
    return {
      words: `the keys that the driver's documentation asks for. PLACEHOLDER_KEY and PLACEHOLDER_FILE: a key and the file with its content`,
      command: `${create} --from-file=PLACEHOLDER_KEY=PLACEHOLDER_FILE`,
    };
  const files = keys.map((_, index) => `PLACEHOLDER_FILE_${index + 1}`);
  return {
    words: `the keys that ${driver ?? 'the driver'} reads: ${keys.join(' and ')}. ${files.join(' and ')}: files with their content, without a line end`,
    command: `${create} ${keys.map((key, index) => `--from-file=${key}=${files[index] ?? ''}`).join(' ')}`,
  };
}
