import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { findController, knownLogs } from '../../facts/driver/drivers.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import type { FoundSense } from '../lib/driver-error/storage-senses/sense.ts';
import { grantFix } from '../lib/grant.ts';
import { canBeProbed } from '../lib/restart-driver.ts';
import { isWordOf } from '../lib/named-fields.ts';
import { nodeNamedIn, poolNamedIn } from '../lib/driver-error/named-place.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { volumeOf, volumeWords } from './expansion.ts';

/** What a well-known error of a storage system means for a volume that exists and is to be changed. */
export interface ChangeSense {
  readonly about: FoundSense['about'];
  /** A full sentence. */
  readonly meaning: string;
  /** The part of the text that has this sense. */
  readonly words: string;
  /** What to ask for, where the words name it. */
  readonly advice?: string;
}

const meanings: Partial<Record<FoundSense['about'], string>> = {
  socket: 'No process answers on the socket of the driver next to the resizer.',
  throttling: 'The storage API turns requests away because there are too many of them.',
  count: 'A limit of the storage is reached.',
  space: 'The storage has too little free space.',
  quota: 'A quota or limit of the storage is used up.',
  placement: 'Too few nodes, disks or pools of the storage can take the larger volume.',
  key: 'It is about the encryption key.',
  credentials: 'The storage refused the caller.',
  network: 'The driver cannot reach the storage over the network.',
  certificate: 'The connection was refused because of a certificate, before any login.',
  outage: 'The storage answers that it is not available now.',
  busy: 'The storage refuses it until what the error names is finished or released.',
  crash: 'This is a fault in the program of the driver or of the storage behind it.',
  slow: 'The storage did not answer the driver in time.',
};

