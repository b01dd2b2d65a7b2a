import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { subvolumeGroupText } from '../lib/driver-error/senses/missing.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { linesAbout, steps } from '../lib/steps.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import {
  answerRule,
  logsOf,
  namedParameters,
  parameterEvidence,
  parameterWords,
  senseFix,
  skeletonOf,
  tellWords,
} from './driver-answer.ts';
import type { NamedParameter } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { dataSourceOf } from './data-source.ts';
import { helperPodOf } from './helper-pod.ts';
import { controllerOf, provisionerOf } from './provisioner.ts';
import { restartDriver } from './restart-driver.ts';

/** Any other error of the driver: what it means, only its own words say. */
export const provisionInternal = answerRule('provision-internal', 'internal', (c, error, driver) => {
  const helper = helperPodOf(c, error);
  const failed = helper ? ` Its helper ${helper.words}.` : '';
  return {
    about: `${driver}: ${skeletonOf(error.text)}`,
    summary: `${tellWords(`${driver} cannot create the volume`, error, meaningOf(c, error))}${failed}`,
    evidence: [
      ...parameterEvidence(c, error.sense?.about === 'object' ? placeParameters(c) : namedParameters(c, error)),
      ...(helper?.evidence ?? []),
    ],
    fix: helper ? [...helper.fix, ...logsOf(c)] : advise(c, error, driver),
  };
});

/** `x "y" not found` needs no second sentence that says the same; where the driver looked, does. */
function meaningOf(c: PresentClaim, { sense }: ProvisionError): string | undefined {
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

/** What the storage does not find is a value of the class: it is wrong, or missing on the storage side. */
function namedParameterFix(c: PresentClaim, error: ProvisionError): Fix[] {
  const [named, ...others] = namedParameters(c, error).filter(({ name }) => !name.startsWith('csi.storage.k8s.io/'));
  if (!named || others.length > 0) return [];
  return [
    recreateClass(
      c,
      `with a value of ${named.name} that the storage has, if "${named.value}" is wrong (PLACEHOLDER_VALUE)`,
      {
        parameters: { [named.name]: 'PLACEHOLDER_VALUE' },
      },
    ),
  ];
}

/** Parameters that name a Kubernetes object or its namespace. */
function placeParameters(c: PresentClaim): NamedParameter[] {
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name]) => /(?:name|namespace)$/i.test(name) && !name.startsWith('csi.storage.k8s.io/'))
    .map(([name, value]) => ({ name, value }));
}

function namespacesOf(c: PresentClaim): string[] {
  return c.ask.seen('Namespace').map(({ metadata }) => metadata.name);
}

function missingNamespace(c: PresentClaim, parameters: readonly NamedParameter[]): NamedParameter | undefined {
  const known = namespacesOf(c);
  return parameters.find(({ name, value }) => /namespace$/i.test(name) && known.length > 1 && !known.includes(value));
}

/** The value of the class is right, and the storage lacks what it names, or hides it from the driver. */
function createNamed(c: PresentClaim, error: ProvisionError): Fix {
  const [named] = namedParameters(c, error).filter(({ name }) => !name.startsWith('csi.storage.k8s.io/'));
  return fix(
    `If "${named?.value ?? ''}" is right, create it on the storage, or let the account of the driver see it. The claim is retried automatically within 5 minutes.`,
  );
}

function createSubvolumeGroup(c: PresentClaim, { text }: ProvisionError): Fix {
  const group = subvolumeGroupText.exec(text)?.[1] ?? 'csi';
  const fileSystem = c.storageClassObject?.parameters?.['fsName'] ?? 'PLACEHOLDER_FS';
  return steps(
    `Ask the Ceph team to create the subvolume group, in which the driver creates its volumes${fileSystem === 'PLACEHOLDER_FS' ? ' (PLACEHOLDER_FS is the name of the file system)' : ''}. The claim is retried automatically within 5 minutes.`,
    [`ceph fs subvolumegroup create ${shellWord(fileSystem)} ${shellWord(group)}`],
  );
}

