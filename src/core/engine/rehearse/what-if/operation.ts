import type { TargetRef } from '../../../kube/selection.ts';
import type { Manifest } from '../../../report/preflight.ts';
import type { ObjectRef } from '../../../report/report.ts';

/** Nodes by name, or all with a label. */
export type NodeChoice = { readonly name: string } | { readonly key: string; readonly value: string };

/** An operation that a person considers. `text` is what they wrote. */
export type Operation = { readonly text: string } & (
  | { readonly verb: 'drain' | 'lose'; readonly nodes: readonly NodeChoice[] }
  | { readonly verb: 'delete'; readonly targets: readonly TargetRef[] }
  | { readonly verb: 'scale'; readonly target: TargetRef; readonly replicas: number }
  | { readonly verb: 'apply'; readonly manifests: readonly Manifest[] }
  | { readonly verb: 'upgrade'; readonly version: { readonly major: number; readonly minor: number } }
);

/** An operation that cannot be rehearsed, because what it names does not exist. */
export interface Misnomer {
  readonly noun: string;
  readonly wanted: string;
  readonly near: readonly string[];
  readonly hint: string;
}

export function keyOfRef({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
