import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { limitWords, namedPoolText, neededQuota, noneOfNoneText } from '../lib/driver-error/senses/capacity.ts';
import { formatBytes } from '../../kube/quantity.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { addressed, ownerOfStorage } from '../lib/storage-behind.ts';
import { copiesOf, namedParameters, spokenEntry, spokenParameter } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { cloudQuota } from './cloud-quota.ts';
import { answerRule, parameterEvidence, parameterWords, senseFix, tellWords } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { limitFix, namedLimit } from './named-limit.ts';
import { giveOtherValue } from './other-value.ts';
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
    noneOfNoneText.test(error.text)
      ? 'the driver has none of that kind'
      : `${sense?.meaning ?? ''}${freeText(c, error)}` || undefined,
  );
}

/** How much there is, where the text has the number. */
function freeText(c: PresentClaim, { text, sense }: ProvisionError): string {
  const limit = sense?.about === 'space' ? namedLimit(c.request, text) : undefined;
  return limit?.kind === 'most'
    ? `: it has ${formatBytes(limit.bytes)} free, and the claim asks for ${c.request ?? 'more'}`
    : '';
}

/** The range of group ids decides, though the text does not name it. */
function parametersFor(c: PresentClaim, error: ProvisionError): NamedParameter[] {
  if (error.sense?.about !== 'groupIds') {
    const named = namedParameters(c, error);
    const copies = error.sense?.about === 'placement' ? copiesOf(c) : undefined;
    return copies && named.every(({ name }) => name !== copies.name) ? [copies, ...named] : named;
  }
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name]) => /^gidRange/.test(name))
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name > b.name ? -1 : 1));
}

function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  const [named] = namedParameters(c, error);
  if (error.sense?.about === 'groupIds') return widenGroupIds(c);
  const asksWrongly = named && (noneOfNoneText.test(error.text) || error.sense?.advice === undefined);
  const correct = named && [giveOtherValue(c, named, 'the driver has')];
  const raise =
    error.sense?.advice === undefined
      ? [raiseLimit(c, error)]
      : withLimit(c, askFor(c, senseFix(c, error), error), error);
  if (correct && noneOfNoneText.test(error.text)) return correct;
  if (asksWrongly) return [...(correct ?? []), ...raise];
  return [...raise, ...askForLess(c, error), ...freeVolume(c, error), ...sacrificeOf(error), ...(correct ?? [])];
}

/** Deleting makes room too, and is a step of its own: raising a limit is safe, this is not. */
function sacrificeOf({ sense }: ProvisionError): Fix[] {
  return sense?.sacrifice === undefined ? [] : [steps(sense.sacrifice, [], 'data-loss')];
}

/** Where the text has the numbers, the claim can ask for what there is; with fewer copies, fewer nodes need room. */
function askForLess(c: PresentClaim, error: ProvisionError): Fix[] {
  if (error.sense?.about === 'space') {
    const smaller = limitFix(c, error.text);
    return smaller ? [smaller] : [];
  }
  const copies = error.sense?.about === 'placement' ? copiesOf(c) : undefined;
  if (!copies || Number(copies.value) < 2) return [];
  return [
    recreateClass(
      c,
      `with fewer copies of each volume, ${copies.name}=PLACEHOLDER_COPIES (now ${copies.value}), if fewer nodes or pools are to hold them`,
      { parameters: { [copies.name]: 'PLACEHOLDER_COPIES' } },
    ),
  ];
}

/** Who adds the space, and where, as far as the driver and the text show it. */
function askFor(c: PresentClaim, fixes: Fix[], error: ProvisionError): Fix[] {
  const owner = ownerOfStorage(provisionerOf(c)?.name);
  const spoken = spokenParameter(c, error);
  const pool = (spoken && spokenEntry(spoken, error.text)) ?? namedPoolText.exec(error.text)?.[1];
  return fixes.map((each) => ({
    ...each,
    text: each.text
      .replace('the storage or the pool that the error names', pool === undefined ? 'the storage' : `"${pool}"`)
      .replace(/^Add /, owner === undefined ? 'Add ' : `Ask ${owner} to add `)
      .replace(', or free some.', owner === undefined ? ', or free some.' : ', or to free some.')
      .replace(', or bring those back', owner === undefined ? ', or bring those back' : ', or to bring those back'),
  }));
}

