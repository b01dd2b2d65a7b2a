import type { AssumedSidecar, DriverAssumptions, SidecarAssumption } from '../../core/report/driver-assumptions.ts';
import type { ProbeItem } from '../../core/report/probe-report.ts';
import { listNames, unreadNotes } from './drift-words.ts';
import type { Drift } from './drift-words.ts';

const classWords = (kind: string, names: readonly string[]): string =>
  `${kind}${names.length === 1 ? '' : 'es'} ${listNames(names)}`;

/**
 * A node plugin may serve a reduced Controller service too: only the endpoint that the sidecars use is compared with
 * the cluster.
 */
export function controllerDrift(item: ProbeItem, assumed: DriverAssumptions, peers: readonly ProbeItem[]): Drift {
  const { plugin } = item.capabilities ?? {};
  if (item.roles?.includes('controller') !== true || plugin === undefined) return { drift: [], notes: [] };
  const drift = [
    ...topologyDrift(plugin, assumed),
    ...(plugin.includes('CONTROLLER_SERVICE') ? [] : withoutController(assumed)),
  ];
  if (item.capabilities?.controller === undefined)
    return { drift, notes: unreadNotes(assumed, ['object', 'classes', 'nodes']) };
  const offers = new Set(item.capabilities.controller);
  const found = [
    attachDrift(offers, assumed),
    expansionDrift(offers, item, assumed, peers),
    snapshotDrift(offers, assumed),
    capacityDrift(offers, assumed),
    modifyDrift(offers, assumed),
    onePodDrift(offers, assumed),
    provisionDrift(offers, assumed),
  ];
  return {
    drift: [...drift, ...found.flat()],
    notes: unreadNotes(assumed, ['object', 'classes', 'snapshotClasses', 'attributesClasses', 'nodes']),
  };
}

const sidecarOf = (assumed: DriverAssumptions, role: AssumedSidecar): SidecarAssumption | undefined =>
  assumed.sidecars.find((sidecar) => sidecar.role === role);
const lacks = (assumed: DriverAssumptions, role: AssumedSidecar): boolean =>
  sidecarOf(assumed, role)?.presence === 'absent';
const has = (assumed: DriverAssumptions, role: AssumedSidecar): boolean =>
  sidecarOf(assumed, role)?.presence === 'found';

function withoutController(assumed: DriverAssumptions): string[] {
  const waiting = (['provisioner', 'resizer', 'snapshotter'] as const).filter((role) => has(assumed, role));
  return waiting.length === 0
    ? []
    : [
        `the cluster runs the ${waiting.join(', the ')} for the driver, but the driver has no ` +
          'CONTROLLER_SERVICE, so they have no service to call',
      ];
}

/**
 * With a driver that cannot attach, the attacher only marks volumes as attached (external-attacher, NewTrivialHandler).
 */
function attachDrift(offers: ReadonlySet<string>, assumed: DriverAssumptions): string[] {
  const { object } = assumed;
  if (object === undefined) return [];
  const required = object.exists ? 'attachRequired is true' : 'there is no CSIDriver object, so attachment is required';
  if (!offers.has('PUBLISH_UNPUBLISH_VOLUME')) {
    if (!object.attachRequired)
      return has(assumed, 'attacher')
        ? [
            'the cluster runs an attacher for the driver, but the driver cannot attach (no PUBLISH_UNPUBLISH_VOLUME) ' +
              'and its CSIDriver does not require it: the attacher has nothing to do',
          ]
        : [];
    if (lacks(assumed, 'attacher'))
      return [
        `the cluster assumes that volumes are attached (${required}), the driver cannot attach (no ` +
          'PUBLISH_UNPUBLISH_VOLUME), and no attacher was found: pods wait for the attachment',
      ];
    return [
      `the cluster assumes that volumes are attached (${required}), but the driver cannot attach (no ` +
        'PUBLISH_UNPUBLISH_VOLUME): the attacher only marks them as attached, and attachRequired: ' +
        'false would avoid this step',
    ];
  }
  if (!object.attachRequired)
    return [
      'the driver requires attachment (PUBLISH_UNPUBLISH_VOLUME), but the cluster never requests it: ' +
        'attachRequired is false in its CSIDriver',
    ];
  return lacks(assumed, 'attacher') ? [missing('PUBLISH_UNPUBLISH_VOLUME', 'attacher', 'no volume is attached')] : [];
}

