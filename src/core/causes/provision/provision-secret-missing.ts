import type { Evidence, Fix } from '../../report/report.ts';
import { lastSeen } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { nearestName } from '../../kube/names.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { steps } from '../lib/steps.ts';
import { isNewer, retryText } from './overcome-error.ts';
import { failure } from './provisioner.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { csiClassOf, secretsOf } from './secret-parameters.ts';
import { secretMissingText } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner getCredentials reads the provisioner's own secret before it calls the driver. */
export const provisionSecretMissing = claimRule({
  cause: 'provision-secret-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    // A secret that may not be read is another cause: there the service account lacks the right.
    const said = failure(c, secretMissingText);
    const secret = neededSecret(c, said);
    if (!secret) return undefined;
    const why = `whether secret ${secret.namespace}/${secret.name}, which class ${c.class.name} names, exists`;
    const lookup = c.ask.get('Secret', secret.namespace, secret.name, why);
    const { state } = lookup;
    if (lookup.state === 'found') return said && tellHistory(c, lookup.object, said);
    if (state === 'unknown' && !said) return undefined;
    const isMissing = state === 'missing';
    return {
      confidence: isMissing ? 'certain' : 'likely',
      about: `${secret.namespace}/${secret.name}`,
      summary:
        `Secret "${secret.name}", which StorageClass "${c.class.name}" names for provisioning, ` +
        `${isMissing ? `does not exist in namespace ${secret.namespace}` : `was not found in namespace ${secret.namespace} by the provisioner`}.`,
      evidence: evidenceOf(c, secret, isMissing, said),
      fix: advise(c, secret),
    };
  },
});

/** The Secret was created after the provisioner last missed it. */
function tellHistory(c: PresentClaim, secret: ObjectOf<'Secret'>, said: EventMatch): Explanation | undefined {
  const seen = lastSeen(said.event);
  if (!isNewer(c, parseTime(secret.metadata.creationTimestamp), seen)) return undefined;
  return {
    severity: 'info',
    about: `${secret.metadata.namespace ?? ''}/${secret.metadata.name}`,
    summary: `Secret "${secret.metadata.name}" exists now; it was created after the provisioner last missed it. ${retryText(c, seen)}`,
    evidence: [field(secret, 'metadata.creationTimestamp'), eventSaid(c.claim, said.event)],
    fix: [],
  };
}

interface NeededSecret {
  readonly name: string;
  readonly namespace: string;
  /** The parameters of the class that name it. */
  readonly keys: readonly string[];
}

/** By the class, or by the provisioner's event if the class does not show it. */
function neededSecret(c: PresentClaim, said: EventMatch | undefined): NeededSecret | undefined {
  const storageClass = csiClassOf(c);
  const named = storageClass && secretsOf(storageClass, c)[0];
  if (named?.state === 'resolved')
    return { name: named.name, namespace: named.namespace, keys: [named.key, named.namespaceKey] };
  return said && { name: said.match[1] ?? '', namespace: said.match[2] ?? '', keys: [] };
}

function evidenceOf(
  c: PresentClaim,
  secret: NeededSecret,
  isMissing: boolean,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const parameters = parameterEvidence(c, secret);
  if (!isMissing && said) return [eventSaid(c.claim, said.event), ...parameters];
  return [absent('Secret', secret.name, secret.namespace), ...parameters, ...saidOnClaim(c, said)];
}

function parameterEvidence(c: PresentClaim, { keys }: NeededSecret): Evidence[] {
  const storageClass = csiClassOf(c);
  return storageClass
    ? keys.map((key) => field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? ''))
    : [];
}

/** A Secret that an operator keeps must not be written by hand: the operator's own resource has to become ready. */
function advise(c: PresentClaim, secret: NeededSecret): Fix[] {
  const near = nearSecret(c, secret);
  const other = near === undefined ? [] : [renameInClass(c, secret, near)];
  const operator = operatorOf(c, secret);
  return operator === undefined
    ? [...other, createSecret(c, secret), ...(near === undefined ? [renameInClass(c, secret, undefined)] : [])]
    : [...other, askOperator(secret, operator)];
}

function nearSecret(c: PresentClaim, { name, namespace }: NeededSecret): string | undefined {
  const names = c.ask
    .seen('Secret')
    .filter(({ metadata }) => metadata.namespace === namespace && !isAccountToken(metadata.name))
    .map(({ metadata }) => metadata.name);
  return nearestName(name, names);
}

/**
 * Until 1.23 every service account got such a Secret (and on OpenShift a -dockercfg- one): it never logs in to a
 * storage.
 */
function isAccountToken(name: string): boolean {
  return /-(?:token|dockercfg)-[a-z0-9]{5}$/.test(name);
}

/** The deployment in the namespace of the secret that creates such secrets, as Rook's operator does. */
function operatorOf(c: PresentClaim, { namespace, name }: NeededSecret): string | undefined {
  // Rook names its Secrets so, whether its operator was read or not.
  if (/^rook-csi-/.test(name)) return 'rook-ceph-operator';
  const prefix = name.split('-')[0] ?? '';
  const operators = c.ask
    .seen('Deployment')
    .filter(
      ({ metadata }) =>
        metadata.namespace === namespace && /operator/.test(metadata.name) && metadata.name.startsWith(`${prefix}-`),
    );
  return operators.length === 1 ? operators[0]?.metadata.name : undefined;
}

function askOperator({ name, namespace }: NeededSecret, operator: string): Fix {
  return steps(
    `Let deployment/${operator} create Secret "${name}": operators do so once the storage they manage is ` +
      'ready, and their log names what holds it up. The claim then continues automatically. ' +
      'Do not create it by hand.',
    [
      `kubectl ${inNamespace(namespace)}rollout status deployment ${shellWord(operator)} --timeout=10s`,
      `kubectl ${inNamespace(namespace)}logs deployment/${shellWord(operator)} --tail=50`,
    ],
  );
}

function createSecret(c: PresentClaim, { name, namespace }: NeededSecret): Fix {
  const { words, command } = secretContent(c.storageClassObject?.provisioner, namespace, name);
  return steps(
    `Create the Secret with ${words}. Where an operator manages the storage, such as Rook, it creates the ` +
      'Secret once the storage is ready: repair that instead. ' +
      'The claim is retried automatically within 5 minutes.',
    [command],
  );
}

function renameInClass(c: PresentClaim, { keys }: NeededSecret, near: string | undefined): Fix {
  const key = keys[0] ?? 'csi.storage.k8s.io/provisioner-secret-name';
  return recreateClass(
    c,
    near === undefined
      ? 'with the name of a Secret that exists (PLACEHOLDER_SECRET), if another is meant'
      : `with Secret "${near}", which exists, if it is meant`,
    { parameters: { [key]: near ?? 'PLACEHOLDER_SECRET' } },
  );
}
