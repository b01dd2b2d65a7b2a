import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import { subvolumeGroupText } from '../lib/driver-error/senses/missing.ts';
import { noNodeText, nodeNotConfiguredText } from '../lib/driver-error/senses/request.ts';
import { copyFailedText } from '../lib/driver-error/senses/time.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { blamedParameter, isForSidecar, namedParameters } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import {
  answerRule,
  logsOf,
  parameterEvidence,
  parameterWords,
  senseFix,
  skeletonOf,
  tellWords,
} from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { dataSourceOf } from './data-source.ts';
import { helperPodOf } from './helper-pod.ts';
import { controllerOf, provisionerOf } from './provisioner.ts';
import { createMissing, isMissing, missingMeaning, spokenMeaning } from './missing-name.ts';
import { renewLogin } from './driver-login.ts';
import { ownServiceIn, ownServiceMeaning } from './own-service.ts';
import { allowKey } from './allow-key.ts';
import { askedOf } from './asked-of-class.ts';
import { bringBackBackends } from './bring-back-backends.ts';
import { passFilter } from './storage-filter.ts';
import { giveBlamedValue, giveOtherValue, giveSpokenValue } from './other-value.ts';
import { correctAddress, ownAddressEvidence, ownAddressIn, ownAddressMeaning } from './own-address.ts';
import { restartDriver } from './restart-driver.ts';
import { useWorkingClass } from './working-class.ts';
import { adviseOpaque, adviseUnknown, inspectHelper } from './unknown-words.ts';

/** Any other error of the driver: what it means, only its own words say. */
export const provisionInternal = answerRule('provision-internal', 'internal', (c, error, driver) => {
  const helper = helperPodOf(c, error);
  const failed = helper ? ` Its helper ${helper.words}.` : '';
  return {
    about: `${driver}: ${skeletonOf(error.text)}`,
    summary: `${tellWords(`${driver} cannot create the volume`, error, helper && error.sense?.about === 'helper' ? undefined : meaningOf(c, error))}${failed}`,
    evidence: [
      ...parameterEvidence(c, decisiveParameters(c, error)),
      ...(error.sense?.about === 'protocol' && c.storageClassObject?.mountOptions
        ? [field(c.storageClassObject, 'mountOptions')]
        : []),
      ...(helper?.evidence ?? []),
      ...ownAddressEvidence(c, error),
    ],
    fix: helper ? [...helper.fix] : (settingFix(c, error) ?? advise(c, error, driver)),
  };
});

function decisiveParameters(c: PresentClaim, error: ProvisionError): NamedParameter[] {
  const named = namedParameters(c, error);
  if (error.sense?.about === 'object')
    return [...placeParameters(c), ...named.filter(({ name }) => !isPlaceName(name))];
  const { about } = error.sense ?? {};
  if (named.length === 0 && (about === 'backend' || about === 'filter' || about === 'unsaid')) return askedOf(c);
  if (about === 'ghost') return askedOf(c).filter(({ name }) => /kms|encrypt/i.test(name));
  const blamed = blamedParameter(c, error);
  return blamed && (named.length === 0 || isMissing(error)) ? [blamed] : named;
}

/** Errors of local provisioners that only one setting ends. */
function settingFix(c: PresentClaim, { text }: ProvisionError): Fix[] | undefined {
  if (noNodeText.test(text))
    return [
      recreateClass(
        c,
        'with volumeBindingMode WaitForFirstConsumer',
        { volumeBindingMode: 'WaitForFirstConsumer' },
        'The volume is then created where a pod of the claim runs.',
      ),
    ];
  // local-path-provisioner pickConfig.
  const node = nodeNotConfiguredText.exec(text)?.[1];
  if (node === undefined) return undefined;
  const entry = JSON.stringify({ node, paths: ['PLACEHOLDER_PATH'] });
  return [
    steps(
      `Add ${entry} to nodePathMap in the ConfigMap of the provisioner (PLACEHOLDER_NAMESPACE and ` +
        "PLACEHOLDER_CONFIGMAP, in the first line's output, usually local-path-config). PLACEHOLDER_PATH is " +
        `the directory for volumes on ${node}. The provisioner reads it again within a minute, and the claim ` +
        'is retried automatically within 5 minutes.',
      [
        'kubectl get configmap -A | grep -i local',
        'kubectl -n PLACEHOLDER_NAMESPACE edit configmap PLACEHOLDER_CONFIGMAP',
      ],
    ),
  ];
}

