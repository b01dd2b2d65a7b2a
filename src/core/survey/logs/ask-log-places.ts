import { rulesOfStage } from '../../causes/index.ts';
import { diagnose } from '../../engine/diagnose.ts';
import { journeysOf } from '../../engine/journeys.ts';
import { ownerOfStage } from '../../engine/unexplained/owner-of-stage.ts';
import { sidecarOwner } from '../../engine/unexplained/sidecar-owner.ts';
import type { StageOwner } from '../../engine/unexplained/owner.ts';
import { judgeJourney } from '../../engine/verdict.ts';
import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { needsOf } from '../../graph/unread.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { LogPlace } from '../../report/component-log.ts';

interface LogPlaces {
  readonly owner?: string;
  readonly places: readonly LogPlace[];
  /** Why there is no place, in full sentences. */
  readonly reason?: string;
  readonly needs: readonly Need[];
}

/** Where the component logs that has to take the next step of an object. */
export function askLogPlaces(snapshot: Snapshot, target: TargetRef): LogPlaces {
  const ask = new Inquiry(graphOf(snapshot));
  const { owner, reason: unowned, needs } = findOwner(snapshot, ask, target);
  if (owner === undefined) return { places: [], ...(unowned !== undefined && { reason: unowned }), needs };
  const places = owner.logs();
  const open = [...needs, ...needsOf(ask.unanswered)];
  if (places.length > 0) return { owner: owner.name, places, needs: open };
  const none = `No pod of ${owner.name} was found.`;
  const reason = [none, owner.elsewhere].filter((sentence) => sentence !== undefined).join(' ');
  return { owner: owner.name, places, reason, needs: open };
}

interface Found {
  readonly owner?: StageOwner | undefined;
  readonly reason?: string;
  readonly needs: readonly Need[];
}

function findOwner(snapshot: Snapshot, ask: Inquiry, target: TargetRef): Found {
  const { kind, name } = target;
  if (kind === 'CSIDriver') return { owner: ownerOfDriver(ask, name), needs: [] };
  const { report, needs } = diagnose(snapshot, { targets: [target] });
  const [item] = report.items;
  if (item?.stage === undefined)
    return {
      reason: `${shortNameOf(kind)}/${name} is not stuck, so no component has to act on it. Select a driver to read its log.`,
      needs,
    };
  const { stage, status } = item;
  const journey = journeysOf(ask, target).find((one) => {
    const verdict = judgeJourney(one, rulesOfStage, ask);
    return verdict.stage === stage && verdict.status === status;
  });
  const owner = journey && ownerOfStage(journey, stage, ask);
  return owner ? { owner, needs } : { reason: `Which component owns the stage "${stage}" is not known.`, needs };
}

/** The controller of a driver: its provisioner leads it as a rule. */
function ownerOfDriver(ask: Inquiry, driver: string): StageOwner {
  const owners = (['provisioner', 'attacher', 'resizer', 'snapshotter'] as const).map((role) =>
    sidecarOwner(ask, driver, role, () => ({ progress: [], evidence: [], names: [] })),
  );
  const [first] = owners;
  return owners.find((owner) => owner.logs().length > 0) ?? (first as StageOwner);
}
