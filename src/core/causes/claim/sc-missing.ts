import type { Pod, StorageClass, Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, isDelayed, noProvisioner, resolveClass } from '../../facts/class/storage-class.ts';
import { absent, field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { fitClaim, giveClassFix } from '../bind/make-fit.ts';
import { classChange, provisionChange, recreateClaim, selectorText } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { classText, classesInUse, otherClasses } from '../provision/other-class.ts';
import { dynamicClassesText } from './dynamic-classes.ts';
import { saidOnClaim } from './said-on-claim.ts';

/** pv_controller findProvisionablePlugin: the claim is retried forever, and recovers as soon as the class appears. */
export const scMissing = claimRule({
  cause: 'sc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { name } = c.class;
    if (name === '' || c.isBound || c.isLost || c.storageClass?.state === 'found') return undefined;
    const isProven = c.storageClass?.state === 'missing';
    const said = saidMissing(c);
    if (!isProven && !isProbable(c, said)) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'which classes there are');
    const near = nearClass(c, classes);
    const miss = isProven ? missByClass(c, classes, near) : undefined;
    return {
      confidence: confidenceOf(isProven, said),
      about: name,
      summary:
        `StorageClass "${name}" does not exist, and ${claimText(c)} names ` +
        `it.${othersText(classes, near)}${miss ? offerText(name, miss.volume) : ''}`,
      evidence: [
        classField(c),
        ...(isProven ? [absent('StorageClass', name)] : []),
        ...(miss ? missEvidence([miss], c.claim) : []),
        ...saidOnClaim(c, said),
      ],
      fix: advise(c, classes, near, miss),
    };
  },
});

function saidMissing(c: PresentClaim): EventMatch | undefined {
  const said = newestMatch(
    c.events.items,
    'ProvisioningFailed',
    /storageclass(?:es)?(?:\.storage\.k8s\.io)? "([^"]+)" not found/i,
  );
  return said?.match[1] === c.class.name ? said : undefined;
}

/**
 * Where classes cannot be read, the controller's event or a weak sign has to do; statically created volumes need no
 * class object behind their class name.
 */
function isProbable(c: PresentClaim, said: EventMatch | undefined): boolean {
  return (said !== undefined || looksImmediate(c)) && !c.looksStatic;
}

function confidenceOf(isProven: boolean, said: EventMatch | undefined): Confidence {
  if (isProven) return 'certain';
  return said ? 'likely' : 'possible';
}

function nearClass(c: PresentClaim, classes: Listing<StorageClass>): string | undefined {
  const { name } = c.class;
  return c.ask.graph.remember(`class like ${name}`, () => nearestName(name, namesOf(classes)));
}

function namesOf({ items }: Listing<StorageClass>): string[] {
  return items.map(({ metadata }) => metadata.name);
}

function othersText(classes: Listing<StorageClass>, near: string | undefined): string {
  if (near) return ` The closest match is "${near}".`;
  return dynamicClassesText(classes);
}

function offerText(className: string, volume: Volume): string {
  const { name } = resolveClass(volume);
  const has = name === '' ? 'has none' : `has class "${name}"`;
  return ` pv/${volume.metadata.name} would fit if its class were "${className}"; it ${has}.`;
}

function classField(c: PresentClaim): Evidence {
  const isAnnotated = c.class.source === 'annotation';
  const path = isAnnotated ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName';
  return field(c.claim, path, c.class.name);
}

function advise(
  c: PresentClaim,
  classes: Listing<StorageClass>,
  near: string | undefined,
  miss: NearMiss | undefined,
): Fix[] {
  return [
    ...(miss ? useVolume(c, miss) : []),
    ...(miss && near === undefined ? [] : [useClass(c, near)]),
    createClass(c, classes),
    ...(c.ask.hasMoreVolumesFor(c.class.name) ? [searchVolumes(c)] : []),
  ];
}

/** A volume that was created by hand may be among those that were not searched. */
function searchVolumes(c: PresentClaim): Fix {
  const path = `{range .items[?(@.spec.storageClassName==${JSON.stringify(c.class.name)})]}{.metadata.name}{"\n"}{end}`;
  return steps(
    'If a volume that was created by hand is meant for the claim, list the volumes of class ' +
      `"${c.class.name}": only the first volumes of the cluster were searched for one.`,
    [`kubectl get persistentvolumes -o jsonpath=${shellWord(path)}`],
  );
}