const missing = (capability: string, sidecar: AssumedSidecar, effect: string): string =>
  `the driver supports ${capability}, but it has no ${sidecar}: ${effect}`;

/**
 * A driver may expand in the controller, on the nodes, or both; with neither the resizer exits (external-resizer,
 * resizeNotSupportErr).
 */
function expansionDrift(
  offers: ReadonlySet<string>,
  item: ProbeItem,
  assumed: DriverAssumptions,
  peers: readonly ProbeItem[],
): string[] {
  const growing = (assumed.classes ?? []).filter(({ allowsExpansion }) => allowsExpansion).map(({ name }) => name);
  const nodeServices = [item, ...peers].flatMap(({ capabilities }) =>
    capabilities?.node === undefined ? [] : [capabilities.node],
  );
  const growsOnNodes = nodeServices.some((names) => names.includes('EXPAND_VOLUME'));
  if (!offers.has('EXPAND_VOLUME') && !growsOnNodes) {
    return growing.length > 0 && nodeServices.length > 0
      ? [
          `the cluster assumes that volumes can grow (allowVolumeExpansion in ${classWords('class', growing)}), ` +
            'but the driver can expand them neither in the controller nor on the nodes (no EXPAND_VOLUME)',
        ]
      : [];
  }
  return growing.length > 0 && lacks(assumed, 'resizer')
    ? [
        missing(
          'EXPAND_VOLUME',
          'resizer',
          `claims of ${classWords('class', growing)} do not grow, although allowVolumeExpansion says so`,
        ),
      ]
    : [];
}

function snapshotDrift(offers: ReadonlySet<string>, { snapshotClasses = [], ...assumed }: DriverAssumptions): string[] {
  if (snapshotClasses.length === 0) return [];
  const named = classWords('snapshot class', snapshotClasses);
  if (!offers.has('CREATE_DELETE_SNAPSHOT'))
    return [
      `the cluster assumes that volumes can be snapshotted (${named}), but the driver cannot create snapshots (no CREATE_DELETE_SNAPSHOT)`,
    ];
  return lacks(assumed, 'snapshotter')
    ? [missing('CREATE_DELETE_SNAPSHOT', 'snapshotter', `snapshots of ${named} are never created`)]
    : [];
}

function capacityDrift(offers: ReadonlySet<string>, assumed: DriverAssumptions): string[] {
  if (assumed.object?.storageCapacity !== true) return [];
  if (!offers.has('GET_CAPACITY'))
    return [
      'the cluster assumes that the driver reports free capacity (storageCapacity in its CSIDriver), but the ' +
        'driver cannot (no GET_CAPACITY): the scheduler finds no capacity for WaitForFirstConsumer classes',
    ];
  const flags = sidecarOf(assumed, 'provisioner')?.flags;
  const isOn = flags?.['enable-capacity'] !== undefined && flags['enable-capacity'] !== 'false';
  return flags !== undefined && !isOn
    ? [
        'the cluster assumes that the driver reports free capacity (storageCapacity in its CSIDriver), but its ' +
          'provisioner does not publish it (no --enable-capacity)',
      ]
    : [];
}

/** The resizer also modifies volumes. */
function modifyDrift(offers: ReadonlySet<string>, assumed: DriverAssumptions): string[] {
  const { attributesClasses = [] } = assumed;
  if (attributesClasses.length === 0) return [];
  const named = classWords('volume attributes class', attributesClasses);
  if (!offers.has('MODIFY_VOLUME'))
    return [`the cluster assumes that volumes can be modified (${named}), but the driver cannot (no MODIFY_VOLUME)`];
  return lacks(assumed, 'resizer') ? [missing('MODIFY_VOLUME', 'resizer', `a change to ${named} is never made`)] : [];
}

