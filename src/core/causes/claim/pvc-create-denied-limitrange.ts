import type { ObjectOf } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { confidenceOf, refusalEvidence, refusalRule } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

type LimitRange = ObjectOf<'LimitRange'>;

interface Breach {
  readonly range: LimitRange;
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
      ...(breach && { about: `${c.namespace}/${breach.range.metadata.name}` }),
      summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: ${breach ? breachText(breach, unmade) : refusalText(refusal, unmade)}`,
      evidence: evidenceOf(c, unmade, breaches, refusal),
      fix: advise(c, unmade, breach),
    };
  },
);

function requestOf({ spec }: UnmadeClaim): string | undefined {
  return spec?.resources?.requests?.['storage'];
}

/** The limits of a range that a request does not keep. */
export function breachesOf(range: LimitRange, request: string | undefined): Breach[] {
  return (range.spec?.limits ?? []).flatMap(({ type, min, max }): Breach[] => {
    if (type !== 'PersistentVolumeClaim' || request === undefined) return [];
    const least = min?.['storage'];
    const most = max?.['storage'];
    if (least !== undefined && compareQuantities(request, least) < 0) return [{ range, bound: 'min', limit: least }];
    return most !== undefined && compareQuantities(request, most) > 0 ? [{ range, bound: 'max', limit: most }] : [];
  });
}

function breachText({ range, bound, limit }: Breach, unmade: UnmadeClaim): string {
  const side = bound === 'min' ? 'least' : 'most';
  return `it asks for ${requestOf(unmade) ?? 'a size'}, and limit range ${range.metadata.name} allows at ${side} ${limit}`;
}

/** The limit range itself could not be read, or has been changed since: the refusal names the limit. */
function refusalText(refusal: Refusal | undefined, unmade: UnmadeClaim): string {
  const [, bound, limit = 'another size', request = 'a size'] =
    /(minimum|maximum) storage usage per PersistentVolumeClaim is ([^\s,]+?)[,.](?: but request is (\S+?)\.?(?:\s|$))?/i.exec(
      refusal?.text ?? '',
    ) ?? [];
  const side = bound?.toLowerCase() === 'minimum' ? 'least' : 'most';
  return `it asks for ${requestOf(unmade) ?? request}, and a limit range allows at ${side} ${limit}`;
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

function advise(c: ClaimCase, unmade: UnmadeClaim, breach: Breach | undefined): Fix[] {
  const name = breach ? ` ${shellWord(breach.range.metadata.name)}` : '';
  return [
    fix('let the limit range allow the size', `kubectl ${inNamespace(c.namespace)}edit limitrange${name}`),
    remakeOwner(unmade, 'or ask for a size within the limits'),
  ];
}
