import type { Claim, StorageClass, Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { provisionedByAnnotation, storageProvisionerAnnotations } from '../../facts/claim/claim-annotations.ts';
import { ClaimOfClass } from '../../facts/claim/claim-of-class.ts';
import { likenessOfWords } from '../../facts/driver/driver-pods.ts';
import { findDriver } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { controllerOf, isInTree, isSpoken, provisionerOf, spokenBy, waitsForExternal } from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';
import { classText, otherClasses } from './other-class.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { namesakeOf, renameServer, serverEvidence, serverText } from './served-elsewhere.ts';
import type { Namesake } from './served-elsewhere.ts';

/**
 * A class may name any provisioner; this name left no trace in the cluster: no driver object, no node, no lease, no
 * pod, no volume.
 */
export const provisionerUnknown = claimRule({
  cause: 'provisioner-unknown',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    if (!provisioner || provisioner.inTree || isInTree(provisioner) || !storageClass || spokenBy(c).length > 0)
      return undefined;
    const absence = findAbsence(c, provisioner);
    if (!absence) return undefined;
    const { namesake } = absence;
    const near = nearProvisioner(c, provisioner, namesake);
    return {
      confidence: absence.isProven ? 'certain' : 'likely',
      about: provisioner.name,
      summary:
        `StorageClass "${storageClass.metadata.name}" names provisioner ${provisioner.name}, which this cluster ` +
        `does not have.${hintText(namesake, near)}`,
      evidence: evidenceOf(c, provisioner, storageClass, absence),
      fix: advise(c, provisioner, namesake, near),
    };
  },
});

interface Absence {
  /** Everything that a provisioner leaves behind was looked for. */
  readonly isProven: boolean;
  /** It was looked for, and there is no such object. */
  readonly isDriverMissing: boolean;
  readonly controller: DriverController;
  readonly namesake: Namesake | undefined;
}

function findAbsence(c: PresentClaim, provisioner: Provisioner): Absence | undefined {
  const driver = findDriver(c.ask, provisioner.name);
  if (driver.object.state === 'found') return undefined;
  const { nodes } = driver;
  if (nodes.items.length > 0) return undefined;
  const isDriverUnread = driver.object.state === 'unknown' && !nodes.complete;
  if (isDriverUnread && provisioner.isCsi) return undefined;
  const volumes = c.ask.list('PersistentVolume', undefined, `whether ${provisioner.name} ever made a volume`);
  if (hasProvisioned(c, provisioner, volumes.items)) return undefined;
  const controller = controllerOf(c, provisioner);
  if (controller.lease.object || controller.pods.items.length > 0 || controller.workload) return undefined;
  const namesake = namesakeOf(c, provisioner);
  const isDriverMissing = driver.object.state === 'missing';
  const isNearKnown = nearProvisioner(c, provisioner, namesake) !== undefined;
  if (!isLookedFor(provisioner, controller, { isDriverUnread, isDriverMissing, isNearKnown }, namesake))
    return undefined;
  const isControllerMissing = controller.lease.state === 'missing' && controller.pods.complete;
  const isProven = isDriverMissing && nodes.complete && volumes.complete && isControllerMissing;
  if (!isProven && hasAnswered(c, provisioner)) return undefined;
  return {
    isProven,
    isDriverMissing,
    controller,
    namesake,
  };
}

/** How many claims of a provisioner are asked whether it reported on them. */
const mostAsked = 5;

/**
 * The provisioner reported on another claim, which a class without events of its own does not show: for a class the
 * claims are read. A claim that is bound tells nothing that its volume does not.
 */
function hasAnswered(c: PresentClaim, { name }: Provisioner): boolean {
  const isOf = ({ metadata }: Claim): boolean =>
    storageProvisionerAnnotations.some((key) => metadata.annotations?.[key] === name);
  const isHeard = c.ask.graph.remember(`ever heard of ${name}`, () =>
    c.ask
      .seen('PersistentVolumeClaim')
      .filter(isOf)
      .some(({ metadata: { uid } }) => uid !== undefined && c.ask.graph.eventsAbout(uid).some(isSpoken)),
  );
  if (isHeard || !(c instanceof ClaimOfClass)) return isHeard;
  return c.ask
    .list('PersistentVolumeClaim', undefined, `whether ${name} ever reported on a claim`)
    .items.filter((claim) => isOf(claim) && claim.status?.phase !== 'Bound')
    .slice(0, mostAsked)
    .some((claim) => c.ask.eventsOf(claim).items.some(isSpoken));
}

function hasProvisioned(c: PresentClaim, { name }: Provisioner, volumes: readonly Volume[]): boolean {
  return c.ask.graph.remember(`ever made by ${name}`, () =>
    volumes.some(
      ({ metadata, spec }) => metadata.annotations?.[provisionedByAnnotation] === name || spec?.csi?.driver === name,
    ),
  );
}