/** The limit by the text's own words, and by its number where some clouds name one: `volume limit (7) has been reached`. */
function withLimit(c: PresentClaim, fixes: Fix[], { text, sense }: ProvisionError): Fix[] {
  const needed = neededQuota(text);
  const words = clauseAround(text, sense?.words ?? '');
  const named = `the quota or limit that the error names${words === undefined ? '' : ` ("${words}")`}${needed === undefined ? '' : ` to at least ${needed}`}`;
  const isQuota = sense?.about === 'quota' || sense?.about === 'count';
  const cloud = isQuota ? cloudQuota(provisionerOf(c)?.name, text) : undefined;
  return fixes.map((each) => {
    const worded = each.text.replace(/the (?:quota or )?limit that the error names/, named);
    if (!cloud || each.command !== undefined) return { ...each, text: worded };
    return steps(`${worded}${cloud.words === '' ? '' : ` ${cloud.words}.`}`, cloud.commands, each.risk);
  });
}

const longestClause = 80;

/** The part of the text between punctuation marks that speaks of the limit, with a name or number after a colon. */
function clauseAround(text: string, words: string): string | undefined {
  const parts = text.split(/([.:;,](?:\s|$)|[{}"\n]|\[\d+\] )/).map((part) => part.trim());
  const isTelling = (part: string): boolean => limitWords.test(part) && part.split(' ').length > 2;
  const telling = parts.findIndex(isTelling);
  const at = telling >= 0 ? telling : parts.findIndex((part) => words !== '' && part.includes(words));
  const clause = parts[at];
  const named = parts[at + 1] === ':' ? parts[at + 2] : undefined;
  if (clause === undefined || clause.length > longestClause || clause === text) return clauseIfShort(text);
  return named === undefined || named === '' || named.length > longestName ? clause : `${clause}: ${named}`;
}

const longestName = 40;

function clauseIfShort(text: string): string | undefined {
  return text.length <= longestClause && !text.includes('"') ? text.replace(/\.$/, '') : undefined;
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
      text:
        'If the same error comes again, restart the ' +
        `controller${driver === undefined ? '' : ` of ${driver}`}: older versions keep the first range in ` +
        'memory, and do not reuse the ids of deleted volumes.',
    })),
  ];
}

function raiseLimit(c: PresentClaim, { text }: ProvisionError): Fix {
  const words = clauseIfShort(text);
  return fix(
    addressed(
      'Ask the owner of the storage for more of what the error ' +
        `names${words === undefined ? '' : ` ("${words}")`}, or free some of it. The claim is then ` +
        'provisioned automatically, within 5 minutes.',
      provisionerOf(c)?.name,
    ),
  );
}

/**
 * Volumes that nothing claims any more, and that were kept on purpose: only a person knows whether their data is
 * needed.
 */
function freeVolume(c: PresentClaim, { sense }: ProvisionError): Fix[] {
  if (sense?.about === 'throttling' || sense?.about === 'placement') return [];
  const driver = provisionerOf(c)?.name;
  const kept = c.ask.seen('PersistentVolume').filter((volume) => isKept(volume, driver));
  const [largest] = kept;
  if (!largest) return [];
  const { name } = largest.metadata;
  return [
    steps(
      `Free what pv/${name} holds (${largest.spec?.capacity?.['storage'] ?? 'size unknown'}, Released, ` +
        'policy Retain), if its data is not needed: with policy Delete, the volume is deleted on the ' +
        `storage.${kept.length > 1 ? ` ${kept.length - 1} more volumes of this driver are Released.` : ''}`,
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