/**
 * Without the capability callers pass SINGLE_NODE_WRITER instead (csi-lib-utils accessmodes, kubelet
 * asCSIAccessModeV1), so only Kubernetes enforces it.
 */
function onePodDrift(offers: ReadonlySet<string>, { onePodVolumes }: DriverAssumptions): string[] {
  if (onePodVolumes.length === 0 || offers.has('SINGLE_NODE_MULTI_WRITER')) return [];
  return [
    'the cluster has volumes for one pod only (ReadWriteOncePod: ' +
      `${listNames(onePodVolumes)}), but the driver does not support that (no SINGLE_NODE_MULTI_WRITER): ` +
      'only Kubernetes prevents a second pod',
  ];
}

function provisionDrift(offers: ReadonlySet<string>, assumed: DriverAssumptions): string[] {
  const { classes = [] } = assumed;
  if (!offers.has('CREATE_DELETE_VOLUME'))
    return classes.length > 0
      ? [
          `the cluster assumes that volumes can be provisioned (${classWords(
            'class',
            classes.map(({ name }) => name),
          )}), but the driver cannot (no CREATE_DELETE_VOLUME)`,
        ]
      : [];
  return classes.length > 0 && lacks(assumed, 'provisioner')
    ? [
        missing(
          'CREATE_DELETE_VOLUME',
          'provisioner',
          `claims of ${classWords(
            'class',
            classes.map(({ name }) => name),
          )} are never provisioned`,
        ),
      ]
    : [];
}

/**
 * The provisioner passes topology on only with this capability (external-provisioner, SupportsTopology), and then
 * requires keys on every CSINode.
 */
function topologyDrift(plugin: readonly string[], assumed: DriverAssumptions): string[] {
  const { classes = [], nodes = [] } = assumed;
  const keyed = nodes.filter(({ topologyKeys }) => topologyKeys.length > 0);
  if (!plugin.includes('VOLUME_ACCESSIBILITY_CONSTRAINTS')) {
    const placed = classes.filter(({ topologyKeys }) => topologyKeys.length > 0).map(({ name }) => name);
    const keys = [...new Set(keyed.flatMap(({ topologyKeys }) => topologyKeys))];
    return [
      ...(placed.length > 0
        ? [
            'the cluster assumes that the place of a volume can be chosen (allowedTopologies of ' +
              `${classWords('class', placed)}), but the driver does not support topology (no ` +
              'VOLUME_ACCESSIBILITY_CONSTRAINTS)',
          ]
        : []),
      ...(keys.length > 0
        ? [
            `the kubelets registered topology keys (${listNames(keys)}), but the driver does not support topology ` +
              '(no VOLUME_ACCESSIBILITY_CONSTRAINTS): the provisioner ignores them',
          ]
        : []),
    ];
  }
  const bare = nodes.filter(({ topologyKeys }) => topologyKeys.length === 0).map(({ node }) => node);
  if (bare.length > 0)
    return [
      'the driver limits volumes to topology segments (VOLUME_ACCESSIBILITY_CONSTRAINTS), but ' +
        `${bare.length === 1 ? 'node' : 'nodes'} ${listNames(bare)} registered it without topology keys: ` +
        'provisioning for pods there fails',
    ];
  return ignoresTopology(sidecarOf(assumed, 'provisioner'))
    ? [
        'the driver limits volumes to topology segments (VOLUME_ACCESSIBILITY_CONSTRAINTS), but its provisioner ' +
          'does not pass them on (no --feature-gates=Topology=true, which it needs before version 5)',
      ]
    : [];
}

/** On by default since external-provisioner 5.0. */
function ignoresTopology(provisioner: SidecarAssumption | undefined): boolean {
  const gates = provisioner?.flags?.['feature-gates'] ?? '';
  if (/\bTopology=false\b/i.test(gates)) return true;
  const major = /^v?(\d+)\./.exec(provisioner?.version ?? '')?.[1];
  return (
    provisioner?.flags !== undefined &&
    major !== undefined &&
    Number(major) < 5 &&
    !gates.includes('$(') &&
    !/\b(Topology|AllAlpha|AllBeta)=true\b/i.test(gates)
  );
}
