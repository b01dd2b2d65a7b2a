import {
  actionDeniedText,
  credentialsMissingTexts,
  loginFailedText,
  loginRefusedTexts,
  mountDeniedTexts,
  wrongPasswordText,
} from '../senses/credentials.ts';
import { iscsiCode } from '../senses/exit-codes.ts';
import { exportRefusedText, passphraseText, tunnelRefusedText } from '../senses/file-system.ts';
import { anyOf } from '../senses/wordings.ts';
import type { PatternedMountSense } from './sense.ts';

export const credentialsMissing: PatternedMountSense = {
  id: 'credentials',
  pattern: credentialsMissingTexts,
  meaning: 'The driver has no usable credentials.',
};

export const actionDenied: PatternedMountSense = {
  id: 'action',
  pattern: actionDeniedText,
  meaning: "The driver's identity lacks that permission.",
};

export const passphrase: PatternedMountSense = {
  id: 'passphrase',
  pattern: passphraseText,
  meaning: 'The passphrase that the driver was given does not open the encrypted volume.',
};

export const blocklistRefused: PatternedMountSense = {
  id: 'blocklist',
  pattern: /failed to blocklist[^]*?-13\b/i,
  meaning: 'The storage let the client in, but it may not blocklist the holder of an old lock.',
};

export const mapRefused: PatternedMountSense = {
  id: 'blocklist',
  pattern: /rbd: map failed: \(13\) Permission denied/,
  meaning:
    'Ceph most likely refused a right rather than the key. After an unclean reboot it is often the right ' +
    'to blocklist the client that holds the old lock, which the kernel log of the node shows.',
};

export const targetLogin: PatternedMountSense = {
  id: 'login',
  pattern: anyOf(/(?:authori[sz]ation|authentication) failure/, iscsiCode(24)),
  meaning: 'The storage was reached and refused the login of this node.',
};

export const tunnelRefused: PatternedMountSense = {
  id: 'policyDenied',
  pattern: tunnelRefusedText,
  meaning:
    'The server answered through the tunnel of the driver on the node itself and refused, most often because ' +
    'of the policy of the file system.',
};

export const cephDenied: PatternedMountSense = {
  id: 'cephDenied',
  pattern: /mount error:? 13 = Permission denied|-t ceph\b[^]*permission denied/i,
  meaning:
    'Ceph answered and refused, mostly because the key is not that of the user or its caps do not cover the path.',
};

export const exportRefused: PatternedMountSense = {
  id: 'nfsDenied',
  pattern: exportRefusedText,
  meaning: 'The NFS server answered and refused this node.',
};

export const wrongPassword: PatternedMountSense = {
  id: 'wrongLogin',
  pattern: wrongPasswordText,
  meaning: 'The storage was reached and did not accept the user name or the password.',
};

export const loginFailed: PatternedMountSense = {
  id: 'wrongLogin',
  pattern: loginFailedText,
  meaning: 'The driver could not log in to the storage with the credentials that it was given.',
};

export const loginRefused: PatternedMountSense = {
  id: 'wrongLogin',
  pattern: loginRefusedTexts,
  meaning: 'The storage does not accept the key, password or token that the driver was given.',
};

export const denied: PatternedMountSense = {
  id: 'denied',
  pattern: mountDeniedTexts,
  meaning: 'The storage answered and refused; the text does not name the reason.',
};

/** Windows ERROR_SESSION_CREDENTIAL_CONFLICT (1219). */
export const oneUser: PatternedMountSense = {
  id: 'oneUser',
  pattern: /Windows System Error 1219\b|Multiple connections to a server or shared resource by the same user/i,
  meaning:
    'Windows takes one user name per server, and the node already has a connection to this one under another (System ' +
    'Error 1219).',
};
