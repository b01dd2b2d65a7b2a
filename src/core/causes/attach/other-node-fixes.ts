import type { Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { reaches } from '../../facts/volume/volume-reach.ts';
import { changePodFix, restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { volumeZoneText } from '../lib/driver-error/senses/missing.ts';

const zoneLabel = 'topology.kubernetes.io/zone';
const machineLabel = 'node.kubernetes.io/instance-type';

/** The value that the nodes have for it: Azure calls zone 1 of a region `westeurope-1`. */
function zoneOfVolume({ ask }: AttachTrouble, text: string): string | undefined {
  const said = volumeZoneText.exec(text)?.[1];
  if (said === undefined) return undefined;
  const zones = new Set(ask.seen('Node').map(({ metadata }) => metadata.labels?.[zoneLabel]));
  const fitting = [...zones].filter((zone) => zone === said || zone?.endsWith(`-${said}`) === true);
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** A volume whose place the scheduler does not know; an affinity can be added once to a volume that has none. */
export function zoneFix(trouble: AttachTrouble, text: string): Fix {
  const volume = volumeObjectOf(trouble);
  const pod = trouble.use?.p.pod;
  if (!volume || volume.spec?.nodeAffinity?.required || !pod)
    return steps(
      `Let the pod run on a node in the zone of the volume, which the words above name. The volume is then attached there.`,
      [],
    );
  const zone = zoneOfVolume(trouble, text);
  const value = zone ?? 'PLACEHOLDER_ZONE';
  const place =
    zone === undefined
      ? `PLACEHOLDER_ZONE is the zone of the volume as the label ${zoneLabel} of the nodes has it (first line).`
      : `Nodes in its zone have the label ${zoneLabel}=${zone}.`;
  return steps(
    `Tell the scheduler where the volume is, since pv/${volume.metadata.name} has no node affinity, and ` +
      `recreate the pod. ${place} The pod then runs there and keeps its data.`,
    [
      ...(zone === undefined ? [`kubectl get nodes -L ${zoneLabel}`] : []),
      patchCommand(volume, {
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: zoneLabel, operator: 'In', values: [value] }] }],
            },
          },
        },
      }),
      ...restartPodCommands(pod),
    ],
  );
}

function typeOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels?.[machineLabel];
}

/** Other machines that the volume can be used on. */
export function machineFix(trouble: AttachTrouble): Fix {
  const { ask, node, use } = trouble;
  const volume = volumeObjectOf(trouble);
  const own = typeOf(ask.graph.find('Node', undefined, node));
  const others = ask
    .seen('Node')
    .filter((other) => other.metadata.name !== node && (volume === undefined || reaches(volume, other)))
    .map(typeOf)
    .filter((type) => type !== undefined && type !== own);
  const [type] = others;
  const where =
    type === undefined
      ? `PLACEHOLDER_TYPE is a type that can use the disk; nodes of it have to be where the volume is`
      : `the volume can be used on nodes of type ${type}, unless its storage refuses that type too`;
  const text =
    `Let the pod run on another type of machine than ${own ?? `that of ${node}`}: ${where}. ` +
    'Or copy the data to a volume of a disk type that this machine can use';
  if (!use) return steps(`${text}.`, []);
  return changePodFix(
    use.p.pod,
    { nodeSelector: { [machineLabel]: type ?? 'PLACEHOLDER_TYPE' } },
    (place) => `${text}. The node selector is set ${place}.`,
  );
}
