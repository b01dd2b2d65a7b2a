import type { StorageClass } from '../../kube/kinds.ts';
import { atLeast } from '../../kube/version.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, resolveClass } from '../../facts/class/storage-class.ts';
import { field, note } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { nearMissFixes } from '../bind/make-fit.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { classText, classesInUse, otherClasses } from '../provision/other-class.ts';
import type { OtherClass } from '../provision/other-class.ts';
import { makerOf, templateEvidence } from './claim-template.ts';
import { isVolumeStarting } from './volume-start.ts';
import { almostDefaults, defaultAnnotation, needsDefaultClass } from './default-class.ts';
import { dynamicClassesText } from './dynamic-classes.ts';
import { saidOnClaim } from './said-on-claim.ts';
import { noClassText } from '../lib/driver-error/sentences/volume-controller.ts';

/** A volume that is created together with the claim may need a moment to become Available. */
const graceSeconds = 30;
const mostShown = 3;

/**
 * Neither the claim nor the cluster says which class (pv_controller syncUnboundClaim): it waits for either, or for a
 * volume without a class.
 */
export const classNilNoDefault = claimRule({
  cause: 'class-nil-no-default',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    if (!needsDefaultClass(c)) return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
    if (defaultClassOf(classes.items)) return undefined;
    // Only a volume that is about to become Available, or a class that could not be read, is worth the wait.
    const mayChange = !classes.complete || isVolumeStarting(c.ask);
    if (!said && mayChange && c.ageSeconds < graceSeconds) return undefined;
    return {
      confidence: confidenceOf(c, classes, said),
      about: 'no default class',
      summary: summaryOf(c, classes, said),
      evidence: evidenceOf(c, classes, said),
      fix: advise(c, classes),
    };
  },
});

function confidenceOf(c: PresentClaim, classes: Listing<StorageClass>, said: EventMatch | undefined): Confidence {
  const areVolumesKnown = nearMissesOf(c).complete;
  if (classes.complete && areVolumesKnown) return 'certain';
  return said || classes.complete ? 'likely' : 'possible';
}

function summaryOf(c: PresentClaim, classes: Listing<StorageClass>, said: EventMatch | undefined): string {
  const maker = makerOf(c);
  const who =
    maker?.template && maker.template.className === undefined
      ? `${claimText(c)} names no StorageClass, nor does its template in statefulset/${maker.set}`
      : `${claimText(c)} names no StorageClass`;
  if (said && !classes.complete && classes.items.length === 0)
    return `${who}, and no default class was filled in.${nearText(c)}`;
  return said || classes.complete
    ? `${who}, and the cluster has no default class.${whichText(classes) || nearText(c)}`
    : `${who}, and none was filled in. The cluster most likely has no default class.`;
}

/** A free volume without a class that one check keeps from the claim. */
function nearMissOf(c: PresentClaim): NearMiss | undefined {
  const [miss] = nearMissesOf(c).misses;
  return miss?.failed.length === 1 && miss.volume.status?.phase === 'Available' ? miss : undefined;
}

function nearText(c: PresentClaim): string {
  const miss = nearMissOf(c);
  const [check] = miss?.failed ?? [];
  if (miss?.reason === 'class')
    return ` pv/${miss.volume.metadata.name}, which is free, would fit if the claim named its class "${resolveClass(miss.volume).name}".`;
  if (!miss || !check) return '';
  const alike = nearMissesOf(c).misses.filter(
    ({ volume, failed }) =>
      failed.length === 1 &&
      volume.status?.phase === 'Available' &&
      missClause(volume, c.claim, check) === missClause(miss.volume, c.claim, check) &&
      failed[0] === check,
  );
  const names = nameAll(alike.map(({ volume }) => `pv/${volume.metadata.name}`));
  const which = alike.length > 1 ? 'each of them' : 'that';
  return ` It could bind to ${names} without one, but ${which} ${missClause(miss.volume, c.claim, check)}.`;
}

function whichText(classes: Listing<StorageClass>): string {
  const [meant] = almostDefaults(classes.items);
  if (meant) return ` "${meant.storageClass.metadata.name}" is not one: ${meant.words}.`;
  return dynamicClassesText(classes);
}

function evidenceOf(
  c: PresentClaim,
  classes: Listing<StorageClass>,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const maker = makerOf(c);
  // A volume without a class could still serve it: each line says why one does not.
  const free = nearMissesOf(c).misses.filter(({ failed }) => !failed.includes('claimed'));
  return [
    field(c.claim, 'spec.storageClassName', 'not set'),
    ...(maker ? templateEvidence(maker) : []),
    ...classes.items.slice(0, mostShown).map((storageClass) => note(storageClass, 'not the default class')),
    ...missEvidence(free, c.claim),
    ...saidOnClaim(c, said),
  ];
}

/** Before 1.26 a class can be given only when a claim is created (pv_controller assignDefaultStorageClass). */
function canBeFilledIn(c: PresentClaim): boolean {
  return atLeast(c.ask.graph.serverVersion, 1, 26) !== false;
}

