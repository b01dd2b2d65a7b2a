import type { Lookup } from '../../graph/inquiry.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { AttachError } from './attach-error.ts';
import { attachRules, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

const secretText = /failed to load secret "([^"]+)"/;

/** The secret that the driver needs to attach, and that is missing or could not be loaded. */
interface MissingSecret {
  readonly namespace: string;
  readonly name: string;
  readonly state: Lookup<unknown>['state'];
  /** The volume, where it names the secret. */
  readonly volume: Volume | undefined;
  readonly said: AttachError | undefined;
  /** The attacher may not read it. */
  readonly isDenied: boolean;
}

/** external-attacher getCredentialsFromPV; the reference in the volume cannot be changed. */
export const attachSecretMissing = attachRules('attach-secret-missing', 'blocking', (trouble) => {
  const secret = findMissingSecret(trouble);
  const evidence = secret && someEvidence(evidenceOf(secret));
  if (!evidence) return undefined;
  return {
    confidence: secret.state === 'missing' ? 'certain' : 'likely',
    about: `secret ${secret.namespace}/${secret.name}`,
    summary: `${trouble.lead}: ${stateWords(secret)}`,
    evidence,
    fix: [secret.isDenied ? allowFix(secret, trouble.driver) : createFix(secret)],
  };
});

function findMissingSecret(trouble: AttachTrouble): MissingSecret | undefined {
  const { ask, error } = trouble;
  const object = volumeObjectOf(trouble);
  const reference = object?.spec?.csi?.controllerPublishSecretRef;
  const said = error && secretText.test(error.raw) ? error : undefined;
  const [namespace, name] = reference?.name
    ? [reference.namespace ?? '', reference.name]
    : (secretText.exec(said?.raw ?? '')?.[1]?.split('/') ?? []);
  if (name === undefined || namespace === undefined || (!reference?.name && !said)) return undefined;
  const { state } = ask.get('Secret', namespace, name, `whether secret ${namespace}/${name}, needed to attach, exists`);
  const isForbidden = said !== undefined && /forbidden/.test(said.raw);
  if (state === 'found' && !isForbidden) return undefined;
  if (state === 'unknown' && !said) return undefined;
  const volume = reference?.name ? object : undefined;
  return { namespace, name, state, volume, said, isDenied: isForbidden && state !== 'missing' };
}

function stateWords({ namespace, name, state, isDenied }: MissingSecret): string {
  if (isDenied) return `the attacher may not read secret ${namespace}/${name}`;
  return `secret ${namespace}/${name}, which the volume names for it, ${state === 'missing' ? 'does not exist' : 'could not be loaded'}`;
}

function evidenceOf({ namespace, name, state, volume, said }: MissingSecret): Evidence[] {
  return [
    ...(volume ? [field(volume, 'spec.csi.controllerPublishSecretRef', `${namespace}/${name}`)] : []),
    ...(state === 'missing' ? [absent('Secret', name, namespace)] : []),
    ...(said ? [said.evidence] : []),
  ];
}

function allowFix({ namespace }: MissingSecret, driver: string | undefined): Fix {
  return fix(
    `let the service account of the attacher${driver ? ` of ${driver}` : ''} read the secret`,
    `kubectl -n ${shellWord(namespace)} get role,rolebinding`,
  );
}

function createFix({ namespace, name }: MissingSecret): Fix {
  return fix(
    'make the secret again, with the keys that the driver asks for: the reference in the volume cannot be changed',
    `kubectl -n ${shellWord(namespace)} create secret generic ${shellWord(name)} --from-literal=KEY=VALUE`,
  );
}