/** The class of nearly that name, or one that is known to work. */
function useClass(c: PresentClaim, near: string | undefined): Fix {
  const others = otherClasses(c);
  const chosen = others.find(({ name }) => name === near) ?? (near === undefined ? others[0] : undefined);
  const name = chosen?.name ?? near;
  const [used] = name === undefined ? classesInUse(c) : [];
  if (used !== undefined)
    return recreateClaim(
      c,
      `with StorageClass "${used}", with which other claims are bound, if its volumes suit the application`,
      provisionChange(c, used),
    );
  if (name === undefined)
    return recreateClaim(c, 'with a StorageClass that exists (PLACEHOLDER_CLASS; ask the owners of the cluster)', {
      ...classChange(c, 'PLACEHOLDER_CLASS'),
    });
  const how =
    'with ' +
    `${chosen ? classText(chosen) : `StorageClass "${name}"`}${selectorText(c)}${near === undefined ? ', if its volumes suit the application' : ''}`;
  return recreateClaim(c, how, provisionChange(c, name), thenText(c, name));
}

/** With WaitForFirstConsumer the volume is provisioned where the first pod runs. */
function thenText(c: PresentClaim, name: string): string {
  const find = (each: string): StorageClass | undefined => c.ask.graph.find('StorageClass', undefined, each);
  const chosen = find(name);
  if (chosen && isDelayed(chosen)) return 'The volume is then provisioned when a pod uses the claim.';
  const delayed = otherClasses(c, (each) => each.provisioner === chosen?.provisioner && isDelayed(each))[0];
  return (
    'The volume is then provisioned ' +
    `automatically.${delayed && chosen ? ` Choose "${delayed.name}" instead if the volume should follow the pod.` : ''}`
  );
}

function createClass(c: PresentClaim, classes: Listing<StorageClass>): Fix {
  const { name } = c.class;
  const provisioners = [...new Set(classes.items.map(({ provisioner }) => provisioner))].filter(
    (provisioner) => provisioner !== undefined && provisioner !== noProvisioner,
  );
  const provisioner = provisioners.length === 1 ? provisioners[0] : 'PLACEHOLDER_PROVISIONER';
  const manifest = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
    parameters: { PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' },
  };
  return steps(
    `If "${name}" should exist here, create it with the parameters it has elsewhere (PLACEHOLDER_KEY, ` +
      `PLACEHOLDER_VALUE${provisioners.length === 1 ? '' : '; PLACEHOLDER_PROVISIONER is the driver'}). The ` +
      'claim then continues automatically.',
    [applyCommand(manifest)],
  );
}

function useVolume(c: PresentClaim, { volume, failed }: NearMiss): Fix[] {
  return [giveClassFix(c, volume), fitClaim(c, volume, failed)];
}

/**
 * A statically created volume that misses the claim by the name of the class alone: one of nearly that name, or else,
 * where no existing class has nearly that name, one of a class that does not exist. The volumes were read already, to
 * tell whether the class is missing (candidateScope).
 */
function missByClass(
  c: PresentClaim,
  classes: Listing<StorageClass>,
  nearClassName: string | undefined,
): NearMiss | undefined {
  if (c.volumeName !== '' || (c.claim.spec?.dataSource ?? c.claim.spec?.dataSourceRef)) return undefined;
  const misses = nearMissesOf(c).misses.filter(isStaticAndOfOtherClass);
  const classNames = misses.map(({ volume }) => resolveClass(volume).name);
  const near = nearestName(
    c.class.name,
    classNames.filter((name) => name !== ''),
  );
  if (near !== undefined) return misses.find(({ volume }) => resolveClass(volume).name === near);
  if (nearClassName !== undefined) return undefined;
  const known = namesOf(classes);
  return misses.find(({ volume }) => !known.includes(resolveClass(volume).name));
}

function isStaticAndOfOtherClass({ failed, volume }: NearMiss): boolean {
  return (
    failed.every((check) => check === 'class') && volume.metadata.annotations?.[provisionedByAnnotation] === undefined
  );
}

/**
 * A missing class counts as Immediate, and a class that exists and is Immediate would have left its provisioner's
 * name on the claim: a weak sign, for a dump that holds neither classes nor events. Where events can be read the
 * controller would report it again and again; and the scheduler may mean another claim of the pod.
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