function advise(c: PresentClaim, classes: Listing<StorageClass>): Fix[] {
  const others = otherClasses(c);
  if (classes.complete && others.length === 0) {
    const near = nearMissOf(c);
    return [...(near ? nearFixes(c, near) : []), installDriver(c), createVolume(c)];
  }
  const chosen = chooseClass(classes, others);
  const near = nearMissOf(c);
  const fitted = near ? nearFixes(c, near) : [];
  const none = !classes.complete && others.length === 0 && !near ? [installIfNone(c)] : [];
  // A volume that was created for a claim without a class was most likely intended for this one.
  if (chosen === undefined)
    return [...fitted, near ? otherwise(giveClass(c, chosen, others)) : giveClass(c, chosen, others), ...none];
  const [meant] = almostDefaults(classes.items);
  // A class that was intended as the default is repaired for all claims.
  return meant?.storageClass.metadata.name === chosen.name && canBeFilledIn(c)
    ? [
        makeDefault(c, chosen, `Make ${classText(chosen)} the default class, as was meant`),
        giveClass(c, chosen, others),
      ]
    : [giveClass(c, chosen, others), makeDefault(c, chosen)];
}

function otherwise(fix: Fix): Fix {
  return { ...fix, text: `If a new volume is wanted instead: ${fix.text.charAt(0).toLowerCase()}${fix.text.slice(1)}` };
}

/** The class of a claim that has none can be set; that of the volume is what its author wrote. */
function nearFixes(c: PresentClaim, near: NearMiss): Fix[] {
  if (near.reason !== 'class') return nearMissFixes(c, near);
  const { name } = resolveClass(near.volume);
  const condition = `If pv/${near.volume.metadata.name} is meant for the claim, give the claim`;
  return canBeFilledIn(c)
    ? [
        steps(
          `${condition} its class "${name}": a class that is not set can be set in place. The two are then ` +
            'bound within 15 seconds, or once a pod uses the claim.',
          [patchCommand(c.claim, { spec: { storageClassName: name } })],
        ),
      ]
    : [
        recreateClaim(
          c,
          `with StorageClass "${name}", if pv/${near.volume.metadata.name} is meant for it`,
          classChange(c, name),
        ),
      ];
}

/** The classes could not be read, so it is not known whether there are any. */
function installIfNone(c: PresentClaim): Fix {
  const { text, ...rest } = installDriver(c);
  return {
    ...rest,
    text: `If the cluster has no StorageClass at all: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  };
}

/** The class that was intended as the default, one that is known to work, or the only one that provisions. */
function chooseClass(classes: Listing<StorageClass>, others: readonly OtherClass[]): OtherClass | undefined {
  const [meant] = almostDefaults(classes.items);
  const [first, ...rest] = others;
  const named = others.find(({ name }) => name === meant?.storageClass.metadata.name);
  if (named) return named;
  return first && (first.bound > 0 || rest.length === 0) ? first : undefined;
}

/** ValidatePersistentVolumeClaimUpdate: a class that is not set may be set once, from 1.26 on. */
function giveClass(c: PresentClaim, chosen: OtherClass | undefined, others: readonly OtherClass[]): Fix {
  const [used] = chosen || others.length > 0 ? [] : classesInUse(c);
  if (used !== undefined && canBeFilledIn(c))
    return steps(
      `Give the claim StorageClass "${used}", with which other claims are bound: a class that is not set ` +
        'can be set in place. Its volume is then provisioned automatically.',
      [patchCommand(c.claim, { spec: { storageClassName: used } })],
    );
  const name = chosen?.name ?? 'PLACEHOLDER_CLASS';
  const list = others.length === 0 ? '' : ` is one of ${nameAll(others.map(({ name: other }) => other))}`;
  const words = chosen
    ? ''
    : ` PLACEHOLDER_CLASS${list === '' ? ' is a class in the output of the first line' : list}.`;
  const what = chosen ? classText(chosen) : 'a StorageClass';
  if (!canBeFilledIn(c))
    return recreateClaim(
      c,
      `with ${what}`,
      classChange(c, name),
      words.replace('the output of the first line', 'the cluster').trim(),
    );
  return steps(
    `Give the claim ${what}: a class that is not set can be set in place.${words} Its volume is then provisioned automatically.`,
    [
      ...(chosen || list !== '' ? [] : ['kubectl get storageclasses']),
      patchCommand(c.claim, { spec: { storageClassName: name } }),
    ],
  );
}

function makeDefault(
  c: PresentClaim,
  chosen: OtherClass,
  intro = `If claims without a class should work in this cluster, make ${classText(chosen)} the default class`,
): Fix {
  const then = canBeFilledIn(c)
    ? 'Every claim without a class then gets it automatically, this one within 15 seconds.'
    : 'This version of Kubernetes gives it to new claims only: recreate the claim afterwards.';
  return steps(`${intro}. ${then}`, [
    kubectl(
      'annotate',
      { kind: 'StorageClass', metadata: { name: chosen.name } },
      `${defaultAnnotation}=true --overwrite`,
    ),
  ]);
}

function installDriver(c: PresentClaim): Fix {
  const then = canBeFilledIn(c) ? ' The claim then gets it automatically.' : ' Then recreate the claim.';
  return steps(`Install a storage driver and create a default StorageClass for it.${then}`, []);
}

function createVolume(c: PresentClaim): Fix {
  return createVolumeFix(
    c,
    `Create a PersistentVolume without a class by hand, of at least ${c.request ?? 'the size asked for'}.`,
  );
}
