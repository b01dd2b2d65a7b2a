import { eventSaid, fix, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The node authorizer lets a kubelet read only objects that a pod on its node refers to, and answers "forbidden" for any
 * other, existing or not (plugin/pkg/auth/authorizer/node).
 */
export const mountVaForbidden = podRule({
  cause: 'mount-va-forbidden',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'forbidden');
    if (!failure) return undefined;
    const target = readTarget(failure);
    return {
      confidence: 'likely',
      summary: `the kubelet on ${nodeOf(p)} may not read ${nouns[target.resource] ?? target.resource} ${target.name} for ${volumeWords(toldVolume(p, failure), failure)} of ${podWords(p)}: ${describeReason(target)}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: adviceFor(target),
    };
  },
});

/** The object that the kubelet asked for, as its message names it. */
interface ForbiddenTarget {
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

const nouns: Readonly<Record<string, string>> = {
  volumeattachments: 'VolumeAttachment',
  secrets: 'secret',
  configmaps: 'config map',
  persistentvolumeclaims: 'claim',
  persistentvolumes: 'volume',
};

function readTarget({ text }: MountFailure): ForbiddenTarget {
  const [, resource = 'object', name = ''] =
    /(volumeattachments|secrets|configmaps|persistentvolumeclaims|persistentvolumes)(?:\.[\w.]+)? "([^"]+)" is forbidden/.exec(
      text,
    ) ?? [];
  return { resource, name, namespace: /in the namespace "([^"]+)"/.exec(text)?.[1] };
}

function describeReason({ resource, namespace }: ForbiddenTarget): string {
  if (resource === 'volumeattachments') return 'there is no attachment of that name for this node';
  const where =
    namespace === undefined ? '' : `: a volume that names a secret without its namespace is looked up in ${namespace}`;
  return `nothing on the node refers to it, so far as the API server knows${where}`;
}

function adviceFor({ resource, name, namespace }: ForbiddenTarget): Fix[] {
  const check =
    resource === 'volumeattachments'
      ? fix('see whether the volume is attached to this node at all', `kubectl get volumeattachment ${shellWord(name)}`)
      : fix(
          'check that the object exists where the volume says, and that the volume names its namespace',
          `kubectl ${namespace === undefined ? '' : `-n ${shellWord(namespace)} `}get ${resource} ${shellWord(name)}`,
        );
  return [
    check,
    fix(
      'if all of it is right, make the pod again: the API server then draws the tie between node and object anew',
      undefined,
      'disruptive',
    ),
  ];
}
