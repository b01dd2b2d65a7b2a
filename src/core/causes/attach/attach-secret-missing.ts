import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf, Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { attacherTexts, forbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { grantFix } from '../lib/grant.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import { explainOver, isHistory, retryText } from './attach-retry.ts';
import { attachRules, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** The secret that the driver needs to attach, as the volume or the attacher names it. */
interface NeededSecret {
  readonly namespace: string;
  readonly name: string;
  readonly lookup: Lookup<ObjectOf<'Secret'>>;
  /** The volume, where it names the secret. */
  readonly volume: Volume | undefined;
  readonly said: AttachError | undefined;
  /** The attacher may not read it. */
  readonly isDenied: boolean;
}

/** external-attacher getCredentialsFromPV; the reference in the volume cannot be changed. */
export const attachSecretMissing = attachRules('attach-secret-missing', 'blocking', (trouble) => {
  const secret = findNeededSecret(trouble);
  if (!secret) return undefined;
  if (secret.lookup.state === 'found' && !secret.isDenied) return explainAppeared(trouble, secret);
  if (secret.lookup.state === 'unknown' && !secret.said) return undefined;
  const evidence = someEvidence(evidenceOf(secret));
  if (!evidence) return undefined;
  return {
    confidence: secret.lookup.state === 'missing' ? 'certain' : 'likely',
    about: `secret ${secret.namespace}/${secret.name}`,
    summary: `${stateWords(trouble, secret)} ${trouble.lead}.`,
    evidence,
    fix: [fixFor(trouble, secret)],
  };
});

function findNeededSecret(trouble: AttachTrouble): NeededSecret | undefined {
  const { ask, error } = trouble;
  const object = volumeObjectOf(trouble);
  const reference = object?.spec?.csi?.controllerPublishSecretRef;
  const said = error && attacherTexts.secret.test(error.raw) ? error : undefined;
  const [namespace, name] = reference?.name
    ? [reference.namespace ?? '', reference.name]
    : (attacherTexts.secret.exec(said?.raw ?? '')?.[1]?.split('/') ?? []);
  if (name === undefined || namespace === undefined) return undefined;
  const lookup = ask.get('Secret', namespace, name, `whether secret ${namespace}/${name}, needed to attach, exists`);
  const isDenied = said !== undefined && forbiddenText.test(said.raw) && lookup.state !== 'missing';
  return { namespace, name, lookup, volume: reference?.name ? object : undefined, said, isDenied };
}

/** The secret was created after the attacher's last try. */
function explainAppeared(
  trouble: AttachTrouble,
  { lookup, name, namespace, said }: NeededSecret,
): Explanation | undefined {
  if (!said || lookup.state !== 'found') return undefined;
  const created = parseTime(lookup.object.metadata.creationTimestamp);
  if (!isHistory(trouble, said, created)) return undefined;
  return explainOver(
    trouble,
    `Secret "${name}" in namespace ${namespace}, which is needed to attach ${trouble.volumeText}, exists now.`,
    [field(lookup.object, 'metadata.creationTimestamp'), said.evidence],
  );
}

function stateWords({ driver }: AttachTrouble, { namespace, name, lookup, isDenied }: NeededSecret): string {
  const attacher = `The attacher${driver === undefined ? '' : ` of ${driver}`}`;
  if (isDenied) return `${attacher} may not read Secret "${name}" in namespace ${namespace}.`;
  return lookup.state === 'missing'
    ? `Secret "${name}" in namespace ${namespace}, which the volume names for attaching, does not exist.`
    : `${attacher} could not load Secret "${name}" in namespace ${namespace}.`;
}

function evidenceOf({ namespace, name, lookup, volume, said }: NeededSecret): Evidence[] {
  return [
    ...(volume ? [field(volume, 'spec.csi.controllerPublishSecretRef', `${namespace}/${name}`)] : []),
    ...(lookup.state === 'missing' ? [absent('Secret', name, namespace)] : []),
    ...(said ? [said.evidence] : []),
  ];
}

function fixFor(trouble: AttachTrouble, { namespace, name, said, isDenied }: NeededSecret): Fix {
  if (isDenied && said) return grantFix(said.raw, trouble.driver, retryText(trouble));
  const { words, command } = secretContent(trouble.driver, namespace, name);
  return steps(
    `Create Secret "${name}" in namespace ${namespace} with ${words}. ` +
      `${retryText(trouble)} The volume cannot be pointed to another Secret: its source is immutable.`,
    [command],
  );
}
