import { lastWordsOf, registrationRefused } from '../../causes/mount/registration-refusal.ts';
import { refusedRegistrar } from '../../facts/driver/plugin-health.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Journey } from '../../journey/plan.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { Stage } from '../../report/report.ts';
import { earlierLog } from '../unexplained/owner.ts';
import type { ExpectedCall } from './expected-calls.ts';

/** A registrar that the kubelet has refused, and whose status does not say why. */
interface SilentRegistrar {
  readonly plugin: Pod;
  readonly container: string;
  readonly what: string;
}

/**
 * The kubelet reports its reason to the registrar only, and the registrar writes it only to its log
 * (NotifyRegistrationStatus).
 */
export function registrarLogs(journey: Journey, stage: Stage, ask: Inquiry): LogPlace[] {
  return silentRegistrars(journey, stage, ask).map(({ plugin, container, what }) => ({
    namespace: plugin.metadata.namespace ?? '',
    pod: plugin.metadata.name,
    container,
    what,
    speaks: 'registrar',
    ...earlierLog(plugin, container),
  }));
}

/** The words with which a node-driver-registrar ends; the name of the call is the first of them. */
const lastWords = 'Registration process failed with error';

export function registrarCalls(journey: Journey, stage: Stage, ask: Inquiry): ExpectedCall[] {
  return silentRegistrars(journey, stage, ask).map(({ plugin }) => ({
    rpc: 'Registration',
    names: [lastWords],
    report: {
      about: plugin,
      reason: registrationRefused,
      component: 'node-driver-registrar',
      message: (error) => error,
    },
  }));
}

function silentRegistrars({ pods }: Journey, stage: Stage, ask: Inquiry): SilentRegistrar[] {
  const [p] = pods;
  const node = p?.pod.spec?.nodeName;
  if (!p || !node || (stage !== 'attach' && stage !== 'mount')) return [];
  const drivers = [...new Set(volumeUsesOf(p).flatMap(({ driver }) => driver ?? []))];
  return drivers.flatMap((driver) =>
    findNodePlugin(ask, driver, node).pods.items.flatMap((plugin) => {
      const status = refusedRegistrar(plugin, ask.now);
      if (status?.name === undefined || lastWordsOf(status) !== undefined) return [];
      return [{ plugin, container: status.name, what: `the registrar of ${driver} on ${node}` }];
    }),
  );
}
