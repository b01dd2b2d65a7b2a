import { eventSaid, field, fix } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import { driversOfPod } from './needed-drivers.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix } from './told-volume.ts';

/** The kubelet calls only drivers that have registered with it; it keeps the list in its memory, and a copy in the CSINode (kcsi csi_client.go). */
export const mountDriverNotRegistered = podRule({
  cause: 'mount-driver-not-registered',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const node = nodeOf(p);
    const failure = failureOf(p, 'notRegistered');
    const told = failure && /driver name (\S+) not found/.exec(failure.text)?.[1];
    const said = failure ? [eventSaid(p.pod, failure.event)] : [];
    const drivers = [...new Set([...(told === undefined ? [] : [told]), ...driversOfPod(p)])];
    if (drivers.length === 0) return undefined;
    const csiNode = p.ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
    const registered =
      csiNode.state === 'found' ? (csiNode.object.spec?.drivers ?? []).flatMap(({ name }) => name ?? []) : [];
    const driver = csiNode.state === 'found' ? (drivers.find((name) => !registered.includes(name)) ?? told) : told;
    const [first] = said;
    if (driver === undefined || (csiNode.state !== 'found' && !first)) return undefined;
    const isProven = csiNode.state === 'found' && !registered.includes(driver);
    const isListed = csiNode.state === 'found' && !isProven;
    const proof =
      csiNode.state === 'found' ? field(csiNode.object, 'spec.drivers', registered.join(', ') || 'none') : undefined;
    const evidence = proof ?? first;
    if (!evidence) return undefined;
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: `${driver}@${node}`,
      summary: isListed
        ? `the kubelet on ${node} does not know driver ${driver} any more, though the CSINode still lists it: the registration of the node plugin is stale, so nothing of it can be mounted for ${podWords(p)}`
        : `driver ${driver} is not registered on ${node}: the kubelet cannot mount its volumes for ${podWords(p)}`,
      evidence: [evidence, ...(proof ? said : [])],
      fix: [
        fix(
          `see whether the node plugin of ${driver} runs on ${node}, and what its registrar says`,
          nodeLogsFix(p, driver).command,
        ),
        ...restartPluginFix(p, driver),
      ],
    };
  },
});
