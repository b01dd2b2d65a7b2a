import type { Stage } from '../report/report.ts';
import { notApplicable, open, passedUnlessExplained, unknown, unknownUnlessBroken } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import { findPluginSets } from '../facts/driver/node-plugin.ts';
import { isUndecidedOn, undecidedDrivers } from '../facts/driver/undecided-plugin.ts';
import type { ObjectCase } from '../facts/object-case.ts';
import { conditionOf } from '../facts/pod/pod-state.ts';

const brokenOnNode = 'a driver is missing or incomplete on this node';

/** The node is ready and has a CSINode; only the rules can find out why a driver is missing there. */
export function assessNode(n: ObjectCase<'Node'>): Assessment {
  const ready = conditionOf(n.object.status?.conditions, 'Ready');
  if (ready?.status !== 'True')
    return open(`not ready: ${ready?.reason ?? 'the kubelet reports no condition'}`, ready?.lastTransitionTime, 0);
  const csiNode = n.ask.get('CSINode', undefined, n.name, `which drivers are registered on ${n.name}`);
  if (csiNode.state === 'missing') return open('no CSINode object', n.object.metadata.creationTimestamp, 60);
  if (csiNode.state === 'unknown') return unknown('which drivers are registered could not be read');
  const registered = `${(csiNode.object.spec?.drivers ?? []).map(({ name }) => name).join(', ') || 'no driver'} registered`;
  const undecided = undecidedDrivers(n, csiNode.object);
  if (undecided.length > 0)
    return unknownUnlessBroken(
      `${registered}; whether ${undecided.join(', ')} should run here could not be read`,
      brokenOnNode,
    );
  return passedUnlessExplained(registered, brokenOnNode);
}

/** The driver can create volumes, attach them and mount them. */
export function assessDriver(d: ObjectCase<'CSIDriver'>, stage: Stage): Assessment {
  if (stage === 'provision') return passedUnlessExplained('installed; not probed', 'cannot create volumes');
  if (stage === 'attach')
    return d.object.spec?.attachRequired === false
      ? notApplicable('needs no attachments')
      : passedUnlessExplained('attaches volumes; not probed', 'cannot attach volumes');
  const nodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`);
  const registered = nodes.items.filter(({ spec }) => spec?.drivers?.some(({ name }) => name === d.name));
  if (registered.length === 0)
    return nodes.complete
      ? open('not registered on any node', d.object.metadata.creationTimestamp, 120)
      : unknown('on which nodes it is registered could not be read');
  const rest = nodes.items.filter((csiNode) => !registered.includes(csiNode));
  const state = `registered on ${registered.length} of ${nodes.items.length} nodes`;
  const broken = `${state}, but does not work on all of them`;
  return isUndecidedOn(d, rest)
    ? unknownUnlessBroken(`${state}; whether its node plugin should run on the others could not be read`, broken)
    : passedUnlessExplained(`${state}${readyPlugins(d)}; not probed`, broken);
}

/** What the DaemonSets of the driver report. Ready pods do not prove that the driver answers: only a probe does. */
function readyPlugins({ ask, name }: ObjectCase<'CSIDriver'>): string {
  const statuses = findPluginSets(ask, name).items.map(({ status }) => status);
  const wanted = statuses.reduce((sum, status) => sum + (status?.desiredNumberScheduled ?? 0), 0);
  const ready = statuses.reduce((sum, status) => sum + (status?.numberReady ?? 0), 0);
  if (wanted === 0) return '';
  return ready >= wanted ? ', pods ready' : `, ${ready} of ${wanted} pods ready`;
}

/** Only the rules can find out whether the class can be served. */
export function assessStorageClass(c: ObjectCase<'StorageClass'>): Assessment {
  return passedUnlessExplained(
    `${c.object.provisioner ?? 'no provisioner'}, ${c.object.volumeBindingMode ?? 'Immediate'}`,
  );
}