/** Undefined where the words are not known, or speak of something that only a new volume needs. */
export function changeSenseOf(text: string): ChangeSense | undefined {
  const forbidden = accountForbiddenText.exec(text);
  if (forbidden)
    return {
      about: 'admission',
      words: forbidden[0],
      meaning: 'This is Kubernetes RBAC: the storage was not asked.',
    };
  const sense = senseOf(text);
  if (sense?.about === 'object' || sense?.about === 'admission')
    return { about: sense.about, words: sense.words, meaning: `${capitalise(sense.meaning)}.` };
  const meaning = sense && meanings[sense.about];
  if (!sense || meaning === undefined) return undefined;
  const named = sense.about === 'quota' ? sense.advice : undefined;
  return {
    about: sense.about,
    meaning,
    words: sense.words,
    // Only where the words name the quota; what follows is about new volumes.
    ...(named?.includes(' quota ') &&
      named.includes(' now ') && { advice: named.replace(/ The claim is then .*$/, '') }),
  };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Something to do outside the cluster, without a command. */
function advice(text: string): Fix[] {
  return [steps(text, [])];
}

/** What removes the reason of an error that the resizer reports; `retry` is a sentence about the next attempt. */
export function fixesForChange(
  c: PresentClaim,
  driver: string | undefined,
  sense: ChangeSense | undefined,
  text: string,
  retry: string,
): Fix[] {
  const who = driver ?? 'the storage plugin';
  switch (sense?.about) {
    case 'socket':
      return driver === undefined ? [] : [restartDriver(c, driver, retry)];
    case 'throttling':
      return advice(`Wait: ${lowerFirst(retry)} If it lasts, ask the owner of the storage for a higher rate.`);
    case 'object':
      return advice(`Create what the error names in Kubernetes, as the documentation of ${who} says. ${retry}`);
    case 'admission':
      return [grantFix(text, driver, retry)];
    case 'count':
    case 'quota':
      if (sense.advice !== undefined) return advice(`${sense.advice} ${retry}`);
      return advice(
        'Ask the owner of the storage account to raise the quota or limit that the error names, or to ' +
          `delete what is no longer needed there. ${retry}`,
      );
    case 'space':
    case 'placement':
      return advice(
        `Add space to ${placeIn(c, text) ?? 'the storage or the pool that the error names'}, or free some. ${retry}`,
      );
    case 'key':
      return advice(
        `Give the role of ${who} the use of the encryption key of this volume, and make sure that the key exists and is enabled. ${retry}`,
      );
    case 'credentials':
      return advice(
        `Ask the owner of the storage to allow the identity of ${who} to change volumes: the role or key ` +
          `of its controller has to include the action that the error names. ${retry}`,
      );
    case 'network':
      return advice(
        `Ask the network team to open the path from the controller of ${who} to the address that the error ` +
          `names (routes, firewall, DNS). ${retry}`,
      );
    case 'slow':
      return advice(
        `Ask the storage team whether the storage is healthy and reachable from the controller of ${who}. ${retry}`,
      );
    default:
      return sense ? generalFixes(sense, who, retry) : [];
  }
}

/** What any storage may answer to any request. */
function generalFixes({ about }: ChangeSense, who: string, retry: string): Fix[] {
  switch (about) {
    case 'certificate':
      return [
        steps(
          'Ask the owner of the storage to renew the certificate if it has expired, or to issue it for the ' +
            `address that is used; if a private authority signed it, give ${who} that CA certificate. ` +
            `${retry}`,
          [],
        ),
      ];
    case 'outage':
      return [
        steps(
          `Ask your storage team to bring back what the error names (down, overloaded or in maintenance). ${retry}`,
          [],
        ),
      ];
    case 'busy':
      return [
        steps(
          `Ask your storage team what uses or locks the volume, as the error names it, and to end, release or wait for it. ${retry}`,
          [],
        ),
      ];
    case 'crash':
      return [
        steps(
          `Report it to the vendor of ${who}, with its version and the lines of its log around the error. ${retry}`,
          [],
        ),
      ];
    default:
      return [];
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * The pod that holds the driver next to the resizer, started again; its log is saved first, since it goes with the pod.
 */
export function restartDriver(c: PresentClaim, driver: string, retry: string): Fix {
  const { leader, pods, workload } = findController(c.ask, driver, 'resizer');
  const pod = leader ?? pods.items[0];
  const { namespace = 'PLACEHOLDER_NAMESPACE', name = 'PLACEHOLDER_POD' } = pod?.metadata ?? {};
  const isProbed = canBeProbed(pod);
  const find = pod
    ? []
    : [
        'kubectl get pods -A -o ' +
          "custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' " +
          '| grep -i resizer',
      ];
  return steps(
    `${isProbed ? 'Probe the driver. If it does not answer, save its' : 'Save the'} log and restart the ` +
      `pod that holds ${isProbed ? 'it' : 'the driver'} next to the ` +
      `resizer${pod ? '' : ' (PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are in the list)'}. ${retry}`,
    [
      ...(isProbed ? [`kubectl csi probe ${shellWord(driver)}`] : []),
      ...find,
      `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=15m > ${shellWord(`${name}.log`)}`,
      pod
        ? (restartFix(pod, workload, '').command ?? '')
        : `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(name)}`,
    ],
    'disruptive',
  );
}

/** A fresh process of the resizer looks at every claim again. `text` gets its name. */
export function restartResizer(c: PresentClaim, driver: string, text: (what: string) => string): Fix {
  const { leader, pods, workload } = findController(c.ask, driver, 'resizer');
  const pod = leader ?? pods.items[0];
  const { command } = pod ? restartFix(pod, workload, '') : {};
  if (pod && command !== undefined) {
    const what = workload ? `${workload.kind.toLowerCase()}/${workload.name}` : `pod/${pod.metadata.name}`;
    return steps(text(`${what} in namespace ${pod.metadata.namespace ?? ''}`), [command], 'disruptive');
  }
  return steps(
    `${text(`the resizer of ${driver}`)} PLACEHOLDER_NAMESPACE and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the first line's output.`,
    [
      `kubectl get deploy,sts,ds -A -o wide | grep -i resizer`,
      'kubectl -n PLACEHOLDER_NAMESPACE rollout restart PLACEHOLDER_WORKLOAD',
    ],
    'disruptive',
  );
}

/** The log of the driver next to the resizer says more than the error that the resizer passes on. */
export function driverLog(c: PresentClaim, driver: string | undefined): Fix[] {
  return driver === undefined ? [] : knownLogs(findController(c.ask, driver, 'resizer'), 'driver');
}

/** The driver answered, in words that name no step: what the storage itself records of the volume says more. */
export function readStorage(c: PresentClaim, driver: string | undefined, retry: string): Fix {
  const view = storageViewOf(driver, volumeOf(c));
  const { growth } = view;
  const words = growth ? ` The command shows ${growth.shows}.` : viewWords(view);
  const commands = growth ? [growth.command] : viewCommands(view);
  return steps(
    `${commands.length > 0 ? 'Compare the quoted words with what the storage records of' : `Ask ${view.team}, with the quoted words, about`} ${volumeWords(c)}, and correct there what they name: the request itself has reached the driver.${words} ${retry}`,
    commands,
  );
}

/** The pool and the node that an error about space names. */
function placeIn(c: PresentClaim, text: string): string | undefined {
  const pool = poolNamedIn(text);
  const known = c.ask.graph.all('Node').find(({ metadata }) => isWordOf(text, metadata.name));
  const node = known?.metadata.name ?? nodeNamedIn(text);
  if (pool === undefined && node === undefined) return undefined;
  return `${pool === undefined ? 'the storage' : `storage pool "${pool}"`}${node === undefined ? '' : ` on node ${node}`}`;
}
