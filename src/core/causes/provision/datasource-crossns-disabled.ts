import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import { field, note } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import type { DataSource } from './data-source.ts';
import { grantManifest } from './datasource-crossns-no-grant.ts';
import { addFlag } from './sidecar-flag.ts';
import { adoptCommands } from '../lib/snapshot-content.ts';
import { controllerOf, provisionerOf } from './provisioner.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { crossNamespaceGate as gate, isGateOn, isGranted, referenceFailureOf } from './source-reference.ts';

/** external-provisioner dataSource(): a source in another namespace needs an alpha feature gate of the provisioner. */
export const datasourceCrossnsDisabled = claimRule({
  cause: 'datasource-crossns-disabled',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = referenceFailureOf(c);
    if (failure?.check !== 'disabled') return undefined;
    const { source, pod, said } = failure;
    return {
      confidence: pod && !isGateOn(pod) ? 'certain' : 'likely',
      summary: `${claimText(c)} names a source in namespace ${source.namespace}, and feature gate ${gate} of the provisioner is off.`,
      evidence: [
        field(c.claim, 'spec.dataSourceRef.namespace'),
        ...(pod ? [gateEvidence(pod)] : []),
        ...saidOnClaim(c, said),
      ],
      fix: advise(c, source),
    };
  },
});

function gateEvidence(pod: Pod): Evidence {
  const container = sidecarOf(pod.spec, 'provisioner')?.name ?? 'the provisioner';
  return note(pod, `${gate} is not among the --feature-gates of ${container}`);
}

/** A snapshot can be brought into the namespace; a claim cannot, so there only the feature helps. */
function advise(c: PresentClaim, source: DataSource): Fix[] {
  return [...bringSnapshot(c, source), switchOn(c, source)];
}

function bringSnapshot(c: PresentClaim, source: DataSource): Fix[] {
  const snapshot = c.ask
    .seen('VolumeSnapshot')
    .find(({ metadata }) => metadata.name === source.name && metadata.namespace === source.namespace);
  const content = c.ask
    .seen('VolumeSnapshotContent')
    .find(({ metadata }) => metadata.name === snapshot?.status?.boundVolumeSnapshotContentName);
  const commands = source.kind === 'VolumeSnapshot' && content ? adoptCommands(content, c.namespace, source.name) : [];
  if (commands.length === 0) return [];
  const recreated = recreateClaim(c, 'without the namespace', sourceChange(c, { namespace: null }));
  return [
    steps(
      `Bring the snapshot into namespace ${c.namespace}: create a VolumeSnapshot "${source.name}" there for ` +
        'the same data (policy Retain), and recreate the claim from it. ' +
        'The claim was never bound and holds no data.',
      [...commands, ...(recreated.commands ?? [])],
    ),
  ];
}

function switchOn(c: PresentClaim, source: DataSource): Fix {
  const isAllowed = isGranted(c, source);
  const grant = isAllowed
    ? ''
    : ` Namespace ${source.namespace} also needs a ReferenceGrant for claims of namespace ${c.namespace}.`;
  const provisioner = provisionerOf(c);
  const command = provisioner && addFlag(controllerOf(c, provisioner), 'provisioner', 'feature-gates', `${gate}=true`);
  return steps(
    `Set --feature-gates=${gate}=true on the provisioner (alpha).${grant} The claim then continues automatically.`,
    [...(command === undefined ? [] : [command]), ...(isAllowed ? [] : [applyCommand(grantManifest(c, source))])],
    'disruptive',
  );
}