/** `x "y" not found` needs no second sentence that says the same; where the driver looked, does. */
function meaningOf(c: PresentClaim, error: ProvisionError): string | undefined {
  const { sense } = error;
  if (isMissing(error)) return missingMeaning(c, error);
  if (!sense) return spokenMeaning(c, error);
  const own = ownAddressIn(error);
  if (own !== undefined) return ownAddressMeaning(c, own);
  const service = ownServiceIn(c, error);
  if (service) return ownServiceMeaning(service);
  if (sense?.about !== 'object') return sense?.meaning;
  const places = placeParameters(c);
  const missing = missingNamespace(c, places);
  if (missing)
    return `namespace ${missing.value}, which StorageClass "${c.class.name}" names in ${missing.name}, does not exist`;
  return places.length > 0
    ? `this is an object of Kubernetes, which StorageClass "${c.class.name}" names (${parameterWords(places)})`
    : sense.meaning;
}

/** An object that a driver looks for is where parameters of the class say: a misspelt one leads nowhere. */
function parameterFix(c: PresentClaim, error: ProvisionError): Fix[] {
  const known = error.sense?.about === 'object' ? placeParameters(c) : [];
  const [first] = known;
  if (!first) return [];
  const missing = missingNamespace(c, known);
  const wrong = missing ?? first;
  const near = missing && nearestName(missing.value, namespacesOf(c));
  const how =
    near === undefined
      ? `with the right ${known.map(({ name }) => name).join(', ')}, if one of ${parameterWords(known)} is wrong (PLACEHOLDER_VALUE)`
      : `with ${wrong.name}=${near} (namespace ${wrong.value} does not exist)`;
  return [recreateClass(c, how, { parameters: { [wrong.name]: near ?? 'PLACEHOLDER_VALUE' } })];
}

/** The object that the driver misses is one that a parameter of the class names. */
function otherObject(c: PresentClaim, error: ProvisionError): Fix[] {
  const [blamed, ...others] =
    error.sense?.about === 'object' ? namedParameters(c, error).filter(({ name }) => !isPlaceName(name)) : [];
  return blamed && others.length === 0 ? [giveOtherValue(c, blamed, 'exists', `, if "${blamed.value}" is wrong`)] : [];
}

/** Parameters that name a Kubernetes object or its namespace. */
function placeParameters(c: PresentClaim): NamedParameter[] {
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name]) => isPlaceName(name))
    .map(([name, value]) => ({ name, value }));
}

/** A pool, a file system or a volume group has a name, too, and is no object of Kubernetes. */
function isPlaceName(name: string): boolean {
  return /(?:name|namespace)$/i.test(name) && !isForSidecar(name) && !storageName.test(name);
}

const storageName =
  /^(?:vg|vol(?:ume)?group|(?:\w*?)(?:pool|fs|file_?system|cluster|backend|lv|subvolume(?:group)?|image))_?name$/i;

function namespacesOf(c: PresentClaim): string[] {
  return c.ask.seen('Namespace').map(({ metadata }) => metadata.name);
}

function missingNamespace(c: PresentClaim, parameters: readonly NamedParameter[]): NamedParameter | undefined {
  const known = namespacesOf(c);
  return parameters.find(({ name, value }) => /namespace$/i.test(name) && known.length > 1 && !known.includes(value));
}

/** A storage that takes no login is the usual reason why none of those that the driver knows does. */
function adviseUnsaid(c: PresentClaim, driver: string): Fix[] {
  const [log, ...others] = adviseOpaque(c, driver);
  const login = renewLogin(c, driver);
  const text = `If the log says that the login fails or lacks a right: ${login.text.charAt(0).toLowerCase()}${login.text.slice(1)}`;
  return [...(log ? [log] : []), { ...login, text }, ...others];
}

const versionOption = /^(?:nfs)?vers(?:ion)?=/;

/** The class names the version of the protocol in its mount options, or the default of the node is tried. */
function giveVersion(c: PresentClaim): Fix {
  const options = c.storageClassObject?.mountOptions ?? [];
  const now = options.find((option) => versionOption.test(option));
  const name = now?.split('=')[0] ?? 'nfsvers';
  return recreateClass(
    c,
    `with a version of the protocol that the server speaks in mountOptions, ${name}=PLACEHOLDER_VERSION ` +
      `(${now === undefined ? 'none is set now' : `now ${now}`}; for example 3, 4.0, 4.1 or 4.2)`,
    { mountOptions: [...options.filter((option) => option !== now), `${name}=PLACEHOLDER_VERSION`] },
  );
}

