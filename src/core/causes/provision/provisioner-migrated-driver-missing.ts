import { findDriver } from '../../facts/driver/drivers.ts';
import { absent, eventSaid, field, fix, note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { controllerOf, hasSpokenLately, provisionerOf, waitedSeconds, waitsForExternal } from './provisioner.ts';

const silenceSeconds = 120;

/** csi-translation-lib: the in-tree name still works, but only as another name of the CSI driver. */
export const provisionerMigratedDriverMissing = claimRule({
  cause: 'provisioner-migrated-driver-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    if (!provisioner?.inTree || !storageClass) return undefined;
    const traces = findDriver(c.ask, provisioner.name);
    const { object } = traces;
    if (object.state === 'found') return undefined;
    const { nodes } = traces;
    if (nodes.items.length > 0) return undefined;
    const said = waitsForExternal(c);
    const isLookedFor = object.state === 'missing' || nodes.complete;
    if (!isLookedFor && (!said || waitedSeconds(c) < silenceSeconds)) return undefined;
    const controller = controllerOf(c, provisioner);
    if (controller.lease.state === 'fresh' || controller.pods.items.length > 0 || hasSpokenLately(c)) return undefined;
    const seen = c.ask.seen('CSINode');
    return {
      confidence: !isLookedFor ? 'possible' : object.state === 'missing' && nodes.complete ? 'certain' : 'likely',
      about: provisioner.name,
      summary: `class ${storageClass.metadata.name} names the old ${provisioner.inTree}, which needs CSI driver ${provisioner.name} now, and that driver ${isLookedFor ? 'is not installed' : 'may not be installed'}`,
      evidence: [
        field(storageClass, 'provisioner'),
        ...(object.state === 'missing' ? [absent('CSIDriver', provisioner.name)] : []),
        ...seen
          .slice(0, 3)
          .map((node) =>
            note(node, `lists ${(node.spec?.drivers ?? []).map(({ name }) => name).join(', ') || 'no driver'}`),
          ),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          `look which drivers there are, and install CSI driver ${provisioner.name}: the claim then goes on by itself`,
          'kubectl get csidriver,csinode',
        ),
      ],
    };
  },
});