interface DriverTraces {
  readonly isDriverUnread: boolean;
  readonly isDriverMissing: boolean;
  /** A driver of nearly that name is registered. */
  readonly isNearKnown: boolean;
}

/** Whether enough was read to say that the provisioner is not there. */
function isLookedFor(
  provisioner: Provisioner,
  { lease, pods }: DriverController,
  { isDriverUnread, isDriverMissing, isNearKnown }: DriverTraces,
  namesake: Namesake | undefined,
): boolean {
  if (pods.complete) return true;
  // Provisioners that are no CSI drivers have neither driver object nor nodes: only the search for pods and leases
  // counts.
  if (!provisioner.isCsi && lease.state !== 'missing') return false;
  // Many of them take no lease: without any other trace to look for, a provisioner under another name must be seen.
  if (namesake?.isLikely === true) return true;
  // Nodes alone prove little: while its node plugin is down, a driver is registered on none of them. A mistyped name
  // shows on them too.
  return !isDriverUnread && (isDriverMissing || lease.state === 'missing' || isNearKnown);
}

function nearProvisioner(c: PresentClaim, { name }: Provisioner, namesake: Namesake | undefined): string | undefined {
  if (namesake?.isNear) return namesake.server.name;
  const others = [...new Set(knownProvisioners(c))].filter((known) => known !== name);
  return nearestName(name, others) ?? idleNamesake(c, name, others);
}

/**
 * A driver that is registered, that no class names, and whose name shares its words with the wanted one: most likely
 * renamed.
 */
function idleNamesake(c: PresentClaim, name: string, others: readonly string[]): string | undefined {
  const used = new Set(c.ask.seen('StorageClass').map(({ provisioner }) => provisioner));
  const alike = others.filter((other) => !used.has(other) && likenessOfWords(other, undefined, name) >= 0.5);
  return alike.length === 1 ? alike[0] : undefined;
}

/** Names that this cluster knows as provisioners, from what was read already. */
function knownProvisioners(c: ClaimCase): string[] {
  return [
    ...c.ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
    ...c.ask
      .seen('CSINode')
      .flatMap((node) => (node.spec?.drivers ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))),
    ...c.ask.seen('PersistentVolume').flatMap(({ metadata }) => metadata.annotations?.[provisionedByAnnotation] ?? []),
  ];
}

function hintText(namesake: Namesake | undefined, near: string | undefined): string {
  if (namesake?.isNear)
    return ` The closest match is ${namesake.server.name}, which ${serverText(namesake.server)} serves.`;
  if (near !== undefined) return ` The closest match is ${near}, which is installed.`;
  return namesake ? ` The provisioner in ${serverText(namesake.server)} serves ${namesake.server.name}.` : '';
}

function evidenceOf(
  c: PresentClaim,
  provisioner: Provisioner,
  storageClass: StorageClass,
  { isDriverMissing, controller: { lease }, namesake }: Absence,
): Explanation['evidence'] {
  return [
    field(storageClass, 'provisioner'),
    ...(namesake ? [serverEvidence(namesake.server)] : []),
    ...(provisioner.isCsi && isDriverMissing ? [absent('CSIDriver', provisioner.name)] : []),
    ...(lease.state === 'missing' ? [absent('Lease', lease.name)] : []),
    ...saidOnClaim(c, waitsForExternal(c)),
  ];
}

/**
 * A provisioner that runs here under nearly that name was intended; otherwise a class that works, or the missing
 * driver.
 */
function advise(
  c: PresentClaim,
  provisioner: Provisioner,
  namesake: Namesake | undefined,
  near: string | undefined,
): Fix[] {
  const meant = near ?? (namesake?.isLikely ? namesake.server.name : undefined);
  const rename = namesake ? renameServer(namesake.server, provisioner.name) : [];
  if (meant !== undefined)
    return [
      recreateClass(c, `with provisioner ${meant}, which runs here`, { provisioner: meant }),
      ...rename,
      install(provisioner),
    ];
  const [other] = c instanceof ClaimOfClass ? [] : otherClasses(c);
  const use =
    other && recreateClaim(c, `with ${classText(other)}, of ${other.provisioner}`, classChange(c, other.name));
  // The only provisioner that no class names is most likely the intended one.
  const idle =
    namesake &&
    recreateClass(
      c,
      `with provisioner ${namesake.server.name}, which runs here and which no class names, if it is meant`,
      { provisioner: namesake.server.name },
    );
  return [...(use ? [use] : []), ...(idle ? [idle] : []), install(provisioner), ...rename];
}

function install({ name, isCsi }: Provisioner): Fix {
  return fix(
    `Install ${isCsi ? 'CSI driver' : 'the provisioner'} ${name}, if it is the right name. The claim is then provisioned automatically.`,
  );
}
