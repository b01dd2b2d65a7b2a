import { eventSaid, absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { secretsOf } from './secret-parameters.ts';
import { remakeClass } from './remake-class.ts';

/** external-provisioner getSecretReference and getCredentials: a class may name a secret for each call to the driver. */
export const provisionSecretParamsIncomplete = claimRule({
  cause: 'provision-secret-params-incomplete',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = csiClassOf(c);
    const said = failure(
      c,
      /either name and namespace for (\S+) secrets specified, Both must be specified|(\S+) secrets specified in parameters (?:with both "csi" and|but value of either namespace or name is empty)/i,
    );
    if (!storageClass) {
      if (c.storageClass?.state !== 'unknown' || !said) return undefined;
      return {
        confidence: 'likely',
        about: c.class.name,
        summary: `class ${c.class.name} names a ${said.match[1] ?? said.match[2] ?? ''} secret wrongly`,
        evidence: [eventSaid(c.claim, said.event)],
        fix: recreate(c),
      };
    }
    const broken = secretsOf(storageClass, c).find((secret) => secret.state === 'incomplete');
    if (broken?.state !== 'incomplete') return undefined;
    const [first = '', ...others] = broken.keys;
    return {
      about: storageClass.metadata.name,
      summary: `class ${storageClass.metadata.name} names its ${broken.call} secret wrongly: ${broken.why}`,
      evidence: [
        field(storageClass, `parameters[${first}]`, storageClass.parameters?.[first] ?? ''),
        ...others.map((key) => field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? '')),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: recreate(c),
    };
  },
});

export const provisionSecretTemplateInvalid = claimRule({
  cause: 'provision-secret-template-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = csiClassOf(c);
    const said = failure(
      c,
      /error resolving value "([^"]+)": invalid tokens|"([^"]+)" (?:resolved to "[^"]*" which )?is not a valid (?:secret|namespace) name/,
    );
    if (!storageClass) {
      if (c.storageClass?.state !== 'unknown' || !said) return undefined;
      return {
        confidence: 'likely',
        about: c.class.name,
        summary: `class ${c.class.name} names a secret by ${said.match[1] ?? said.match[2] ?? ''}, which gives no valid name`,
        evidence: [eventSaid(c.claim, said.event)],
        fix: recreate(c),
      };
    }
    const broken = secretsOf(storageClass, c).find((secret) => secret.state === 'invalid');
    if (broken?.state !== 'invalid') return undefined;
    return {
      // The same class may work for a claim with other annotations.
      ...(broken.template.includes('pvc.') ? {} : { about: storageClass.metadata.name }),
      summary: `class ${storageClass.metadata.name} names its ${broken.call} secret by ${broken.template}, which gives no name for this claim: ${broken.why}`,
      evidence: [
        field(storageClass, `parameters[${broken.key}]`, broken.template),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: recreate(c),
    };
  },
});

export const provisionSecretMissing = claimRule({
  cause: 'provision-secret-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = csiClassOf(c);
    // A secret that may not be read is another matter: there the service account lacks the right.
    const said = failure(c, /error getting secret (\S+) in namespace (\S+?): (?!.*is forbidden)/s);
    const named = storageClass && secretsOf(storageClass, c)[0];
    const secret =
      named?.state === 'resolved'
        ? named
        : said && {
            name: said.match[1] ?? '',
            namespace: said.match[2] ?? '',
            key: undefined,
            namespaceKey: undefined,
          };
    if (!secret || (storageClass && named?.state !== 'resolved' && !said)) return undefined;
    const lookup = c.ask.get(
      'Secret',
      secret.namespace,
      secret.name,
      `whether secret ${secret.namespace}/${secret.name}, which class ${c.class.name} names, exists`,
    );
    if (lookup.state === 'found' || (lookup.state === 'unknown' && !said)) return undefined;
    const parameters =
      storageClass && secret.key !== undefined
        ? [
            field(storageClass, `parameters[${secret.key}]`, storageClass.parameters?.[secret.key] ?? ''),
            field(
              storageClass,
              `parameters[${secret.namespaceKey}]`,
              storageClass.parameters?.[secret.namespaceKey] ?? '',
            ),
          ]
        : [];
    return {
      confidence: lookup.state === 'missing' ? 'certain' : 'likely',
      about: `${secret.namespace}/${secret.name}`,
      summary: `secret ${secret.name} in namespace ${secret.namespace}, which class ${c.class.name} names for provisioning, ${lookup.state === 'missing' ? 'does not exist' : 'was not found by the provisioner'}`,
      evidence: [
        lookup.state === 'missing' || !said
          ? absent('Secret', secret.name, secret.namespace)
          : eventSaid(c.claim, said.event),
        ...parameters,
        ...(lookup.state === 'missing' && said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'look for the secret, and create it as the documentation of the driver says (an operator may make it itself, once the storage is up): the claim then goes on by itself',
          `kubectl ${inNamespace(secret.namespace)}get secret ${shellWord(secret.name)}`,
        ),
        remakeClass(c.class.name, 'with the name of a secret that exists'),
      ],
    };
  },
});

/** Only the CSI sidecar reads these parameters; an in-tree class is translated first. */
function csiClassOf(c: PresentClaim): PresentClaim['storageClassObject'] {
  const provisioner = provisionerOf(c);
  return provisioner?.isCsi && !provisioner.inTree ? c.storageClassObject : undefined;
}

function recreate(c: PresentClaim): Fix[] {
  return [remakeClass(c.class.name, 'with the right parameters')];
}
