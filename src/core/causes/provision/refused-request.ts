import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { meantParameter, namedParameters } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { logsOf, parameterEvidence, parameterWords, senseFix, tellWords } from './driver-answer.ts';
import type { Answer } from './driver-answer.ts';
import {
  missingKeyIn,
  missingParameterText,
  parameterMissingTexts,
  requiredParameterText,
} from '../lib/driver-error/senses/request.ts';
import { noSuchZoneTexts } from '../lib/driver-error/senses/missing.ts';
import { dependsOnSizeTexts, sizeUnofferedTexts, sizeWords } from '../lib/driver-error/senses/size.ts';
import { limitFix, namedLimit } from './named-limit.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { listClusters } from '../lib/ceph-clusters.ts';
import { steps } from '../lib/steps.ts';
import type { ProvisionError } from './provision-error.ts';
import { createMissing, missingMeaning } from './missing-name.ts';
import { choicesIn, correctParameter, giveTogether, mentionsWord } from './correct-parameter.ts';
import { likeSource } from './like-source.ts';
import { refusedSource, sourceState } from './refused-source.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';
import { askedText } from './asked-of-class.ts';
import { useWorkingClass } from './working-class.ts';

/** The driver understood the request and refuses it: repeating does not help. */
export function tellRefusal(c: PresentClaim, error: ProvisionError, driver: string): Answer {
  const meaning = meaningOf(c, error);
  return {
    about: c.class.name,
    summary: `${tellWords(`${driver} refuses ${refusedText(c, error)}`, error, meaning)}${chosenZoneText(c, error)}`,
    evidence: evidenceOf(c, error),
    fix: advise(c, error),
  };
}

function meaningOf(c: PresentClaim, error: ProvisionError): string | undefined {
  if (error.sense?.about === 'parameter') return undefined;
  return error.sense?.about === 'missing' ? missingMeaning(c, error) : error.sense?.meaning;
}

/** A parameter is missing, as opposed to one that is wrong. */
function isParameterMissing({ text }: ProvisionError): boolean {
  return parameterMissingTexts.test(text);
}

function isAboutSize(c: PresentClaim, { text }: ProvisionError): boolean {
  return sizeWords.test(text) || namedLimit(c.request, text) !== undefined;
}

function isAboutSizeOnly(c: PresentClaim, error: ProvisionError): boolean {
  return namedLimit(c.request, error.text) !== undefined;
}

/**
 * The parameters that the text mentions, the first one first; a name in a list of those that exist is not the problem.
 */
function blamedParameters(c: PresentClaim, error: ProvisionError): NamedParameter[] {
  const named = namedParameters(c, error);
  if (named.length === 0 && !isAboutSizeOnly(c, error)) {
    const meant = meantParameter(c, error);
    return meant ? [meant] : [];
  }
  if (named.length < 2) return named;
  const text = error.text.toLowerCase();
  const offered = new Set(choicesIn(error.text).map((choice) => choice.toLowerCase()));
  const place = ({ name, value }: NamedParameter): number =>
    Math.min(...[name, value].map((word) => text.indexOf(word.toLowerCase())).filter((index) => index >= 0));
  const blamed = named.filter(({ name, value }) => !offered.has(name.toLowerCase()) || mentionsWord(error.text, value));
  return (blamed.length > 0 ? blamed : named).sort((a, b) => place(a) - place(b));
}

function refusedText(c: PresentClaim, error: ProvisionError): string {
  const named = blamedParameters(c, error);
  if (isParameterMissing(error))
    return `StorageClass "${c.class.name}"${named.length > 0 ? ` (${parameterWords(named)})` : ''}`;
  const source = refusedSource(c, error);
  if (source) return `${source.kind} "${source.name}" as the source of the claim`;
  if (refusesSize(error) && isAboutSizeOnly(c, error)) return `the size of ${c.request ?? 'the claim'}`;
  if (named.length > 0) return `${parameterWords(named)} of StorageClass "${c.class.name}"`;
  return isAboutSize(c, error)
    ? `the size of ${c.request ?? 'the claim'}`
    : `what StorageClass "${c.class.name}" and the claim ask for`;
}

function evidenceOf(c: PresentClaim, error: ProvisionError): Evidence[] {
  return [
    ...parameterEvidence(c, blamedParameters(c, error)),
    ...(isAboutSize(c, error) ? [field(c.claim, 'spec.resources.requests.storage')] : []),
  ];
}

/**
 * What the text names is changed: a parameter of the class, the size of the claim, or else what a person reads from it.
 */
function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  const named = blamedParameters(c, error);
  if (error.sense?.about === 'cluster') return [nameKnownCluster(c)];
  const isSize = isAboutSize(c, error) && (named.length === 0 || refusesSize(error));
  const limit = isSize ? limitFix(c, error.text) : undefined;
  const source = sourceState(c, error);
  if (source.length > 0) return source;
  if (limit) return [limit, ...senseFix(c, error)];
  if (isParameterMissing(error)) return [addParameter(c, error)];
  const alike = likeSource(c, error);
  if (alike) return [alike];
  const together = giveTogether(c, error, named);
  if (together) return [together, ...senseFix(c, error)];
  const [parameter] = named;
  if (parameter && error.sense?.about === 'missing')
    return [correctParameter(c, error, parameter), ...createMissing(c, error)];
  if (parameter) return [correctParameter(c, error, parameter), ...senseFix(c, error), ...otherSize(c, error)];
  if (noSuchZoneTexts.test(error.text)) return [setZone(c), ...senseFix(c, error)];
  const known = senseFix(c, error).map((each) => ({
    ...each,
    text: each.text.replace(/^Or (\w)/, (_, letter: string) => letter.toUpperCase()),
  }));
  if (known.length > 0) return known;
  if (refusesSize(error)) return [offeredSize(c), ...useWorkingClass(c)];
  // Without words there is nothing to correct yet: the log comes first.
  return [...(error.text === '' ? logsOf(c) : []), addParameter(c, error), ...useWorkingClass(c)];
}

