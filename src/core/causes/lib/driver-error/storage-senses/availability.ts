import { anyOf } from '../senses/wordings.ts';
import { certificateTexts, unresolvedTexts, networkTexts } from '../senses/network.ts';
import { brokenStateTexts, busyTexts, outageTexts, slowTexts } from '../senses/time.ts';
import type { PatternedSense } from './sense.ts';

/** No process listens on the socket beside the provisioner: the driver's container does not run or hangs. */
const controllerSocketTexts = /dial unix \S*sock|connect(?:ion)? .{0,40}csi\.sock/i;

export const controllerSocket: PatternedSense = {
  about: 'socket',
  pattern: controllerSocketTexts,
  meaning: 'no process answers on the socket of the driver next to the provisioner',
  advice: 'Start the driver container again: no process listens on its socket. Its last log names why it ended.',
};

export const certificate: PatternedSense = {
  about: 'certificate',
  pattern: certificateTexts,
  meaning: 'the connection was refused because of a certificate, before any login',
  advice:
    'Ask the owner of the storage to renew the certificate if it has expired, or to issue it for the ' +
    'address that the driver uses; if it is signed by a private authority, give the driver that CA ' +
    'certificate in its settings. The call is repeated automatically.',
};

/** librados: ETIMEDOUT. */
const cephTimeoutText = /rados: ret=-110\b/;

export const cephTimeout: PatternedSense = {
  about: 'network',
  pattern: cephTimeoutText,
  meaning: 'the driver does not reach the monitors of the Ceph cluster in time',
  advice:
    'Ask the Ceph and network teams whether the monitors are up, and to open the path to them from the pod ' +
    'of the driver (ports 3300 and 6789), and to the OSDs (6800 to 7568). The call is repeated ' +
    'automatically.',
};

export const brokenState: PatternedSense = {
  about: 'state',
  pattern: brokenStateTexts,
  meaning: 'the storage itself does not consider the volume usable',
};

/** EC2 and Cinder attach a volume only in this state. */
const notAvailableTexts =
  /IncorrectState\b[^]*\bnot '?available'?|(?:volume|disk)\b[^.;]{0,80}\b(?:is |are )?not (?:in (?:the |an )?)?['"]?available['"]?(?: state| status)\b|status must be (?:[\w' ]+ or )?['"]?available\b/i;

export const notAvailable: PatternedSense = {
  about: 'unavailable',
  pattern: notAvailableTexts,
  meaning: 'the storage attaches only volumes in state "available", and this one is in another state',
};

export const unresolved: PatternedSense = {
  about: 'network',
  pattern: unresolvedTexts,
  meaning: 'the name of the server cannot be resolved where the controller of the driver runs',
  advice:
    'Correct the name of the server in the class, the Secret or the settings of the driver, or make it ' +
    'known in the DNS that the controller of the driver uses. The call is repeated automatically.',
};

export const busy: PatternedSense = {
  about: 'busy',
  pattern: busyTexts,
  meaning: 'the storage refuses it until what the error names is finished or released',
  advice:
    'Ask your storage team what the error names (a job, a lock, an object of the same name), and to end, ' +
    'release or wait for it. The call is repeated automatically.',
};

export const outage: PatternedSense = {
  about: 'outage',
  pattern: outageTexts,
  meaning: 'the management of the storage answers that it is not available now; this is no fault of the request',
  advice:
    'Ask your storage team to bring back the service that the error names (down, overloaded or in ' +
    'maintenance). The call is repeated automatically.',
};

export const network: PatternedSense = {
  about: 'network',
  pattern: networkTexts,
  meaning: 'the driver cannot reach the storage over the network',
  advice:
    'Ask the network team to open the path from the pod of the driver to the storage (routes, firewall, ' +
    'DNS). The call is repeated automatically.',
};

const word = String.raw`(?:[\w.'"/#-]|:(?=\S)){1,60}`;
const subject = `((?:${word} ){0,3}${word})`;

/** Something of the storage by whatever name, and the state that keeps it from serving. */
export const notServing: PatternedSense = {
  isOfCreation: true,
  about: 'outage',
  pattern: new RegExp(
    String.raw`${subject} (?:is|are|was) (?:currently |still |now |already )?(?:in (?:the )?)?(maintenance(?: mode)?|offline|inactive|not active|disabled|suspended|paused|degraded|frozen|not ready|not running|not online|unhealthy|not healthy|not enabled|not initiali[sz]ed|disconnected|not connected|not available|unavailable|down)\b`,
    'i',
  ),
  meaning: 'that state keeps it from serving the request, and is no fault of the request',
  advice: 'Ask your storage team to bring back "$1" ($2 now). The call is repeated automatically.',
};

/** A program broke down on its own code: nothing was decided about the request. */
const crashedTexts = anyOf({
  python: /Traceback \(most recent call last\)|\b(?:Key|Type|Attribute|Index|Name|ZeroDivision)Error\b:/,
  java: /\b(?:NullPointer|ClassCast|IndexOutOfBounds|ArrayIndexOutOfBounds|IllegalState|ConcurrentModification)Exception\b/,
  go: /\bpanic: |nil pointer dereference|index out of range \[|\bruntime error:/,
  other:
    /Object reference not set|Cannot read propert(?:y|ies) of (?:null|undefined)|\bsegmentation fault\b|\bassertion failed\b/,
});

export const crash: PatternedSense = {
  about: 'crash',
  pattern: crashedTexts,
  meaning: 'this is a fault in the program of the driver or of the storage behind it, and no answer about the request',
  advice:
    'Report it to the vendor of the driver, with its version and the lines of its log around the error. If ' +
    'it began with an upgrade of the driver or of the storage, go back to the release before. The call is ' +
    'repeated automatically.',
};

export const slow: PatternedSense = {
  about: 'slow',
  pattern: slowTexts,
  meaning: 'the storage did not answer the driver in time',
  advice: 'Ask the storage team whether the storage is healthy and reachable from the pod of the driver.',
};

/**
 * A login that failed on the way: the words of Go's dialer say more than "could not authenticate" before them. The
 * metadata service of a cloud is no storage.
 */
export const lookupFailed: PatternedSense = {
  ...unresolved,
  pattern: /\bdial (?:tcp|udp)\b(?![^]*\b169\.254\.169\.254)[^]*\b(?:no such host|server misbehaving)/i,
};

export const dialFailed: PatternedSense = {
  ...network,
  pattern:
    /\bdial (?:tcp|udp)\b(?![^]*\b169\.254\.169\.254)[^]*\b(?:i\/o timeout|connection (?:refused|timed out|reset)|no route to host|network is unreachable)/i,
};
