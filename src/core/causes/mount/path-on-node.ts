import { eventSaid, field, fix } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import type { Evidence } from '../../report/report.ts';
import { mountFailure } from './waiting-volumes.ts';
import type { MountFailure } from './waiting-volumes.ts';

/*
 * What lies on the node's own disk nobody can see through the API: only the kubelet tells.
 */

const missing =
  /(?:MountVolume|MapVolume)\.(?:NewMounter initialization|NewMapper initialization|SetUp|MountDevice|SetUpDevice|MapBlockVolume|EvalHostSymlinks)[^]*?failed[^]*?(?:path ["']?([^"'\s]+)["']? does not exist|(only directory and block device are supported)|(invalid path)|lstat (\S+): no such file or directory)/;

function evidenceOf(
  { volume, event }: MountFailure,
  pod: Parameters<typeof eventSaid>[0],
  key: 'local' | 'hostPath',
): [Evidence, ...Evidence[]] {
  const path = (
    volume?.source as
      { readonly local?: { readonly path?: string }; readonly hostPath?: { readonly path?: string } } | undefined
  )?.[key]?.path;
  return [
    eventSaid(pod, event),
    ...(volume && path !== undefined ? [field(volume.owner, `${volume.path}.${key}.path`, path)] : []),
  ];
}

export const localPathMissing = podRule({
  cause: 'local-path-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = mountFailure(p, missing);
    const source = failure?.volume?.source;
    const local = source && 'local' in source ? source.local : undefined;
    // Drivers speak of missing paths too; this is about a directory of the node itself. The check of a hostPath's type says more.
    if (
      !failure ||
      (failure.volume !== undefined && !local && !source?.hostPath) ||
      /rpc error/.test(failure.match.input) ||
      typeCheck.test(failure.match.input)
    )
      return undefined;
    const node = p.pod.spec?.nodeName ?? '';
    const path = failure.match[1] ?? failure.match[4] ?? local?.path ?? source?.hostPath?.path ?? 'its path';
    const isWrongKind = failure.match[2] !== undefined;
    return {
      confidence: 'likely',
      summary: `${path}, which ${failure.volume?.label ?? `a volume of pod/${p.pod.metadata.name}`} stands for, ${isWrongKind ? 'is neither a directory nor a block device' : failure.match[3] ? 'is not a path that may be used' : 'does not exist'} on ${node}`,
      evidence: evidenceOf(failure, p.pod, local ? 'local' : 'hostPath'),
      fix: [
        fix(
          `on ${node}: mount the disk there, or make the directory if it is no more than that; an empty directory in place of a disk that is not mounted would take the data of the pod`,
          `kubectl debug node/${node} -it --image=busybox -- ls -la /host${path.startsWith('/') ? path : ''}`,
        ),
        fix(
          'if the volume belongs to another node, correct its nodeAffinity: the volume has to be made again for that',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});

const typeCheck = /hostPath type check failed[:,] (\S+) is not (?:an? )?(.+?)(?:, unable to determine|$|\n)/m;

/** pkg/volume/hostpath checkType: a type in the pod is a test, except for the two that create. */
export const hostpathTypeCheck = podRule({
  cause: 'hostpath-type-check',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = mountFailure(p, typeCheck);
    if (!failure) return undefined;
    const { volume, match } = failure;
    const type = volume?.source.hostPath?.type;
    return {
      confidence: 'likely',
      summary: `${match[1] ?? 'the path'} on ${p.pod.spec?.nodeName ?? ''} is not ${article(match[2] ?? 'what the volume asks for')}, as ${volume?.label ?? 'a volume'} of pod/${p.pod.metadata.name} demands`,
      evidence: [
        ...evidenceOf(failure, p.pod, 'hostPath'),
        ...(volume && type !== undefined ? [field(volume.owner, `${volume.path}.hostPath.type`, type)] : []),
      ] as [Evidence, ...Evidence[]],
      fix: [
        fix(
          'put what the pod expects at that path on the node, or correct path or type of the hostPath volume (DirectoryOrCreate and FileOrCreate make it themselves)',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});

function article(text: string): string {
  return /^(a|an|the) /.test(text) ? text : `a ${text.trim()}`;
}