/** The size is refused, and the text has no number to go by. */
function refusesSize({ text }: ProvisionError): boolean {
  return sizeUnofferedTexts.test(text);
}

function offeredSize(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    `with a size that this kind of volume comes in (PLACEHOLDER_SIZE, now ${c.request ?? 'none'}; the documentation of the storage has the smallest and the largest one)`,
    sizeChange('PLACEHOLDER_SIZE'),
  );
}

/** A parameter that depends on the size: another size may do as well. */
function otherSize(c: PresentClaim, { text }: ProvisionError): Fix[] {
  if (!dependsOnSizeTexts.test(text)) return [];
  return [
    recreateClaim(
      c,
      `with a size that goes with the parameters of the class (PLACEHOLDER_SIZE, now ${c.request ?? 'none'})`,
      sizeChange('PLACEHOLDER_SIZE'),
    ),
  ];
}

/** ceph-csi knows the clusters of its ConfigMap; with Rook, the id of a cluster is the namespace of its CephCluster. */
function nameKnownCluster(c: PresentClaim): Fix {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  const namespace = (leader ?? pods?.items[0])?.metadata.namespace;
  const {
    text,
    commands = [],
    risk,
  } = recreateClass(
    c,
    'with the id of a cluster that the driver knows (PLACEHOLDER_CLUSTER: the first line lists those in ' +
      'its ConfigMap; with Rook, it is the namespace of the CephCluster)',
    { parameters: { clusterID: 'PLACEHOLDER_CLUSTER' } },
    'Waiting claims are retried automatically within 5 minutes. If the cluster is right and new, add it to that ConfigMap instead.',
  );
  return steps(text, [listClusters(namespace), ...commands], risk);
}

/** Names of class parameters that the documentation of a driver gives, by the word that its storage uses for them. */
const classKeys: readonly (readonly [RegExp, string, string])[] = [
  [/ebs/, 'iops', 'iopsPerGB'],
  [/cinder/, 'zone', 'availability'],
  [/ebs|gce|pd\.csi/, 'zone', 'zone'],
];

function classKeyOf(c: PresentClaim, word: string): string | undefined {
  const provisioner = c.storageClassObject?.provisioner ?? '';
  return classKeys.find(([driver, said]) => said === word.toLowerCase() && driver.test(provisioner))?.[2];
}

/** Neither the class nor a node says where, so the zone in the error is no word of theirs to correct. */
function chosenZoneText(c: PresentClaim, { text }: ProvisionError): string {
  const { parameters = {}, allowedTopologies = [], metadata } = c.storageClassObject ?? {};
  if (metadata === undefined || !noSuchZoneTexts.test(text)) return '';
  const isSet = allowedTopologies.length > 0 || Object.keys(parameters).some((key) => /zone|availability/i.test(key));
  if (isSet || c.selectedNode !== undefined) return '';
  return ` StorageClass "${metadata.name}" sets no zone, so the driver chose the one in the error.`;
}

/** The class names no zone, and the one that the driver takes instead does not exist. */
function setZone(c: PresentClaim): Fix {
  const key = classKeyOf(c, 'zone');
  return recreateClass(
    c,
    'with a zone that the storage has ' +
      `(PLACEHOLDER_ZONE${key === undefined ? "; PLACEHOLDER_KEY is the parameter for it in the driver's documentation" : ''})`,
    { parameters: { [key ?? 'PLACEHOLDER_KEY']: 'PLACEHOLDER_ZONE' } },
  );
}

/** What the driver was asked for and may have refused, where the text names none of it. */
function askedFor(c: PresentClaim): string {
  const asked = askedText(c);
  return asked === '' ? '' : `, and the class sets ${asked}`;
}

/** The parameter that the text misses, where it names one. */
function addParameter(c: PresentClaim, { text }: ProvisionError): Fix {
  const missing = missingParameterText.exec(text)?.[1] ?? requiredParameterText.exec(text)?.[1];
  const spelled = missingKeyIn(text);
  if (spelled !== undefined && c.storageClassObject?.parameters?.[spelled] === undefined)
    return recreateClass(
      c,
      `with parameter ${spelled}, which is missing (PLACEHOLDER_VALUE is its value, from the driver's documentation)`,
      { parameters: { [spelled]: 'PLACEHOLDER_VALUE' } },
    );
  const key = missing === undefined ? undefined : classKeyOf(c, missing);
  if (key !== undefined && missing !== undefined)
    return recreateClass(
      c,
      `with parameter ${key}, which is missing (PLACEHOLDER_VALUE is its value; the storage calls it "${missing}")`,
      { parameters: { [key]: 'PLACEHOLDER_VALUE' } },
    );
  return missing === undefined
    ? recreateClass(
        c,
        `with parameters that the driver accepts: its words above say what it refuses${askedFor(c)} (PLACEHOLDER_KEY, PLACEHOLDER_VALUE)`,
        { parameters: { PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' } },
      )
    : recreateClass(
        c,
        `with the parameter that the driver misses ("${missing}"; PLACEHOLDER_KEY is its name in the ` +
          "driver's documentation, PLACEHOLDER_VALUE its value)",
        { parameters: { PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' } },
      );
}
