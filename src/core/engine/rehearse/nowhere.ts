import type { Objection } from '../../report/preflight.ts';
import { note, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameNodes } from '../../facts/pod/pod-placement.ts';
import type { NodeObstacle, Obstacle } from './placement.ts';

/** The cause to report, by what the user can most likely do something about. */
const causes: readonly (readonly [Obstacle, string])[] = [
  ['slots', 'sched-max-volume-count'],
  ['volume', 'wffc-no-provisioner-no-pv'],
  ['reach', 'sched-volume-node-affinity'],
  ['pod', 'wffc-pod-unschedulable-other'],
];

/** No node takes the pod, each for its own reason. */
export function nowhereObjection(p: PodCase, obstacles: readonly NodeObstacle[]): Objection {
  const cause =
    causes.find(([kind]) => obstacles.some(({ obstacle }) => obstacle === kind))?.[1] ?? 'wffc-pod-unschedulable-other';
  const byText = Map.groupBy(obstacles, ({ text }) => text);
  const reasons = [...byText].map(([text, members]) => `${nameNodes(members)}: ${text}`).join('; ');
  return {
    cause,
    stage: 'schedule',
    confidence: 'likely',
    summary: `No node can take pod/${p.pod.metadata.name} with its volumes (${reasons}).`,
    evidence: obstacles.slice(0, 6).map(({ node, text }) => note(node, text)),
    fix: [
      fix(
        'Make room on a node that can have the volumes, or change the placement of the pod so that it may run there.',
      ),
    ],
  };
}
