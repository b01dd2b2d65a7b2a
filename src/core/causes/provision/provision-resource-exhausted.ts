import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { neededQuota } from '../lib/driver-error/senses/capacity.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import {
  answerRule,
  namedParameters,
  parameterEvidence,
  parameterWords,
  senseFix,
  tellWords,
} from './driver-answer.ts';
import type { NamedParameter } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { provisionerOf } from './provisioner.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { restartDriver } from './restart-driver.ts';

/** CSI spec, CreateVolume: RESOURCE_EXHAUSTED, and what clouds say when a quota or limit is reached. */
export const provisionResourceExhausted = answerRule(
  'provision-resource-exhausted',
  'exhausted',
  (c, error, driver) => ({
    about: c.class.name,
    summary: summaryOf(c, error, driver),
    evidence: [...parameterEvidence(c, parametersFor(c, error)), field(c.claim, 'spec.resources.requests.storage')],
    fix: advise(c, error),
  }),
);

function summaryOf(c: PresentClaim, error: ProvisionError, driver: string): string {
  const { sense } = error;
  const named = parametersFor(c, error);
  const parameters = named.length > 0 ? ` (${parameterWords(named)})` : '';
  return tellWords(
    `${driver} cannot provide ${c.request ?? 'the volume'} in StorageClass "${c.class.name}"${parameters}`,
    error,
    noneOfNone.test(error.text) ? 'the driver has none of that kind' : sense?.meaning,
  );
}

/** The range of group ids decides, though the text does not name it. */
function parametersFor(c: PresentClaim, error: ProvisionError): NamedParameter[] {
  if (error.sense?.about !== 'groupIds') return namedParameters(c, error);
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name]) => /^gidRange/.test(name))
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name > b.name ? -1 : 1));
}

/** None of a kind that the driver has none of is not "full": there the class asks for the wrong kind. */
const noneOfNone = /\b0 (?:out )?of 0\b/i;

function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  const [named] = namedParameters(c, error);
  if (error.sense?.about === 'groupIds') return widenGroupIds(c);
  const asksWrongly = named && (noneOfNone.test(error.text) || error.sense?.advice === undefined);
  const correct = named && [
    recreateClass(
      c,
      `with a value of ${named.name} that the driver has (PLACEHOLDER_VALUE: ask the owner of the driver)`,
      { parameters: { [named.name]: 'PLACEHOLDER_VALUE' } },
    ),
  ];
  const raise = error.sense?.advice === undefined ? [raiseLimit] : withNumber(senseFix(error), error);
  if (correct && noneOfNone.test(error.text)) return correct;
  return asksWrongly ? [...(correct ?? []), ...raise] : [...raise, ...freeVolume(c, error), ...(correct ?? [])];
}

/** Some clouds name the numbers: then the new limit can be given. */
function withNumber(fixes: Fix[], { text }: ProvisionError): Fix[] {
  const needed = neededQuota(text);
  if (needed === undefined) return fixes;
  return fixes.map((each) => ({
    ...each,
    text: each.text.replace(
      'quota or limit that the error names',
      `quota or limit that the error names to at least ${needed}`,
    ),
  }));
}

const moreGroupIds = 1000;

/** EFS: the range belongs to the class; without one, it is that of the driver. */
function widenGroupIds(c: PresentClaim): Fix[] {
  const end = Number(c.storageClassObject?.parameters?.['gidRangeEnd']);
  const last = Number.isInteger(end) && end > 0 ? String(end + moreGroupIds) : 'PLACEHOLDER_LAST';
  const blank = last === 'PLACEHOLDER_LAST' ? ' (PLACEHOLDER_LAST: more than the last id so far)' : '';
  const driver = provisionerOf(c)?.name;
  return [
    recreateClass(c, `with a wider range of group ids, gidRangeEnd=${last}${blank}`, {
      parameters: { gidRangeEnd: last },
    }),
    ...restartDriver(c).map((each) => ({
      ...each,
      text: `If the same error comes again, restart the controller${driver === undefined ? '' : ` of ${driver}`}: older versions keep the first range in memory, and do not reuse the ids of deleted volumes.`,
    })),
  ];
}

const raiseLimit = fix(
  'Ask the owner of the storage for more of what the error names, or free some of it. The claim is then provisioned automatically, within 5 minutes.',
);

/** Volumes that nothing claims any more, and that were kept on purpose: only a person knows whether their data is needed. */
function freeVolume(c: PresentClaim, { sense }: ProvisionError): Fix[] {
  if (sense?.about === 'throttling' || sense?.about === 'placement') return [];
  const driver = provisionerOf(c)?.name;
  const kept = c.ask.seen('PersistentVolume').filter((volume) => isKept(volume, driver));
  const [largest] = kept;
  if (!largest) return [];
  const { name } = largest.metadata;
  return [
    steps(
      `Free what pv/${name} holds (${largest.spec?.capacity?.['storage'] ?? 'size unknown'}, Released, policy Retain), if its data is not needed: with policy Delete, the volume is deleted on the storage.${kept.length > 1 ? ` ${kept.length - 1} more volumes of this driver are Released.` : ''}`,
      [patchCommand(largest, { spec: { persistentVolumeReclaimPolicy: 'Delete' } })],
      'data-loss',
    ),
  ];
}

function isKept({ spec, status }: Volume, driver: string | undefined): boolean {
  return (
    status?.phase === 'Released' &&
    spec?.persistentVolumeReclaimPolicy === 'Retain' &&
    driver !== undefined &&
    spec.csi?.driver === driver
  );
}
