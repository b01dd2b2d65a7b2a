import type { ObjectOf } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { absenceOf, refusalRule, remakeOwner } from './refusal.ts';

type LimitRange = ObjectOf<'LimitRange'>;

export interface Breach {
  readonly range: LimitRange;
  readonly bound: 'min' | 'max';
  readonly limit: string;
}

/** LimitRanger looks at the request alone (plugin/pkg/admission/limitranger PersistentVolumeClaimLimitFunc). */
export const pvcCreateDeniedLimitrange = refusalRule(
  'pvc-create-denied-limitrange',
  'limitRange',
  (c, unmade, refusal) => {
    const request = unmade.spec?.resources?.requests?.['storage'];
    const ranges = c.ask.list('LimitRange', c.namespace, 'whether a limit range allows the size').items;
    const breaches = ranges.flatMap((range) => breachesOf(range, request));
    const [breach] = breaches;
    if (!breach && !refusal) return undefined;
    const words =
      refusal &&
      /(minimum|maximum) storage usage per PersistentVolumeClaim is ([^\s,]+?)[,.](?: but request is (\S+?)\.?(?:\s|$))?/i.exec(
        refusal.text,
      );
    const bound = breach
      ? breach.bound === 'min'
        ? 'least'
        : 'most'
      : words?.[1]?.toLowerCase() === 'minimum'
        ? 'least'
        : 'most';
    const limit = breach?.limit ?? words?.[2] ?? 'another size';
    return {
      confidence: breach ? 'certain' : (refusal?.confidence ?? 'possible'),
      ...(breach && { about: `${c.namespace}/${breach.range.metadata.name}` }),
      summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: it asks for ${request ?? words?.[3] ?? 'a size'}, and ${breach ? `limit range ${breach.range.metadata.name}` : 'a limit range'} allows at ${bound} ${limit}`,
      evidence: [
        absenceOf(c),
        field(unmade.owner, `${unmade.path}.spec.resources.requests.storage`, request ?? 'not set'),
        ...breaches.map(({ range, bound: side, limit: value }) =>
          field(range, `spec.limits[PersistentVolumeClaim].${side}.storage`, value),
        ),
        ...(refusal ? [refusal.evidence] : []),
      ],
      fix: [
        fix(
          'let the limit range allow the size',
          `kubectl ${inNamespace(c.namespace)}edit limitrange${breach ? ` ${shellWord(breach.range.metadata.name)}` : ''}`,
        ),
        remakeOwner(unmade, 'or ask for a size within the limits'),
      ],
    };
  },
);

export function breachesOf(range: LimitRange, request: string | undefined): Breach[] {
  return (range.spec?.limits ?? []).flatMap(({ type, min, max }): Breach[] => {
    if (type !== 'PersistentVolumeClaim' || request === undefined) return [];
    const least = min?.['storage'];
    const most = max?.['storage'];
    if (least !== undefined && compareQuantities(request, least) < 0) return [{ range, bound: 'min', limit: least }];
    return most !== undefined && compareQuantities(request, most) > 0 ? [{ range, bound: 'max', limit: most }] : [];
  });
}
