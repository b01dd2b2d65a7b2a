import { findDriver } from '../../graph/drivers.ts';
import { absent, eventSaid, field, fix } from '../../journey/evidence.ts';
import { claimRule } from '../../journey/rule.ts';
import type { ClaimCase } from '../../journey/claim-case.ts';
import { nearestName } from '../../model/names.ts';
import { controllerOf, isInTree, provisionerOf, spokenBy, waitsForExternal } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** A class may name anybody; this name left no trace in the cluster: no driver object, no node, no lease, no pod, no volume. */
export const provisionerUnknown = claimRule({
  cause: 'provisioner-unknown',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    if (!provisioner || provisioner.inTree || isInTree(provisioner) || !storageClass || spokenBy(c).length > 0) return undefined;
    const traces = findDriver(c.ask, provisioner.name);
    const { object } = traces;
    if (object.state === 'found') return undefined;
    const { nodes } = traces;
    if (nodes.items.length > 0) return undefined;
    if (object.state === 'unknown' && !nodes.complete) return undefined;
    const volumes = c.ask.list('PersistentVolume', undefined, `whether ${provisioner.name} ever made a volume`);
    const hasMade = (): boolean => volumes.items.some((volume) => volume.metadata.annotations?.[provisionedBy] === provisioner.name || volume.spec?.csi?.driver === provisioner.name);
    if (c.ask.graph.remember(`ever made by ${provisioner.name}`, hasMade)) return undefined;
    const controller = controllerOf(c, provisioner);
    if (controller.lease.object || controller.pods.items.length > 0 || controller.workload) return undefined;
    const isProven = object.state === 'missing' && nodes.complete && volumes.complete && controller.lease.state === 'missing' && controller.pods.complete;
    // Provisioners that are no CSI drivers have neither driver object nor nodes: then only the search for pods and leases counts.
    if (!provisioner.isCsi && !controller.pods.complete && controller.lease.state !== 'missing') return undefined;
    const near = nearestName(provisioner.name, knownProvisioners(c).filter((name) => name !== provisioner.name));
    const said = waitsForExternal(c);
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: provisioner.name,
      summary: `class ${storageClass.metadata.name} names provisioner ${provisioner.name}, which this cluster does not have${near ? `; did you mean ${near}?` : ''}`,
      evidence: [field(storageClass, 'provisioner'), ...(provisioner.isCsi && object.state === 'missing' ? [absent('CSIDriver', provisioner.name)] : []), ...(controller.lease.state === 'missing' ? [absent('Lease', controller.lease.name)] : []), ...(said ? [eventSaid(c.claim, said.event)] : [])],
      fix: [
        fix(`look which drivers there are; if ${provisioner.name} is the right name, install it: the claim then goes on by itself`, 'kubectl get csidriver'),
        remakeClass(storageClass.metadata.name, `with the right provisioner${near ? `, such as ${near}` : ''}`),
      ],
    };
  },
});

/** Names that this cluster knows as provisioners, from what is at hand. */
function knownProvisioners(c: ClaimCase): string[] {
  return [
    ...c.ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
    ...c.ask.seen('CSINode').flatMap((node) => (node.spec?.drivers ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]))),
    ...c.ask.seen('PersistentVolume').flatMap((volume) => volume.metadata.annotations?.[provisionedBy] ?? []),
  ];
}