function createSubvolumeGroup(c: PresentClaim, { text }: ProvisionError): Fix {
  const group = subvolumeGroupText.exec(text)?.[1] ?? 'csi';
  const fileSystem = c.storageClassObject?.parameters?.['fsName'] ?? 'PLACEHOLDER_FS';
  return steps(
    'Ask the Ceph team to create the subvolume group, in which the driver creates its ' +
      `volumes${fileSystem === 'PLACEHOLDER_FS' ? ' (PLACEHOLDER_FS is the name of the file system)' : ''}. ` +
      'The claim is retried automatically within 5 minutes.',
    [`ceph fs subvolumegroup create ${shellWord(fileSystem)} ${shellWord(group)}`],
  );
}

/** The variable is set in the workload of the provisioner, which is known here. */
function serviceFix(c: PresentClaim, error: ProvisionError): Fix[] {
  const fixes = senseFix(c, error);
  const provisioner = provisionerOf(c);
  if (error.sense?.about !== 'service' || !provisioner) return fixes;
  const { leader, pods } = controllerOf(c, provisioner);
  const pod = leader ?? pods.items[0];
  const owner = pod && ownerOf(pod);
  if (!owner) return fixes;
  const workload = `${owner.kind.toLowerCase()}/${owner.name}`;
  return fixes.map(({ text, command }) =>
    steps(
      text
        .replace('in the workload of the provisioner', `in ${workload}`)
        .replace('(PLACEHOLDER_WORKLOAD, PLACEHOLDER_SERVICE)', '(PLACEHOLDER_SERVICE; the first line lists them)'),
      command === undefined
        ? []
        : [
            `kubectl ${inNamespace(pod.metadata.namespace)}get services`,
            command.replace('PLACEHOLDER_WORKLOAD', shellWord(workload)),
          ],
      'disruptive',
    ),
  );
}

function advise(c: PresentClaim, error: ProvisionError, driver: string): Fix[] {
  const sense = [...parameterFix(c, error), ...serviceFix(c, error), ...otherObject(c, error)];
  if (error.sense?.about === 'helper') return [inspectHelper(c), ...logsOf(c)];
  if (error.sense?.about === 'stale')
    return [...restartDriver(c).map((each) => ({ ...each, text: error.sense?.advice ?? each.text })), ...logsOf(c)];
  const own = ownAddressIn(error);
  if (own !== undefined) return [correctAddress(c, error, own)];
  if (error.sense?.about === 'protocol') return [giveVersion(c), ...sense, ...logsOf(c)];
  if (error.sense?.about === 'unsaid') return adviseUnsaid(c, driver);
  if (isMissing(error)) {
    const named = giveBlamedValue(c, error);
    return [...named, ...(named.length > 0 ? createMissing(c, error) : sense), ...logsOf(c)];
  }
  if (error.sense?.about === 'subvolumeGroup') return [createSubvolumeGroup(c, error)];
  if (error.sense?.about === 'filter') return passFilter(c, error);
  if (error.sense?.about === 'licence')
    return [...sense, ...giveBlamedValue(c, error), ...useWorkingClass(c), ...logsOf(c)];
  if (error.sense?.about === 'backend')
    return [...bringBackBackends(c, error), ...giveBlamedValue(c, error), ...logsOf(c)];
  if (error.sense?.about === 'ghost') return [allowKey(c, error)];
  if (error.sense?.about === 'socket') return [...restartDriver(c), ...sense, ...logsOf(c)];
  if (dataSourceOf(c) && copyFailedText.test(error.text))
    return [startCopyAgain(c), ...adviseUnknown(c, error, driver)];
  if (error.sense?.about === 'outage') return [...sense, ...giveSpokenValue(c, error), ...logsOf(c)];
  return sense.length > 0 ? [...sense, ...logsOf(c)] : adviseUnknown(c, error, driver);
}

/** The storage keeps the failed copy under the name of the volume, which is made from the uid of the claim. */
function startCopyAgain(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    'as it is',
    { spec: {} },
    'The driver then starts a new copy under a new name; a driver that keeps failed copies answers every ' +
      'retry for this claim with the old result.',
  );
}
