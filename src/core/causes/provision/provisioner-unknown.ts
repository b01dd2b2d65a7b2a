import { findDriver } from '../../facts/driver/drivers.ts';
import { absent, eventSaid, field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { nearestName } from '../../kube/names.ts';
import { controllerOf, isInTree, provisionerOf, spokenBy, waitsForExternal } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';
import { namesakeOf, renameServer, serverEvidence, serverText } from './served-elsewhere.ts';
import type { Namesake } from './served-elsewhere.ts';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** A class may name anybody; this name left no trace in the cluster: no driver object, no node, no lease, no pod, no volume. */
export const provisionerUnknown = claimRule({
  cause: 'provisioner-unknown',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    if (!provisioner || provisioner.inTree || isInTree(provisioner) || !storageClass || spokenBy(c).length > 0)
      return undefined;
    const traces = findDriver(c.ask, provisioner.name);
    const { object } = traces;
    if (object.state === 'found') return undefined;
    const { nodes } = traces;
    if (nodes.items.length > 0) return undefined;
    const isDriverUnread = object.state === 'unknown' && !nodes.complete;
    if (isDriverUnread && provisioner.isCsi) return undefined;
    const volumes = c.ask.list('PersistentVolume', undefined, `whether ${provisioner.name} ever made a volume`);
    const hasMade = (): boolean =>
      volumes.items.some(
        (volume) =>
          volume.metadata.annotations?.[provisionedBy] === provisioner.name ||
          volume.spec?.csi?.driver === provisioner.name,
      );
    if (c.ask.graph.remember(`ever made by ${provisioner.name}`, hasMade)) return undefined;
    const controller = controllerOf(c, provisioner);
    if (controller.lease.object || controller.pods.items.length > 0 || controller.workload) return undefined;
    const isProven =
      object.state === 'missing' &&
      nodes.complete &&
      volumes.complete &&
      controller.lease.state === 'missing' &&
      controller.pods.complete;
    const namesake = namesakeOf(c, provisioner);
    // Provisioners that are no CSI drivers have neither driver object nor nodes: then only the search for pods and leases counts.
    if (!provisioner.isCsi && !controller.pods.complete && controller.lease.state !== 'missing') return undefined;
    // Many of them take no lease: without any other trace to look for, a pod that goes by another name must be there to see.
    if (isDriverUnread && !controller.pods.complete && !namesake?.isLikely) return undefined;
    const near = namesake?.isNear
      ? namesake.server.name
      : nearestName(
          provisioner.name,
          knownProvisioners(c).filter((name) => name !== provisioner.name),
        );
    const suggested = near ?? namesake?.server.name;
    const said = waitsForExternal(c);
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: provisioner.name,
      summary: `class ${storageClass.metadata.name} names provisioner ${provisioner.name}, which this cluster does not have${meaningText(namesake, near)}`,
      evidence: [
        field(storageClass, 'provisioner'),
        ...(namesake ? [serverEvidence(namesake.server)] : []),
        ...(provisioner.isCsi && object.state === 'missing' ? [absent('CSIDriver', provisioner.name)] : []),
        ...(controller.lease.state === 'missing' ? [absent('Lease', controller.lease.name)] : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        provisioner.isCsi
          ? fix(
              `look which drivers there are; if ${provisioner.name} is the right name, install it: the claim then goes on by itself`,
              'kubectl get csidriver',
            )
          : fix(
              `look which provisioners there are; if ${provisioner.name} is the right name, install it: the claim then goes on by itself`,
              'kubectl get deploy,sts,ds -A | grep -i provisioner',
            ),
        remakeClass(
          storageClass.metadata.name,
          `with the right provisioner${suggested === undefined ? '' : `, such as ${suggested}`}`,
        ),
        ...(namesake ? [renameServer(namesake.server, provisioner.name)] : []),
      ],
    };
  },
});

function meaningText(namesake: Namesake | undefined, near: string | undefined): string {
  if (namesake?.isNear) return `; did you mean ${namesake.server.name}, which ${serverText(namesake.server)} serves?`;
  const served = namesake ? `; ${serverText(namesake.server)} serves ${namesake.server.name}` : '';
  return near === undefined ? served : `${served}; did you mean ${near}?`;
}

/** Names that this cluster knows as provisioners, from what is at hand. */
function knownProvisioners(c: ClaimCase): string[] {
  return [
    ...c.ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
    ...c.ask
      .seen('CSINode')
      .flatMap((node) => (node.spec?.drivers ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))),
    ...c.ask.seen('PersistentVolume').flatMap((volume) => volume.metadata.annotations?.[provisionedBy] ?? []),
  ];
}
