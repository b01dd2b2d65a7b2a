import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { claimRule } from '../lib/rule.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import { defaultClassOf, noProvisioner } from '../../facts/class/storage-class.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { atLeast } from '../../kube/version.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { almostDefaults } from './class-default-annotation-malformed.ts';
import { makerOf, templateEvidence } from './claim-template.ts';

/** The event is a Normal one, and the same for an empty class name. */
export const noClassText = /no persistent volumes available for this claim and no storage class is set/i;

const mostShown = 3;

/** Neither the claim nor the cluster says which class (pv_controller syncUnboundClaim): it waits for either, or for a volume without a class. */
export const classNilNoDefault = claimRule({
  cause: 'class-nil-no-default',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    if (c.class.source !== 'none' || c.isBound || c.isLost || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    // A volume that comes with the claim may need a moment to become available.
    if (!said && c.ageSeconds < 30) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
    if (defaultClassOf(classes.items)) return undefined;
    const volumes = nearMissesOf(c);
    const proven = classes.complete && volumes.complete;
    const [meant] = almostDefaults(classes.items);
    const candidate =
      meant?.storageClass ?? classes.items.find(({ provisioner }) => provisioner !== noProvisioner) ?? classes.items[0];
    const known = classes.items.map(({ metadata }) => metadata.name);
    const which = meant
      ? `; ${meant.storageClass.metadata.name} is not one, since ${meant.words}`
      : known.length > 0
        ? ` among ${nameAll(known)}`
        : classes.complete
          ? ': there are no classes at all'
          : '';
    const maker = makerOf(c);
    const who =
      maker?.template && maker.template.className === undefined
        ? `the claim names no class, nor does the template of statefulset/${maker.set}`
        : 'the claim names no class';
    return {
      confidence: proven ? 'certain' : said || classes.complete ? 'likely' : 'possible',
      about: 'no default class',
      summary:
        said || classes.complete
          ? `${who}, and the cluster has no default class${which}`
          : `${who}, and none was filled in: most likely the cluster has no default class`,
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set'),
        ...(maker ? templateEvidence(maker) : []),
        ...classes.items.slice(0, mostShown).map((storageClass) => note(storageClass, 'not the default class')),
        // A volume without a class could still serve it: why each of them does not.
        ...missEvidence(
          volumes.misses.filter(({ failed }) => !failed.includes('claimed')),
          c.claim,
        ),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [...giveDefault(c, candidate, classes.complete && known.length === 0), ...remakeClaim(c)],
    };
  },
});

/** Before 1.26 a class is filled in only when a claim is made (pv_controller assignDefaultStorageClass). */
function fillsInLater(c: PresentClaim): boolean {
  return atLeast(c.ask.graph.serverVersion, 1, 26) !== false;
}

function giveDefault(c: PresentClaim, candidate: StorageClass | undefined, hasNone: boolean): Fix[] {
  const then = fillsInLater(c)
    ? ': the claim then gets it by itself (Kubernetes 1.26 and later)'
    : ': this version of Kubernetes gives it to new claims only, so the claim has to be made again after that';
  if (hasNone)
    return [
      fix(`install a storage driver and create a class for it as the default class${then}`),
      fix(
        `or create a volume without a class by hand${c.request === undefined ? '' : `, of at least ${c.request}`}: the claim then takes it by itself`,
      ),
    ];
  if (!candidate)
    return [fix(`look which classes there are, and make one the default${then}`, 'kubectl get storageclass')];
  return [
    fix(
      `make one class the default, such as ${candidate.metadata.name}${then}`,
      `kubectl annotate storageclass ${shellWord(candidate.metadata.name)} storageclass.kubernetes.io/is-default-class=true --overwrite`,
    ),
  ];
}

/** The claim of a set is made from its template, which cannot be changed in place: without another one the same claim comes back. */
function remakeClaim(c: PresentClaim): Fix[] {
  const maker = makerOf(c);
  const claim = `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`;
  const start = fillsInLater(c) ? 'or' : 'then';
  if (!maker)
    return [
      fix(
        fillsInLater(c)
          ? 'or delete the claim and make it again with a class (of a StatefulSet: in its template)'
          : 'then delete the claim and make it again, with a class or for the default one (of a StatefulSet: in its template)',
        claim,
        'disruptive',
      ),
    ];
  const both = `kubectl ${inNamespace(c.namespace)}delete ${shellWord(`pvc/${c.name}`)} ${shellWord(`pod/${maker.pod}`)}`;
  const className = maker.template?.className;
  if (className !== undefined)
    return [
      fix(
        `${start} delete the claim and its pod: statefulset ${maker.set} makes both again, with class ${className} of its template`,
        both,
        'disruptive',
      ),
    ];
  return [
    fix(
      `or give the template a class: delete statefulset ${maker.set} without its pods, and apply it again with a class in the template`,
      `kubectl ${inNamespace(c.namespace)}delete statefulset ${shellWord(maker.set)} --cascade=orphan`,
      'disruptive',
    ),
    fix('then delete the claim and its pod: the set makes both again', both, 'disruptive'),
  ];
}
