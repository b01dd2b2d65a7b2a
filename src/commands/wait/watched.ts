import type { Watched } from '../../cli/question.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { WaitableKind } from '../../core/report/wait.ts';
import type { WaitSubject } from './plan.ts';

/**
 * Claims and pods show each other's progress. Any other kind is watched alone, and the rest is read again now and then.
 */
const watchedKinds: Readonly<Partial<Record<WaitableKind, readonly Kind[]>>> = {
  PersistentVolumeClaim: ['PersistentVolumeClaim', 'Pod'],
  Pod: ['Pod', 'PersistentVolumeClaim'],
};

/** What to watch while waiting for the subject. */
export function watchedOf(subject: WaitSubject, namespace: string | undefined): Watched {
  const targets = subject.type === 'named' ? subject.targets : [subject];
  const kinds = new Set<Kind>(
    targets.flatMap(({ kind, goal }) => [
      ...(watchedKinds[kind] ?? [kind]),
      ...(goal === 'attached' ? (['VolumeAttachment'] as const) : []),
    ]),
  );
  const names = [...kinds].flatMap((kind) => {
    const name = onlyName(subject, kind);
    return name === undefined ? [] : [[kind, name] as const];
  });
  return { kinds: [...kinds], namespace, names: Object.fromEntries(names) };
}

/** A cluster may have thousands of volumes or attachments: if one alone is waited for, only that one is watched. */
function onlyName(subject: WaitSubject, kind: Kind): string | undefined {
  const named = subject.type === 'named' ? subject.targets.filter((target) => target.kind === kind) : [];
  const [only] = named;
  return only !== undefined && named.length === 1 && watchedKinds[only.kind] === undefined ? only.name : undefined;
}