/** Trident keeps the state of its backends in objects of the cluster. */
function bringBackBackends(c: PresentClaim, error: ProvisionError): Fix[] {
  const provisioner = provisionerOf(c);
  if (provisioner?.name !== 'csi.trident.netapp.io') return senseFix(error);
  const { leader, pods } = controllerOf(c, provisioner);
  const namespace = (leader ?? pods.items[0])?.metadata.namespace;
  return senseFix(error).map(({ text }) =>
    steps(`${text} The command shows the state of each.`, [
      `kubectl ${namespace === undefined ? '-A' : `-n ${shellWord(namespace)}`} get tridentbackends`,
    ]),
  );
}

/** The variable is set in the workload of the provisioner, which is known here. */
function serviceFix(c: PresentClaim, error: ProvisionError): Fix[] {
  const fixes = senseFix(error);
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
  const sense = [...parameterFix(c, error), ...serviceFix(c, error)];
  if (error.sense?.about === 'missing') {
    const named = namedParameterFix(c, error);
    return [...named, ...(named.length > 0 ? [createNamed(c, error)] : sense), ...logsOf(c)];
  }
  if (error.sense?.about === 'subvolumeGroup') return [createSubvolumeGroup(c, error), ...logsOf(c)];
  if (error.sense?.about === 'backend')
    return [...bringBackBackends(c, error), ...namedParameterFix(c, error), ...logsOf(c)];
  if (error.sense?.about === 'socket') return [...restartDriver(c), ...sense, ...logsOf(c)];
  if (dataSourceOf(c) && copyFailed.test(error.text)) return [startCopyAgain(c), ...adviseUnknown(c, error, driver)];
  return sense.length > 0 ? [...sense, ...logsOf(c)] : adviseUnknown(c, error, driver);
}

const copyFailed =
  /\b(?:clon(?:e|ing)|copy(?:ing)?|restore) (?:\w+ )?(?:job|task|operation|process) (?:had |has |was )?failed\b/i;

/** The storage keeps the failed copy under the name of the volume, which is made from the uid of the claim. */
function startCopyAgain(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    'as it is',
    { spec: {} },
    'The driver then starts a new copy under a new name; a driver that keeps failed copies answers every retry for this claim with the old result.',
  );
}

/** What helps with words that no rule knows: the code says who can act (CSI spec, error scheme), and the log has more than the event. */
function adviseUnknown(c: PresentClaim, error: ProvisionError, driver: string): Fix[] {
  const retried = 'The claim is retried automatically within 5 minutes.';
  const uid = c.claim.metadata.uid;
  const volume = uid === undefined ? 'the volume of this claim' : `volume pvc-${uid}`;
  const logs = logsOf(c).map((each) => ({
    ...each,
    text: `Read in the log of the driver, which runs next to the provisioner, what it logged before this error, and correct what that names. ${retried}`,
  }));
  if (isOpaque(error.text) && logs.length > 0)
    return [
      ...logs,
      fix(
        `If the log says no more, ask the vendor of ${driver} what the quoted error means: neither its code nor its words name a reason.`,
      ),
    ];
  if (error.code === 'FailedPrecondition')
    return [
      fix(
        `Ask your storage team to bring about the state that ${driver} wants, by the words quoted above: the request is valid, and the storage is not in a state to serve it. ${retried}`,
      ),
      ...logsOf(c),
    ];
  if (error.code === 'NotFound') {
    const named = namedParameterFix(c, error);
    return [
      ...named,
      fix(
        `${named.length > 0 ? 'Or ask' : 'Ask'} your storage team for what the error says is missing: create it there, let the account of ${driver} see it, or correct its name in StorageClass "${c.class.name}" or in the settings of the driver. ${retried}`,
      ),
      ...logsOf(c),
    ];
  }
  const ask = `Ask your storage team, with the quoted words${logs.length > 0 ? ' and the lines of the log of the driver around them' : ''}, why the storage does not create ${volume}, and correct what they name: on the storage, in StorageClass "${c.class.name}" or in the settings of ${driver}. ${retried}`;
  if (logs.length === 0) return [fix(ask)];
  return logs.map(({ command = '' }) => steps(ask, [uid === undefined ? command : linesAbout(command, `pvc-${uid}`)]));
}
