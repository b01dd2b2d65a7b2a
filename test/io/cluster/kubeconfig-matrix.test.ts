import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DifferenceList } from '../../kit/kubeconfig-differences.ts';
import { Lab } from '../../kit/kubeconfig-lab.ts';
import { matrixOf } from '../../kit/kubeconfig-matrix.ts';
import { askUs } from '../../kit/kubeconfig-outcomes.ts';
import type { OwnOutcome } from '../../kit/kubeconfig-outcomes.ts';
import { readRecord } from '../../kit/kubeconfig-record.ts';

let lab: Lab;
const results = new Map<string, OwnOutcome>();
beforeAll(async () => {
  lab = await Lab.open();
  for (const one of matrixOf(lab.places, true)) results.set(one.name, await askUs(lab, one));
});
afterAll(() => lab.close());

/** The combinations that are left out here, and the real kubectl, are in test/attack/kubeconfig.attack.ts. */
describe('the kubeconfigs of the matrix', () => {
  it('lead to what kubectl did with them when it was recorded, except for the documented differences', () => {
    const { outcomes } = readRecord();
    const differences = new DifferenceList();
    for (const [name, { outcome }] of results) {
      const kubectl = outcomes.get(name);
      if (kubectl === undefined) differences.failures.push(`${name}: no outcome of kubectl is recorded`);
      else differences.note({ name, kubectl, ours: outcome });
    }
    expect(differences.finish()).toEqual([]);
    expect(results.size).toBeGreaterThanOrEqual(400);
  });

  it('give an error wherever nothing arrives, and never show a credential in it', () => {
    const secrets = /url-pass|p%40ss|p@ss|me:pass|s3cret|refresh-me|of-plugin|of-file|Bearer|PRIVATE KEY|eyJ/;
    for (const [name, { outcome, error }] of results) {
      if (outcome.pods === undefined) expect(error, name).toBeDefined();
      for (let at: unknown = error; at instanceof Error; at = at.cause)
        expect(`${at.message} ${inspect(at, { depth: 2 })}`, name).not.toMatch(secrets);
    }
  });

  it('send no credential without TLS', () => {
    const plain = [...results].flatMap(([name, { outcome }]) =>
      (outcome.arrivals ?? []).filter(({ place }) => place === 'plain').map((arrival) => ({ name, arrival })),
    );
    expect(plain.length).toBeGreaterThan(100);
    expect(plain.filter(({ arrival }) => 'authorization' in arrival || 'certificate' in arrival)).toEqual([]);
    const plugins = [...results].filter(([name, { outcome }]) => /^(plain|no scheme)/.test(name) && outcome.plugins);
    expect(plugins).toEqual([]);
  });

  it.each<[string, string]>([
    [
      'types: a namespace that is a number',
      'a value of the wrong type: contexts[0].context.namespace: expected string, found number',
    ],
    ['types: a user that is a number', 'contexts[0].context.user: expected string, found number'],
    ['types: arguments that are numbers', 'users[0].user.exec.args[0]: expected string, found number'],
    ['types: contexts that are a map', 'contexts: expected list, found mapping'],
    ['written: a list', 'the document: expected mapping, found list'],
    ['no verification, a CA as data + a token', 'has a certificate authority and insecure-skip-tls-verify'],
    ['flags: --insecure with a CA flag', 'has a certificate authority and insecure-skip-tls-verify'],
    ['a CA that is no base64 + a token', 'clusters[0].cluster.certificate-authority-data that is not base64'],
    ['TLS + the auth provider gcp', 'the auth provider gcp was removed from kubectl in 1.26'],
    ['TLS + OIDC, no refresh token', 'has an id-token that has expired, and no refresh-token'],
    ['TLS + a plugin that wants a terminal', 'needs a terminal, and standard input is not one'],
    ['TLS + a plugin: beta', 'and the kubeconfig expects client.authentication.k8s.io/v1'],
    ['TLS + a plugin: other-kind', 'printed a Secret instead of an ExecCredential'],
    ['TLS + a plugin: failing', 'failed with exit code 2: please log in'],
    ['TLS + a plugin: only-key', 'returned only one of certificate and key'],
    ['TLS + a name and a token', 'has both a token and a user name with a password'],
    ['written: a cluster twice', 'has two clusters named "east"'],
    ['files: all are missing', 'KUBECONFIG points to '],
    ['a proxy without a scheme + a token', 'is not an http, https or socks5 address'],
    ['TLS + another user with a line break', 'contains a line break or another control character'],
  ])('say why: %s', (name, words) => {
    expect(results.get(name)?.error?.message).toContain(words);
  });
});
