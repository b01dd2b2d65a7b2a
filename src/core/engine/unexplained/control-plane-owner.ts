import type { Inquiry } from '../../graph/inquiry.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { LogPlace } from '../../report/component-log.ts';
import { field } from '../../facts/evidence.ts';
import { steps } from '../../causes/lib/steps.ts';
import { earlierLog, grepFor } from './owner.ts';
import type { Examination, StageOwner, Trace, TraceSource } from './owner.ts';

type Component = 'kube-controller-manager' | 'kube-scheduler';

/** A controller of the control plane. Managed clusters hide it: there only the provider reads its log. */
export function controlPlaneOwner(
  ask: Inquiry,
  component: Component,
  controller: string,
  source: TraceSource,
): StageOwner {
  return {
    name: controller === component ? `the ${component}` : `the ${controller} of the ${component}`,
    examine: () => examineComponent(ask, component, source()),
    logs: () => componentLogs(ask, component),
    elsewhere: 'In a managed cluster only the provider can read that log.',
  };
}

/**
 * As kubeadm runs it; a managed cluster shows no such pod. The holder of the lease begins with the name of its node.
 */
function componentLogs(ask: Inquiry, component: Component): LogPlace[] {
  const pods = ask.listLabelled('Pod', 'kube-system', `component=${component}`, `where the ${component} runs`).items;
  const lease = ask.get('Lease', 'kube-system', component, `which ${component} leads`);
  const holder = lease.state === 'found' ? (lease.object.spec?.holderIdentity ?? '') : '';
  const leader = pods.find(({ spec }) => spec?.nodeName && holder.startsWith(`${spec.nodeName}_`));
  const pod = leader ?? pods[0];
  if (!pod) return [];
  const { name, namespace = '' } = pod.metadata;
  const what = leader ? `the ${component}, leader` : `the ${component}`;
  return [{ namespace, pod: name, container: component, what, speaks: 'control plane', ...earlierLog(pod, component) }];
}

function examineComponent(ask: Inquiry, component: Component, trace: Trace): Examination {
  const lease = ask.get('Lease', 'kube-system', component, `whether the ${component} runs`);
  const object = lease.state === 'found' ? lease.object : undefined;
  const renewed = parseTime(object?.spec?.renewTime);
  const alive =
    renewed === undefined ? [] : [`Its lease was renewed ${ageText(Math.min(renewed, ask.now), ask.now)} ago.`];
  return {
    progress: [...trace.progress, ...alive],
    evidence: [...trace.evidence, ...(object ? [field(object, 'spec.renewTime')] : [])],
    fix: [
      steps(
        `Read what the ${component} logged about it, and correct what the log names. ` +
          'In a managed cluster only the provider can read that log: ' +
          'open a support case with the name of the object.',
        [
          `kubectl -n kube-system logs -l component=${component} --all-containers --since=1h${grepFor(trace.names, shellWord)}`,
        ],
      ),
    ],
  };
}
