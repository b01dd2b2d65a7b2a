import type { ObjectOf } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { confidenceOf, refusalEvidence, refusalRule } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner, retryCommands, retryText } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

type LimitRange = ObjectOf<'LimitRange'>;

interface Breach {
  readonly range: LimitRange;
  /** The position of the limit in the range. */
  readonly index: number;
  readonly bound: 'min' | 'max';
  readonly limit: string;
}

/** LimitRanger looks at the request alone (plugin/pkg/admission/limitranger PersistentVolumeClaimLimitFunc). */
export const pvcCreateDeniedLimitrange = refusalRule(
  'pvc-create-denied-limitrange',
  'limitRange',
  (c, unmade, refusal) => {
    const ranges = c.ask.list('LimitRange', c.namespace, 'whether a limit range allows the size').items;
    const breaches = ranges.flatMap((range) => breachesOf(range, requestOf(unmade)));
    const [breach] = breaches;
    if (!breach && !refusal) return undefined;
    return {
      confidence: confidenceOf(breach !== undefined, refusal),
      about: `${c.namespace}/${breach?.range.metadata.name ?? unmade.label}`,
      summary:
        `${claimText(c)}, which ${unmade.label} needs, was never created: ` +
        `${breach ? breachText(breach, unmade) : refusalText(refusal, unmade)}.`,
      evidence: evidenceOf(c, unmade, breaches, refusal),
      fix: advise(c, unmade, breach, refusal),
    };
  },
);

function requestOf({ spec }: UnmadeClaim): string | undefined {
  return spec?.resources?.requests?.['storage'];
}

/** The limits of a range that a request does not keep. */
export function breachesOf(range: LimitRange, request: string | undefined): Breach[] {
  return (range.spec?.limits ?? []).flatMap(({ type, min, max }, index): Breach[] => {
    if (type !== 'PersistentVolumeClaim' || request === undefined) return [];
    const least = min?.['storage'];
    const most = max?.['storage'];
    if (least !== undefined && compareQuantities(request, least) < 0)
      return [{ range, index, bound: 'min', limit: least }];
    return most !== undefined && compareQuantities(request, most) > 0
      ? [{ range, index, bound: 'max', limit: most }]
      : [];
  });
}

function breachText({ range, bound, limit }: Breach, unmade: UnmadeClaim): string {
  const side = bound === 'min' ? 'least' : 'most';
  return `it asks for ${requestOf(unmade) ?? 'a size'}, and LimitRange "${range.metadata.name}" allows at ${side} ${limit}`;
}

/** The limit that the refusal names, for a LimitRange that could not be read or has been changed since. */
function limitOf(refusal: Refusal | undefined): { readonly side: string; readonly limit: string | undefined } {
  const [, bound, limit] =
    /(minimum|maximum) storage usage per PersistentVolumeClaim is ([^\s,]+?)(?:[,.]\s|[,.]?$)/i.exec(
      refusal?.text ?? '',
    ) ?? [];
  return { side: bound?.toLowerCase() === 'minimum' ? 'least' : 'most', limit };
}

function refusalText(refusal: Refusal | undefined, unmade: UnmadeClaim): string {
  const { side, limit = 'another size' } = limitOf(refusal);
  return `it asks for ${requestOf(unmade) ?? 'a size'}, and a LimitRange allows at ${side} ${limit}`;
}

function evidenceOf(
  c: ClaimCase,
  unmade: UnmadeClaim,
  breaches: readonly Breach[],
  refusal: Refusal | undefined,
): Explanation['evidence'] {
  return [
    absenceOf(c),
    field(unmade.owner, `${unmade.path}.spec.resources.requests.storage`, requestOf(unmade) ?? 'not set'),
    ...breaches.map(({ range, bound, limit }) =>
      field(range, `spec.limits[PersistentVolumeClaim].${bound}.storage`, limit),
    ),
    ...refusalEvidence(refusal),
  ];
}

function advise(c: ClaimCase, unmade: UnmadeClaim, breach: Breach | undefined, refusal: Refusal | undefined): Fix[] {
  const limit = breach?.limit ?? limitOf(refusal).limit ?? 'PLACEHOLDER_SIZE';
  const ask = remakeOwner(unmade, `with ${limit}`, { 'spec.resources.requests.storage': limit });
  return breach ? [changeLimit(c, unmade, breach), ask] : [ask];
}

/** The list has no merge key, so that the limit is changed by its position, if it is still the same. */
function changeLimit(c: ClaimCase, unmade: UnmadeClaim, { range, index, bound, limit }: Breach): Fix {
  const size = requestOf(unmade) ?? 'PLACEHOLDER_SIZE';
  const path = `/spec/limits/${index}/${bound}/storage`;
  const patch = [
    { op: 'test', path, value: limit },
    { op: 'replace', path, value: size },
  ];
  return steps(`Let LimitRange "${range.metadata.name}" allow ${size}; its owner decides.${retryText(unmade)}`, [
    kubectl('patch', range, `--type=json -p ${shellWord(JSON.stringify(patch))}`),
    ...retryCommands(unmade, c.now),
  ]);
}
