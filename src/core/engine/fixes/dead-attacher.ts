import { attacherHealth, deadText } from '../../causes/attach/attacher-health.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import type { FixOutcome } from '../../report/report.ts';
import { listOf, member } from '../rehearse/templates.ts';
import type { World } from '../rehearse/world.ts';

/**
 * Attachments are not imagined, so no rule objects to one that is yet to be created: a pod that is about to start still
 * waits where the attacher of one of its volumes is known not to run.
 */
export function deadAttacherOf(world: World, pods: readonly RawObject[]): FixOutcome | undefined {
  const ask = world.inquire();
  const drivers = new Set(pods.flatMap((pod) => driversToAttach(world, pod)));
  for (const driver of drivers) {
    const health = attacherHealth(ask, driver);
    if (health.state === 'dead' && isAttachRequired(ask, driver))
      return { status: 'blocked', cause: 'attach-attacher-not-running', summary: deadText(driver, health) };
  }
  return undefined;
}

function isAttachRequired(ask: Inquiry, driver: string): boolean {
  return ask.graph.find('CSIDriver', undefined, driver)?.spec?.attachRequired !== false;
}

function driversToAttach(world: World, pod: RawObject): string[] {
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume) => {
    const claimName = member(volume, 'persistentVolumeClaim', 'claimName');
    const claim =
      typeof claimName === 'string' ? world.get('PersistentVolumeClaim', pod.metadata.namespace, claimName) : undefined;
    const name = member(claim, 'spec', 'volumeName');
    const bound = typeof name === 'string' ? world.get('PersistentVolume', undefined, name) : undefined;
    const driver = member(bound, 'spec', 'csi', 'driver');
    return typeof driver === 'string' && !isAttached(world, pod, name) ? [driver] : [];
  });
}

function isAttached(world: World, pod: RawObject, volumeName: unknown): boolean {
  return world
    .ofKind('VolumeAttachment')
    .some(
      (attachment) =>
        member(attachment, 'spec', 'source', 'persistentVolumeName') === volumeName &&
        member(attachment, 'spec', 'nodeName') === member(pod, 'spec', 'nodeName') &&
        member(attachment, 'status', 'attached') === true,
    );
}
