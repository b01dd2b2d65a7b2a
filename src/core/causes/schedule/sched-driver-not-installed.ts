import { field, fix, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import {
  blames,
  nameAll,
  nameNodes,
  otherReasonsText,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import { driversOf } from '../../facts/volume/volume-slots.ts';

/** NodeVolumeLimits checkCSIDriverOnNode, only for drivers that ask for it (preventPodSchedulingIfMissing, 1.35 and later). */
export const schedDriverNotInstalled = podRule({
  cause: 'sched-driver-not-installed',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.driverMissing);
    if (p.isScheduled || blamed === false) return undefined;
    const named = reasonsLike(p.schedulingMessage, storageTexts.driverMissing)
      .map(({ text }) => /(\S+) CSI driver is not installed/.exec(text)?.[1])
      .find((name) => name !== undefined);
    const inline = (p.pod.spec?.volumes ?? []).flatMap(({ csi }) => (csi?.driver ? [csi.driver] : []));
    const drivers = named === undefined ? [...driversOf(p).keys(), ...inline] : [named];
    for (const driver of drivers) {
      const csiDriver = p.ask.get('CSIDriver', undefined, driver, `whether pods may go to nodes without ${driver}`);
      const isStrict = csiDriver.state === 'found' && csiDriver.object.spec?.preventPodSchedulingIfMissing === true;
      if (!isStrict && !blamed) continue;
      const csiNodes = p.ask.list('CSINode', undefined, `on which nodes ${driver} is registered`);
      const holds = csiNodes.items
        .filter((csiNode) => csiNode.spec?.drivers?.some(({ name }) => name === driver))
        .map((csiNode) => csiNode.metadata.name);
      const fits = fitNodes(p);
      const inside = fits.items.filter(({ node }) => holds.includes(node.metadata.name));
      const isProven =
        isStrict &&
        csiNodes.complete &&
        fits.complete &&
        fits.items.length > 0 &&
        inside.every(({ refusal }) => refusal);
      if (!isProven && !blamed) continue;
      const outside = fits.items.filter((fit) => !fit.refusal && !inside.includes(fit));
      const others = tellRefusals(inside) || otherReasonsText(p);
      const where =
        holds.length === 0
          ? csiNodes.complete
            ? 'on no node'
            : 'not where the pod could go'
          : `on ${nameAll(holds)} only`;
      return {
        confidence: isProven ? 'certain' : 'likely',
        about: driver,
        summary: `driver ${driver} runs ${where}${outside.length > 0 ? ` and not on ${nameNodes(outside)}` : ''}, and lets no pod go where it is missing${others ? `; ${others}` : ''}`,
        evidence: [
          csiDriver.state === 'found'
            ? field(csiDriver.object, 'spec.preventPodSchedulingIfMissing')
            : field(p.pod, 'spec.volumes', driver),
          ...outside
            .slice(0, 4)
            .map(({ node }) =>
              field({ kind: 'CSINode', metadata: { name: node.metadata.name } }, `spec.drivers[${driver}]`, 'not set'),
            ),
          ...schedulerSaid(p),
        ],
        fix: [
          fix(
            `look where the node plugin of ${driver} runs, and run it on the nodes that shall take the pod`,
            'kubectl get daemonsets -A -o wide',
          ),
          fix(
            'or let pods be scheduled without it again',
            `kubectl patch csidriver ${shellWord(driver)} --type=merge -p '{"spec":{"preventPodSchedulingIfMissing":false}}'`,
          ),
        ],
      };
    }
    return undefined;
  },
});
