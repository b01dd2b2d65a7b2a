import { findPluginSets } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { field, note } from '../../facts/evidence.ts';
import type { Attachment, Container } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { registrationOf } from './attach-rpc.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** How many volumes a usual machine takes at most, from the documentation of the clouds and hypervisors. */
const machineLimits: readonly { readonly driver: RegExp; readonly most: number; readonly why: string }[] = [
  { driver: /vsphere/, most: 59, why: 'what four SCSI controllers of a virtual machine hold besides its own disk' },
  { driver: /^blockvolume\.csi\.oraclecloud\.com$/, most: 32, why: 'what an instance of Oracle Cloud takes' },
  { driver: /hetzner/, most: 16, why: 'what a server of Hetzner Cloud takes' },
  { driver: /scaleway/, most: 15, why: 'what an instance of Scaleway takes besides its own disk' },
  { driver: /vpc\.block\.csi\.ibm\.io/, most: 12, why: 'what an instance of IBM Cloud VPC takes' },
  { driver: /linode/, most: 7, why: 'what a small Linode takes besides its own disk' },
];

/** A node that holds as many volumes of a driver as its machine can take, though its CSINode promises more. */
export interface FullMachine {
  readonly attached: number;
  readonly why: string;
  /** Undefined: the driver reports no limit. */
  readonly announced: number | undefined;
}

/** The attachments of the driver that are on the node, as far as they were read. */
export function slotsOf({ ask, node, driver }: AttachTrouble): readonly Attachment[] {
  return ask
    .seen('VolumeAttachment')
    .filter(({ spec, status }) => spec?.nodeName === node && spec.attacher === driver && status?.attached === true);
}

/** For a refusal without a reason: the count alone shows that the machine may be full. */
export function fullMachineOf(trouble: AttachTrouble): FullMachine | undefined {
  const known = machineLimits.find(({ driver }) => trouble.driver !== undefined && driver.test(trouble.driver));
  const attached = slotsOf(trouble).length;
  if (!known || attached < known.most) return undefined;
  const announced = registrationOf(trouble)?.entry?.allocatable?.count;
  return announced !== undefined && announced <= attached ? undefined : { attached, why: known.why, announced };
}

export function fullMachineText(
  { driver = 'the driver', node }: AttachTrouble,
  { attached, why, announced }: FullMachine,
): string {
  const promise =
    announced === undefined ? 'its CSINode announces no limit' : `its CSINode announces room for ${announced}`;
  return (
    ` The words name no reason. ${attached} volumes of ${driver} are attached to ${node}, which is ${why}: most likely the ` +
    `machine is full. The scheduler does not see that, because ${promise}.`
  );
}

/** Where the DaemonSet of the node plugin sets how many volumes a node takes. */
interface LimitSetting {
  readonly set: DaemonSet;
  readonly container: string;
  readonly name: string;
  readonly value: number;
}

const limitVariable =
  /^(?:MAX_VOLUMES_PER_NODE|(?:\w+_)?(?:VOLUME_ATTACH_LIMIT|ATTACH_LIMIT|MAX_VOLUMES?)(?:_PER_NODE)?)$/;

export function limitSettingOf({ ask, driver }: AttachTrouble): LimitSetting | undefined {
  if (driver === undefined) return undefined;
  return findPluginSets(ask, driver)
    .items.flatMap((set) => (set.spec?.template?.spec?.containers ?? []).flatMap((each) => settingIn(set, each)))
    .at(0);
}

function settingIn(set: DaemonSet, { name: container, env = [] }: Container): LimitSetting[] {
  const found = env.find(({ name, value }) => limitVariable.test(name ?? '') && /^\d+$/.test(value ?? ''));
  return container !== undefined && found?.name !== undefined
    ? [{ set, container, name: found.name, value: Number(found.value) }]
    : [];
}

export function limitSettingEvidence(setting: LimitSetting | undefined): Evidence[] {
  return setting
    ? [field(setting.set, `spec.template.spec.containers[${setting.container}].env[${setting.name}]`, setting.value)]
    : [];
}

/** The limit that the scheduler goes by, set to what the machine has shown to take. */
export function lowerLimitFix(trouble: AttachTrouble, most: number): Fix | undefined {
  const setting = limitSettingOf(trouble);
  if (!setting || setting.value <= most || most < 1) return undefined;
  const { namespace = 'default', name } = setting.set.metadata;
  return steps(
    `Set the limit that ${trouble.driver ?? 'the driver'} announces (${setting.name}, now ${setting.value}) to ${most}, in the ` +
      'chart or manifest too: the scheduler then places no more pods than fit. The pods of the node plugin are ' +
      'recreated one by one; mounted volumes stay.',
    [
      `kubectl -n ${shellWord(namespace)} set env ds/${shellWord(name)} -c ${shellWord(setting.container)} ${shellWord(`${setting.name}=${most}`)}`,
    ],
    'disruptive',
  );
}

export function fullMachineEvidence(trouble: AttachTrouble, { attached, announced }: FullMachine): Evidence[] {
  const registration = registrationOf(trouble);
  return [
    note(
      { kind: 'Node', metadata: { name: trouble.node } },
      `${attached} attachments of ${trouble.driver ?? ''} have status.attached = true`,
    ),
    ...(registration
      ? [field(registration.csiNode, `spec.drivers[${trouble.driver ?? ''}].allocatable.count`, announced ?? 'not set')]
      : []),
    ...limitSettingEvidence(limitSettingOf(trouble)),
  ];
}
