import type { Inquiry } from '../../graph/inquiry.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Claim, ObjectOf, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import type { Named } from '../lib/steps.ts';
import { retainCommand } from './data-first.ts';
import { isOfGarbageCollector } from './finalizers.ts';

/** Parts of domains that many controllers share. */
const commonWords = new Set([
  ...['com', 'io', 'org', 'net', 'dev', 'k8s', 'www', 'storage', 'kubernetes', 'pvc', 'pv', 'database', 'example'],
  ...['operator', 'controller', 'volume', 'finalizer', 'finalizers'],
]);

/** The words of a finalizer's domain that may be part of the name of its controller. */
function tellingWords(finalizer: string): string[] {
  const [domain = ''] = finalizer.split('/');
  return domain
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2 && !commonWords.has(word));
}

type Deployment = ObjectOf<'Deployment'>;

/** A Deployment whose name or image fits the finalizer's domain, among those read so far. */
function deploymentBehind(ask: Inquiry, finalizer: string): Deployment | undefined {
  const words = tellingWords(finalizer);
  return ask
    .seen('Deployment')
    .find(({ metadata, spec }) =>
      words.some((word) => [metadata.name, ...imagesOf(spec)].some((name) => name.includes(word))),
    );
}

function imagesOf(spec: Deployment['spec']): string[] {
  return (spec?.template?.spec?.containers ?? []).map(({ image = '' }) => image);
}

/** Gets the controller that has to remove the finalizer to work. `then` says what happens next. */
export function startControllerFix(ask: Inquiry, finalizer: string, then: string): Fix {
  if (isOfGarbageCollector(finalizer)) return collectFix(then);
  const deployment = deploymentBehind(ask, finalizer);
  if (deployment) return startDeployment(deployment, finalizer, then);
  const words = tellingWords(finalizer);
  const filter = words.length > 0 ? ` | grep -i ${words.map((word) => `-e ${shellWord(word)}`).join(' ')}` : '';
  return steps(
    `Start the controller that removes finalizer "${finalizer}". ` +
      'PLACEHOLDER_NAMESPACE and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the first line: ' +
      `scale it up if it shows 0 replicas; if it runs, read its log for what it still waits for. ${then}`,
    [
      `kubectl get deploy,sts -A -o wide${filter}`,
      'kubectl -n PLACEHOLDER_NAMESPACE scale PLACEHOLDER_WORKLOAD --replicas=1',
    ],
  );
}

function startDeployment({ metadata, spec }: Deployment, finalizer: string, then: string): Fix {
  const object: Named = { kind: 'Deployment', metadata };
  const place = `deployment/${metadata.name} in namespace ${metadata.namespace ?? ''}`;
  return spec?.replicas === 0
    ? steps(`Scale ${place} up, which by its name or image removes finalizer "${finalizer}". ${then}`, [
        kubectl('scale', object, '--replicas=1'),
      ])
    : steps(
        `Restart ${place}, which by its name or image removes finalizer "${finalizer}"; ` +
          `if that changes nothing, its log names what it waits for. ${then}`,
        [
          kubectl('rollout restart', object),
          `kubectl ${inNamespace(metadata.namespace)}logs deployment/${shellWord(metadata.name)} --tail=50`,
        ],
        'disruptive',
      );
}

/** The collector waits for dependents that have finalizers themselves, and for an API group that does not answer. */
function collectFix(then: string): Fix {
  return steps(
    'Delete what depends on it and does not go, or repair the API group that hides it: ' +
      'the garbage collector stops while one is unavailable, and the first line names it. ' +
      'The second shows whether the kube-controller-manager, which holds the collector, ' +
      `renews its lease. ${then}`,
    [
      `kubectl get apiservices | grep -v True`,
      'kubectl -n kube-system get lease kube-controller-manager -o jsonpath={.spec.renewTime}',
    ],
  );
}

interface HeldObject extends Named {
  readonly metadata: Named['metadata'] & { readonly finalizers?: readonly string[] };
}

/**
 * The last resort, for a controller that is gone for good. Retain comes first, the object is saved, and the patch
 * removes this finalizer and no other: it fails if the list has changed meanwhile. `when` completes "Remove … by hand
 * only if …".
 */
export function removeFinalizerFix(
  object: HeldObject & (Claim | Volume),
  finalizer: string,
  volume: Volume | undefined,
  when: string,
): Fix {
  const path = `/metadata/finalizers/${(object.metadata.finalizers ?? []).indexOf(finalizer)}`;
  const patch = JSON.stringify([
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
  const kept = volume ? ' Retain keeps the data in the backend.' : '';
  return steps(
    `Remove this one finalizer by hand only if ${when}. What its controller would have cleaned up stays.${kept}`,
    [
      ...(volume ? [retainCommand(volume.metadata.name)] : []),
      saveCommand(object),
      kubectl('patch', object, `--type=json -p ${shellWord(patch)}`),
    ],
    'data-loss',
  );
}
