import type { ObjectOf, Pod } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { dataSourceOf, isPopulated, lastRefusal, snapshotGroup } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { controllerOf, provisionerOf } from './provisioner.ts';
import { crossNamespaceOffText, noGrantText } from '../lib/driver-error/sentences/provisioner.ts';

type ReferenceGrant = ObjectOf<'ReferenceGrant'>;

export const crossNamespaceGate = 'CrossNamespaceVolumeDataSource';

/** The check that the reference to the source fails, before the source itself is read. */
export type ReferenceFailure =
  | {
      readonly check: 'disabled';
      readonly source: DataSource;
      /** A pod of the provisioner without the feature gate. */
      readonly pod: Pod | undefined;
      readonly said: EventMatch | undefined;
    }
  | {
      readonly check: 'noGrant';
      readonly source: DataSource;
      readonly grants: Listing<ReferenceGrant>;
      /** Whether the provisioner is known to follow references to other namespaces. */
      readonly isFollowed: boolean;
      readonly said: EventMatch | undefined;
    }
  | { readonly check: 'group'; readonly source: DataSource };

/** Found once for each claim, since every rule of the family asks. */
export function referenceFailureOf(c: PresentClaim): ReferenceFailure | undefined {
  return c.once(findFailure);
}

/** external-provisioner dataSource() and the first lines of prepareProvision: may the reference be followed at all? */
function findFailure(c: ClaimCase): ReferenceFailure | undefined {
  const source = dataSourceOf(c);
  if (!source || !isPresent(c)) return undefined;
  if (source.path === 'spec.dataSourceRef' && c.claim.spec?.dataSourceRef?.namespace) {
    const refused = checkNamespace(c, source);
    if (refused) return refused;
  }
  return source.kind === 'VolumeSnapshot' && source.group !== snapshotGroup ? { check: 'group', source } : undefined;
}

function checkNamespace(c: PresentClaim, source: DataSource): ReferenceFailure | undefined {
  const saidDisabled = lastRefusal(c, crossNamespaceOffText);
  const saidNoGrant = lastRefusal(c, noGrantText);
  // A populator follows the reference itself: it needs the grant, and no feature of the provisioner.
  const pod = isPopulated(source) ? undefined : provisionerPod(c);
  const isFollowed = isReferenceFollowed(source, pod, saidDisabled, saidNoGrant);
  if (isFollowed === false) return { check: 'disabled', source, pod, said: saidDisabled };
  return source.namespace === c.namespace ? undefined : checkGrant(c, source, isFollowed === true, saidNoGrant);
}

/** Undefined if neither an event nor the flags of the provisioner show it. */
function isReferenceFollowed(
  source: DataSource,
  pod: Pod | undefined,
  saidDisabled: EventMatch | undefined,
  saidNoGrant: EventMatch | undefined,
): boolean | undefined {
  if (isPopulated(source) || saidNoGrant) return true;
  if (saidDisabled) return false;
  return pod && isGateOn(pod);
}

function provisionerPod(c: PresentClaim): Pod | undefined {
  const provisioner = provisionerOf(c);
  if (!provisioner?.isCsi) return undefined;
  const { leader, pods } = controllerOf(c, provisioner);
  const pod = leader ?? pods.items[0];
  return pod && sidecarOf(pod.spec, 'provisioner') ? pod : undefined;
}

export function isGateOn(pod: Pod): boolean {
  const gates = flagOf(sidecarOf(pod.spec, 'provisioner'), 'feature-gates') ?? '';
  return new RegExp(`\\b${crossNamespaceGate}=true\\b`, 'i').test(gates);
}

function checkGrant(
  c: PresentClaim,
  source: DataSource,
  isFollowed: boolean,
  said: EventMatch | undefined,
): ReferenceFailure | undefined {
  const grants = c.ask.list(
    'ReferenceGrant',
    source.namespace,
    `whether namespace ${source.namespace} lets claims of ${c.namespace} use ${source.kind} ${source.name}`,
  );
  if (isGrantedBy(grants.items, c, source) || (!grants.complete && !said)) return undefined;
  return { check: 'noGrant', source, grants, isFollowed, said };
}

function isGrantedBy(grants: readonly ReferenceGrant[], c: PresentClaim, source: DataSource): boolean {
  return grants.some((grant) => grantsFrom(grant, c.namespace) && grantsTo(grant, source));
}

/** Whether a grant that was read lets the claim use its source. */
export function isGranted(c: PresentClaim, source: DataSource): boolean {
  const grants = c.ask.seen('ReferenceGrant').filter(({ metadata }) => metadata.namespace === source.namespace);
  return isGrantedBy(grants, c, source);
}

function grantsFrom(grant: ReferenceGrant, namespace: string): boolean {
  return (grant.spec?.from ?? []).some(
    (from) => (from.group ?? '') === '' && from.kind === 'PersistentVolumeClaim' && from.namespace === namespace,
  );
}

function grantsTo(grant: ReferenceGrant, source: DataSource): boolean {
  return (grant.spec?.to ?? []).some(
    (to) => (to.group ?? '') === source.group && to.kind === source.kind && (!to.name || to.name === source.name),
  );
}
