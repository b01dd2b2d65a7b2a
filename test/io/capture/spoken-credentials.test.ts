import { describe, expect, it } from 'vitest';
import { namesCredential, scrub } from '../../../src/io/capture/credentials.ts';

describe('a message without a credential stays as it is', () => {
  it.each([
    'secret "db-password" not found',
    'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: tls.key',
    'references non-existent secret key: password',
    "couldn't find key password in Secret shop/db",
    'invalid password for user bob',
    'the password is incorrect',
    'password authentication failed for user "x"',
    'password must be set',
    'incorrect username or password, or no password at all',
    'CHAP password mismatch',
    'failed to parse password file /etc/x',
    'wrong password/username',
    'the password was rejected by the server',
    'failed to fetch token: token expired',
    'unexpected token "}" in JSON',
    'no credentials for the class fast',
    'access key is not set',
    'key "password" is missing in secret "shop/db"',
  ])('%s', (text) => expect(scrub(text)).toBe(text));
});

describe('a message with a credential', () => {
  it.each([
    ['password "X"', 'password "[redacted]"'],
    ['chap password X', 'chap password [redacted]'],
    ['pwd X', 'pwd [redacted]'],
    ["user admin password 'a b c' rejected", "user admin password '[redacted]' rejected"],
    ['the password for user bob is Sommer2024, retry', 'the password for user bob is [redacted], retry'],
    ['passphrase is letmein.', 'passphrase is [redacted].'],
    ['secret key wJalrXUtnF3MI rejected', 'secret key [redacted] rejected'],
    ['bootstrap token 07401b.f395accd246ae52d expired', 'bootstrap token [redacted] expired'],
    ['CHAP secret hunter rejected', 'CHAP secret [redacted] rejected'],
  ])('%s loses it', (text, clean) => expect(scrub(text)).toBe(clean));
});

describe('the key of a parameter', () => {
  it.each(['restuserkey', 'userpassword', 'clientkey', 'storageaccountkey', 'keyring', 'adminPasswordHash', 'chappwd'])(
    '%s names a credential',
    (key) => expect(namesCredential(key)).toBe(true),
  );
  it.each([
    'resturl',
    'restsecretname',
    'adminsecretname',
    'secretnamespace',
    'passwordfile',
    'partitionkey',
    'fsName',
  ])('%s does not', (key) => expect(namesCredential(key)).toBe(false));
});
