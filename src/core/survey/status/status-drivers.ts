import type { DriverStatus } from '../../report/status.ts';
import type { ReportItem } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { surveyController } from '../../facts/driver/driver-controller.ts';
import type { KnownDriver } from '../../facts/driver/driver-names.ts';
import { surveyPlacements } from '../../facts/driver/driver-nodes.ts';
import { quietSidecars } from '../../facts/driver/driver-sidecars.ts';
import { driverVersion, versionsIn } from '../../facts/driver/driver-version.ts';

/** One driver: its version, its controller, its sidecars, and the nodes where it runs. */
export function surveyDriver(ask: Inquiry, known: KnownDriver, verdict: ReportItem | undefined): DriverStatus {
  const { name, object, isInstalled, classes } = known;
  const { controller, sidecars, pods, specs } = surveyController(ask, name);
  const plugin = surveyPlacements(ask, name, object);
  const template = plugin.template?.spec?.template?.spec;
  const version = driverVersion(
    [...specs, ...plugin.pods.map(({ spec }) => spec), template],
    [...pods, ...plugin.pods],
    object,
  );
  const driver: Omit<DriverStatus, 'state'> = {
    name,
    ...(isInstalled !== undefined && { isInstalled }),
    ...(version !== undefined && { version }),
    otherVersions: versionsIn([...pods, ...plugin.pods]).filter((other) => other !== version),
    classes,
    controller,
    sidecars: [
      ...sidecars,
      ...quietSidecars(pods, specs.at(-1), 'controller'),
      ...quietSidecars(plugin.pods, template, 'node'),
    ],
    placed: plugin.extent,
    placements: plugin.placements,
    ...(verdict && {
      verdict: {
        status: verdict.status,
        ...(verdict.cause !== undefined && { cause: verdict.cause }),
        summary: verdict.summary,
      },
    }),
  };
  return { ...driver, state: stateOf(driver) };
}

function stateOf({
  controller,
  placed,
  placements,
  verdict,
  isInstalled,
  classes,
}: Omit<DriverStatus, 'state'>): DriverStatus['state'] {
  const isOdd = placements.some(({ state }) => state === 'notReady' || state === 'missing');
  if (controller.state === 'down' || verdict?.status === 'blocked' || isOdd) return 'trouble';
  const isNowhere =
    placed === 'all' && placements.length > 0 && placements.every(({ isRegistered }) => isRegistered === false);
  if (isNowhere && isInstalled === true) return 'trouble';
  if (isInstalled === false && isNowhere && classes.length > 0 && controller.state === 'none') return 'trouble';
  return controller.state === 'unknown' || placed !== 'all' || verdict?.status === 'unknown' ? 'unknown' : 'works';
}
