import { inNamespace, shellWord } from '../../facts/evidence.ts';

export function deleteClaimCommand({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`;
}
