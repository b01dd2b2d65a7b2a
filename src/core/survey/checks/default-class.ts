import type { StorageClass } from '../../kube/kinds.ts';
import type { CheckFinding } from '../../report/check.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { refOf } from '../../graph/inquiry.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import { betaClassAnnotation, defaultClassOf, isDefaultClass } from '../../facts/class/storage-class.ts';
import { ownFinding } from './own-finding.ts';

const isDefaultAnnotation = 'storageclass.kubernetes.io/is-default-class';

/** More than one default class, or none although StatefulSets create claims that rely on one. */
export function defaultClassFindings(ask: Inquiry, namespace: string | undefined): CheckFinding[] {
  const classes = ask.list('StorageClass', undefined, 'which class is the default');
  const defaults = classes.items.filter(isDefaultClass);
  const winner = defaultClassOf(defaults);
  if (winner && defaults.length > 1) return [severalDefaults(defaults, winner)];
  // Without any class object, claims without a class bind to volumes without one.
  if (winner || !classes.complete || classes.items.length === 0) return [];
  return setsWithoutClass(ask, namespace);
}

function severalDefaults(defaults: readonly StorageClass[], winner: StorageClass): CheckFinding {
  const names = defaults.map(({ metadata }) => metadata.name);
  const others = names.filter((name) => name !== winner.metadata.name).sort(compareText);
  const summary =
    `${defaults.length} StorageClasses are marked as the default (${names.join(', ')}). ` +
    `A claim without a class gets the most recently created, ${winner.metadata.name}.`;
  return {
    id: 'class-default-multiple',
    type: 'cause',
    severity: 'warning',
    confidence: 'certain',
    object: refOf(winner),
    summary,
    group: summary,
    evidence: defaults.map((each) => note(each, 'is a default class', each.metadata.creationTimestamp)),
    fix: [
      fix(
        'leave one default class',
        `kubectl annotate storageclass ${others.map(shellWord).join(' ')} ${isDefaultAnnotation}=false ` +
          'storageclass.beta.kubernetes.io/is-default-class- --overwrite',
      ),
    ],
  };
}

function setsWithoutClass(ask: Inquiry, namespace: string | undefined): CheckFinding[] {
  const sets = ask.list('StatefulSet', namespace, 'which StatefulSets count on a default class').items;
  const group = 'there is no default class, and StatefulSets make claims that name none';
  return sets.flatMap((set) => {
    const index = (set.spec?.volumeClaimTemplates ?? []).findIndex(
      ({ spec, metadata }) =>
        spec?.storageClassName === undefined &&
        metadata?.annotations?.[betaClassAnnotation] === undefined &&
        !spec?.volumeName,
    );
    if (index < 0) return [];
    return [
      ownFinding('default-class-missing', set, {
        summary:
          `statefulset/${set.metadata.name} makes claims that name no class, and there is no default class: ` +
          'its next claim stays Pending',
        group,
        evidence: [field(set, `spec.volumeClaimTemplates[${index}].spec.storageClassName`, 'not set')],
        fix: [
          fix(
            'make one class the default',
            `kubectl annotate storageclass NAME ${isDefaultAnnotation}=true --overwrite`,
          ),
        ],
      }),
    ];
  });
}
