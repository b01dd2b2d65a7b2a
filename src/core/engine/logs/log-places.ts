import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { AnyObject } from '../../kube/kinds.ts';
import { ownerOfStage } from '../unexplained/owner-of-stage.ts';
import { sidecarOwner } from '../unexplained/sidecar-owner.ts';
import type { Verdict } from '../verdict.ts';
import { registrarLogs } from './registrar-log.ts';

/** Where the component logs that owns the stage of this verdict. */
export function logPlacesOf({ journey, stage }: Verdict, ask: Inquiry): readonly LogPlace[] {
  if (stage === undefined) return [];
  const object = journey.object?.object as AnyObject | undefined;
  // Once the content exists, the driver's sidecar has the next step; the snapshot controller only copies its state.
  if (object?.kind === 'VolumeSnapshot') {
    const { content, driver } = new SnapshotCase(ask, object);
    if (content && driver !== undefined)
      return sidecarOwner(ask, driver, 'snapshotter', () => ({ progress: [], evidence: [], names: [] })).logs();
  }
  const registrars = registrarLogs(journey, stage, ask);
  return registrars.length > 0 ? registrars : (ownerOfStage(journey, stage, ask)?.logs() ?? []);
}
