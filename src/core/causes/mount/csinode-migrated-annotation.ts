import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { migratedAnnotation } from '../../facts/volume/migrated-volume.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { Volume } from '../../kube/kinds.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { inTreeOfDriver } from '../provision/in-tree.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { findCsiNodeOfPod } from './csinode.ts';
import type { NodeWithCsiNode } from './csinode.ts';

const cause = 'csinode-migrated-annotation';
const severity = 'warning';

/**
 * Each kubelet lists the in-tree plugins that it hands to CSI, and the scheduler and the attach controller rely on it
 * (csi-translation-lib, nodeinfomanager).
 */
function explainUntranslated(p: PodCase): Explanation | undefined {
  const found = findCsiNodeOfPod(p);
  const untranslated = found && findUntranslatedVolume(p, found);
  if (!untranslated) return undefined;
  const { csiNode, node } = found;
  const { plugin, volume } = untranslated;
  return {
    about: `${plugin}/${node.metadata.name}`,
    summary:
      `The kubelet of ${node.metadata.name} does not hand ${plugin} to CSI, so the limits and topology of ` +
      `pv/${volume.metadata.name} are not translated there.`,
    evidence: [
      field(csiNode, `metadata.annotations[${migratedAnnotation}]`, csiNode.metadata.annotations?.[migratedAnnotation]),
      field(node, 'status.nodeInfo.kubeletVersion'),
    ],
    fix: [
      steps(
        `Upgrade the kubelet of ${node.metadata.name} ` +
          `(${node.status?.nodeInfo?.kubeletVersion ?? 'unknown version'}) to the version of the control plane.`,
        [],
        'disruptive',
      ),
    ],
  };
}

interface UntranslatedVolume {
  readonly volume: Volume;
  readonly plugin: string;
}

function findUntranslatedVolume(p: PodCase, { csiNode, node }: NodeWithCsiNode): UntranslatedVolume | undefined {
  const listed = csiNode.metadata.annotations?.[migratedAnnotation];
  const version = parseServerVersion(node.status?.nodeInfo?.kubeletVersion);
  // Kubelets write the annotation since 1.17 (CSIMigration beta); unless this one is older, a missing annotation proves
  // nothing.
  if (listed === undefined && atLeast(version, 1, 17) !== false) return undefined;
  // Before 1.17 the control plane hands nothing over either.
  if (atLeast(parseServerVersion(p.ask.graph.snapshot.serverVersion), 1, 17) === false) return undefined;
  for (const claim of p.claims) {
    const volume = claim.volume?.state === 'found' ? claim.volume.object : undefined;
    const driver = volume && !volume.spec?.csi ? servingDriver(volume) : undefined;
    const plugin = driver && inTreeOfDriver(driver);
    if (volume && plugin && !(listed ?? '').split(',').includes(plugin)) return { volume, plugin };
  }
  return undefined;
}

export const csinodeMigratedAnnotation = {
  atMount: [podRule({ cause, stage: 'mount', severity, explain: explainUntranslated })],
  atAttach: [podRule({ cause, stage: 'attach', severity, explain: explainUntranslated })],
};
