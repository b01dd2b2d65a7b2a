import { flagOf, sidecarOf } from '../../../facts/driver/driver-pods.ts';
import { field, fix, note, shellWord } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import type { ObjectOf, Pod } from '../../../kube/kinds.ts';
import { controllerOf, provisionerOf } from '../provisioner.ts';
import {
  dataSourceOf,
  isPopulated,
  lastRefusal,
  rulesOf,
  saidBy,
  snapshotGroup,
  sourceEvidence,
} from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';

const gate = 'CrossNamespaceVolumeDataSource';

/** external-provisioner dataSource() and the first lines of prepareProvision: may the reference be followed at all? */
function judgeReference(c: PresentClaim): Outcome | undefined {
  const source = dataSourceOf(c);
  if (!source) return undefined;
  if (source.path === 'spec.dataSourceRef' && c.claim.spec?.dataSourceRef?.namespace) {
    const refused = crossesNamespaces(c, source);
    if (refused) return refused;
  }
  return source.kind === 'VolumeSnapshot' && source.group !== snapshotGroup ? wrongGroup(c, source) : undefined;
}

function wrongGroup(c: PresentClaim, source: DataSource): Outcome {
  return {
    cause: 'datasource-apigroup-wrong',
    summary: `the claim names volumesnapshot/${source.name} in API group ${source.group || '""'}, and snapshots are in ${snapshotGroup}`,
    evidence: [
      field(c.claim, `${source.path}.apiGroup`),
      sourceEvidence(c, source),
      ...saidBy(c, lastRefusal(c, /does not belong to the right APIGroup/)),
    ],
    fix: [remakeFix(c, `with apiGroup ${snapshotGroup}`)],
  };
}

function crossesNamespaces(c: PresentClaim, source: DataSource): Outcome | undefined {
  const saidDisabled = lastRefusal(
    c,
    /dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled/,
  );
  const saidNoGrant = lastRefusal(c, /accessing \S+ of \S+ dataSource from \S+ isn't allowed/);
  // A populator follows the reference itself: it needs the grant, and nothing of the provisioner.
  const leader = isPopulated(source) ? undefined : provisionerPod(c);
  const isOn = isPopulated(source) || saidNoGrant ? true : saidDisabled ? false : leader && isGateOn(leader);
  if (isOn === false) {
    return {
      cause: 'datasource-crossns-disabled',
      confidence: leader && !isGateOn(leader) ? 'certain' : 'likely',
      summary: `the claim names a source in namespace ${source.namespace}, and the provisioner has the feature for that switched off`,
      evidence: [
        field(c.claim, 'spec.dataSourceRef.namespace'),
        ...(leader
          ? [
              note(
                leader,
                `${gate} is not among the --feature-gates of ${sidecarOf(leader.spec, 'provisioner')?.name ?? 'the provisioner'}`,
              ),
            ]
          : []),
        ...saidBy(c, saidDisabled),
      ],
      fix: [
        remakeFix(c, `from a copy of ${source.kind} ${source.name} in namespace ${c.namespace}`),
        fix(`or switch the alpha feature on in the provisioner (--feature-gates=${gate}=true), and in the API server`),
      ],
    };
  }
  return source.namespace === c.namespace ? undefined : withoutGrant(c, source, isOn === true, saidNoGrant);
}

function withoutGrant(
  c: PresentClaim,
  source: DataSource,
  isOn: boolean,
  said: ReturnType<typeof lastRefusal>,
): Outcome | undefined {
  const grants = c.ask.list(
    'ReferenceGrant',
    source.namespace,
    `whether namespace ${source.namespace} lets claims of ${c.namespace} use ${source.kind} ${source.name}`,
  );
  const isGranted = grants.items.some((grant) => grantsFrom(grant, c.namespace) && grantsTo(grant, source));
  if (isGranted || (!grants.complete && !said)) return undefined;
  const manifest = {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { name: `allow-${c.namespace}`.slice(0, 253), namespace: source.namespace },
    spec: {
      from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: c.namespace }],
      to: [{ group: source.group, kind: source.kind, name: source.name }],
    },
  };
  return {
    cause: 'datasource-crossns-no-grant',
    confidence: grants.complete && isOn ? 'certain' : 'likely',
    summary: `namespace ${source.namespace} has no ReferenceGrant that lets claims of namespace ${c.namespace} use ${source.kind} ${source.name}`,
    evidence: [
      sourceEvidence(c, source),
      ...grants.items.slice(0, 3).map((grant) => field(grant, 'spec')),
      ...saidBy(c, said),
    ],
    fix: [
      fix(
        'allow it, as one who may write in that namespace',
        `echo ${shellWord(JSON.stringify(manifest))} | kubectl apply -f -`,
      ),
      remakeFix(c, `from a source in namespace ${c.namespace}`),
    ],
  };
}

type Grant = ObjectOf<'ReferenceGrant'>;

function grantsFrom(grant: Grant, namespace: string): boolean {
  return (grant.spec?.from ?? []).some(
    (from) => (from.group ?? '') === '' && from.kind === 'PersistentVolumeClaim' && from.namespace === namespace,
  );
}

function grantsTo(grant: Grant, source: DataSource): boolean {
  return (grant.spec?.to ?? []).some(
    (to) => (to.group ?? '') === source.group && to.kind === source.kind && (!to.name || to.name === source.name),
  );
}

function provisionerPod(c: PresentClaim): Pod | undefined {
  const provisioner = provisionerOf(c);
  if (!provisioner?.isCsi) return undefined;
  const { leader, pods } = controllerOf(c, provisioner);
  const pod = leader ?? pods.items[0];
  return pod && sidecarOf(pod.spec, 'provisioner') ? pod : undefined;
}

function isGateOn(pod: Pod): boolean {
  return new RegExp(`\\b${gate}=true\\b`, 'i').test(flagOf(sidecarOf(pod.spec, 'provisioner'), 'feature-gates') ?? '');
}

export const referenceRules = rulesOf(
  ['datasource-crossns-disabled', 'datasource-crossns-no-grant', 'datasource-apigroup-wrong'],
  judgeReference,
);
