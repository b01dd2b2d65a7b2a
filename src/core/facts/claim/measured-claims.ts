import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { hasMountedVolumes, isTerminated } from '../pod/pod-state.ts';
import { volumeModeOf } from '../volume/volume-match.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { VolumeUsage } from '../../kube/volume-usage.ts';

/** The claims whose usage matters: those with a figure, and those that a running pod mounts without one. */
export interface MeasuredClaims {
  readonly measured: readonly { readonly claim: Claim; readonly usage: VolumeUsage }[];
  /** NAMESPACE/NAME. */
  readonly unmeasured: readonly string[];
}

/** Undefined if usage was not requested. A volume without a file system has no usage. */
export function measuredClaims(ask: Inquiry, namespace: string | undefined): MeasuredClaims | undefined {
  if (ask.graph.snapshot.usage === undefined) return undefined;
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which volumes may be full').items;
  const pods = ask.list('Pod', namespace, 'which volumes are mounted').items;
  const mounted = new Set(
    pods
      .filter((pod) => hasMountedVolumes(pod) && !isTerminated(pod))
      .flatMap((pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ''}/${name}`)),
  );
  const measured: { readonly claim: Claim; readonly usage: VolumeUsage }[] = [];
  const unmeasured: string[] = [];
  for (const claim of claims) {
    const { namespace: place = '', name } = claim.metadata;
    const usage = ask.graph.usageOf(place, name);
    if (usage) measured.push({ claim, usage });
    else if (mounted.has(`${place}/${name}`) && volumeModeOf(claim) !== 'Block') unmeasured.push(`${place}/${name}`);
  }
  return { measured, unmeasured };
}
