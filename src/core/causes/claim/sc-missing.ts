import type { Pod, Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { newestMatch } from '../../graph/events.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { claimRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { giveClass } from '../bind/closest-volume.ts';

/** pv_controller findProvisionablePlugin: the claim is retried for ever, and heals as soon as the class appears. */
export const scMissing = claimRule({
  cause: 'sc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { name } = c.class;
    if (name === '' || c.isBound || c.isLost || c.storageClass?.state === 'found') return undefined;
    const said = newestMatch(
      c.events.items,
      'ProvisioningFailed',
      /storageclass(?:es)?(?:\.storage\.k8s\.io)? "([^"]+)" not found/i,
    );
    const isTold = said?.match[1] === name;
    // Without the right to read classes the controller's word is all there is.
    const isProven = c.storageClass?.state === 'missing';
    if (!isProven && !isTold && !looksImmediate(c)) return undefined;
    // Volumes that were made by hand need no class object behind their class name: why none of them is taken is told where they are compared.
    if (!isProven && c.looksStatic) return undefined;
    const path =
      c.class.source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName';
    const classes = c.ask.list('StorageClass', undefined, 'which classes there are');
    const known = classes.items.map((storageClass) => storageClass.metadata.name);
    const near = c.ask.graph.remember(`class like ${name}`, () => nearestName(name, known));
    const others = near
      ? `; did you mean ${near}?`
      : known.length > 0
        ? `; there are ${nameAll(known)}`
        : classes.complete
          ? ' and there are no classes at all'
          : '';
    const miss = isProven ? missByClass(c, known, near) : undefined;
    const volume = miss?.volume;
    const offer = volume
      ? `; volume ${volume.metadata.name} would fit if its class were ${name} (it ${classWords(volume)})`
      : '';
    return {
      confidence: isProven ? 'certain' : isTold ? 'likely' : 'possible',
      about: name,
      summary: `class ${name} does not exist${others}${offer}`,
      evidence: [
        field(c.claim, path, name),
        ...(isProven ? [absent('StorageClass', name)] : []),
        ...(miss ? missEvidence([miss], c.claim) : []),
        ...(isTold && said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          `look which classes there are; if ${name} is meant, create it: the claim then goes on by itself`,
          'kubectl get storageclass',
        ),
        ...(volume
          ? [
              fix(
                `or, if the claim is meant for volume ${volume.metadata.name}, give the volume the class of the claim: the two are then bound, and no class of that name need exist`,
                giveClass(volume, name),
              ),
            ]
          : []),
        fix(
          'or delete the claim and make it again with a class that exists: the class of a claim cannot be changed (of a StatefulSet: change its template as well)',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});

/**
 * A volume that was made by hand and misses the claim by the name of the class alone: one of nearly that name, or else, where no class was
 * nearly meant, one that belongs to no class that exists. Whether there are volumes of a class that does not exist was looked up before it was
 * called missing, and the free ones came along (candidateScope).
 */
function missByClass(c: PresentClaim, known: readonly string[], nearClass: string | undefined): NearMiss | undefined {
  if (c.volumeName !== '' || (c.claim.spec?.dataSource ?? c.claim.spec?.dataSourceRef)) return undefined;
  const misses = nearMissesOf(c).misses.filter(
    ({ failed, volume }) =>
      failed.every((check) => check === 'class') &&
      volume.metadata.annotations?.[provisionedByAnnotation] === undefined,
  );
  const near = nearestName(
    c.class.name,
    misses.map(({ volume }) => resolveClass(volume).name).filter((name) => name !== ''),
  );
  if (near !== undefined) return misses.find(({ volume }) => resolveClass(volume).name === near);
  return nearClass === undefined ? misses.find(({ volume }) => !known.includes(resolveClass(volume).name)) : undefined;
}

function classWords(volume: Volume): string {
  const { name } = resolveClass(volume);
  return name === '' ? 'has none' : `is ${name}`;
}

/**
 * A missing class counts as Immediate, and a class that exists and is Immediate would have left its provisioner's
 * name on the claim: a weak sign, for a dump that holds neither classes nor events. Where events can be read the
 * controller would say it, again and again; and another claim of the pod may be the one that is meant.
 */
function looksImmediate(c: PresentClaim): boolean {
  if (c.askedProvisioner !== undefined || c.selectedNode !== undefined || c.ageSeconds < 120 || c.events.complete)
    return false;
  return c.consumers.items.some(
    (pod) => saysUnbound(pod) && claimNamesOf(pod).every((name) => name === c.name || isBoundClaim(c, name)),
  );
}

function saysUnbound(pod: Pod): boolean {
  return storageTexts.unboundImmediate.test(conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? '');
}

function isBoundClaim(c: PresentClaim, name: string): boolean {
  const sibling = c.ask.get('PersistentVolumeClaim', c.namespace, name, `whether pvc/${name} is bound`);
  return sibling.state === 'found' && sibling.object.status?.phase === 'Bound';
}
