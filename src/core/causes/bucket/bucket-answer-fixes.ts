import { findBucketSidecar } from '../../facts/bucket/bucket-controllers.ts';
import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Bucket, BucketAccess } from '../../kube/kinds.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import type { GrpcCode } from '../lib/driver-error/grpc-codes.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './bucket-rule.ts';

interface Answer {
  readonly ask: Inquiry;
  readonly object: Bucket | BucketAccess;
  readonly driver: string;
  readonly code: GrpcCode | undefined;
  readonly className: string | undefined;
}

/** rpcErrorIsRetryable of v1alpha2: after these codes the sidecar does not call again until it restarts. */
const finalCodes: ReadonlySet<string | undefined> = new Set(['InvalidArgument', 'AlreadyExists', 'Unimplemented']);

/** What to do about an answer of the driver, by its code. */
export function answerFixes(answer: Answer): Fix[] {
  const { code } = answer;
  if (code === 'PermissionDenied' || code === 'Unauthenticated') return [renewCredentials(answer)];
  if (code === 'InvalidArgument') return [correctParameters(answer)];
  return [steps(`${textFor(answer)} ${nextTry(answer)}`, [restartCommand(answer)], 'disruptive')];
}

function renewCredentials(answer: Answer): Fix {
  const namespace = shellWord(placeOf(answer).namespace);
  return steps(
    `Give ${answer.driver} credentials that its object storage accepts, with the right to manage buckets and ` +
      'users. PLACEHOLDER_SECRET is the Secret that its pod uses, PLACEHOLDER_KEY and PLACEHOLDER_FILE a key ' +
      'of it and the file with its content. ' +
      `The driver reads them when it starts, and is then called again.${placeOf(answer).words}`,
    [
      `kubectl -n ${namespace} create secret generic PLACEHOLDER_SECRET ` +
        '--from-file=PLACEHOLDER_KEY=PLACEHOLDER_FILE --dry-run=client -o yaml | kubectl apply -f -',
      restartCommand(answer),
    ],
    'disruptive',
  );
}

/** Parameters are copied to the Bucket when it is created: class and claim are both recreated. */
function correctParameters({ object, driver, className }: Answer): Fix {
  const isBucket = object.kind === 'Bucket';
  const name = className ?? 'PLACEHOLDER_CLASS';
  const kind = isBucket ? 'BucketClass' : 'BucketAccessClass';
  const parameters = { parameters: { PLACEHOLDER_PARAMETER: 'PLACEHOLDER_VALUE' } };
  return steps(
    `Correct the parameters of ${kind} "${name}", which ${driver} refuses: ` +
      `the driver's documentation lists them. ` +
      `Then recreate the ${isBucket ? 'claim' : 'access'}: they are copied when it is created.`,
    recreateCommands({ kind, metadata: { name } }, isSecondVersion(object) ? { spec: parameters } : parameters),
    'disruptive',
  );
}

function textFor({ code, driver }: Answer): string {
  switch (code) {
    case 'Unavailable':
    case 'DeadlineExceeded':
      return (
        `Make the object storage of ${driver} reachable from its pod: ` +
        'check its endpoint, network policies and whether the storage runs.'
      );
    case 'ResourceExhausted':
      return `Free room or raise the quota on the object storage of ${driver}: the message names the limit.`;
    case 'NotFound':
      return 'Check that the bucket exists on the storage under the id that the Bucket names.';
    case 'OutOfRange':
      return `Name one bucket for each access: ${driver} does not support an access to several.`;
    default:
      return `Correct what the message names, on the object storage or in the configuration of ${driver}.`;
  }
}

function nextTry(answer: Answer): string {
  const isFinal = isSecondVersion(answer.object) && finalCodes.has(answer.code);
  const when = isFinal ? 'It is not retried after this answer' : retryWords(answer.object).replace(/\.$/, '');
  return `${when}; a restart of the driver's pod makes the sidecar call at once.${placeOf(answer).words}`;
}

function restartCommand(answer: Answer): string {
  const { namespace, target } = placeOf(answer);
  return `kubectl -n ${shellWord(namespace)} rollout restart ${target}`;
}

/** Where the pod of the driver is, with the words that explain what is not known. */
function placeOf({ ask, driver }: Answer): { namespace: string; target: string; words: string } {
  const { workload, lease } = findBucketSidecar(ask, driver);
  if (workload)
    return {
      namespace: workload.namespace,
      target: `${workload.kind.toLowerCase()} ${shellWord(workload.name)}`,
      words: '',
    };
  const namespace = lease.object?.metadata.namespace;
  return {
    namespace: namespace ?? 'PLACEHOLDER_NAMESPACE',
    target: 'PLACEHOLDER_WORKLOAD',
    words:
      ` PLACEHOLDER_WORKLOAD (TYPE/NAME)${namespace === undefined ? ' and PLACEHOLDER_NAMESPACE are' : ' is'} ` +
      'where the driver is deployed.',
  };
}
