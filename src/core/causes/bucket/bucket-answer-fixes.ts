import { findBucketSidecar } from '../../facts/bucket/bucket-controllers.ts';
import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Bucket, BucketAccess } from '../../kube/kinds.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import type { GrpcCode } from '../lib/driver-error/grpc-codes.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './bucket-rule.ts';

interface Answer {
  readonly ask: Inquiry;
  readonly object: Bucket | BucketAccess;
  readonly driver: string;
  readonly code: GrpcCode | undefined;
  readonly className: string | undefined;
}

/** rpcErrorIsRetryable of v1alpha2: after these codes the sidecar does not call again until it starts anew. */
const finalCodes: ReadonlySet<string | undefined> = new Set(['InvalidArgument', 'AlreadyExists', 'Unimplemented']);

/** What to do about an answer of the driver, by its code. */
export function answerFixes(answer: Answer): Fix[] {
  const text = textFor(answer);
  return [steps(`${text} ${nextTry(answer)}`, logCommands(answer))];
}

function textFor({ code, driver, className }: Answer): string {
  switch (code) {
    case 'PermissionDenied':
    case 'Unauthenticated':
      return `Give ${driver} credentials that its object storage accepts, with the right to manage buckets and users: they are in the Secret that its pod uses.`;
    case 'InvalidArgument':
      return `Correct the parameters that ${className === undefined ? 'the class passes' : `class "${className}" passes`} to ${driver}: the driver's documentation lists them. They are copied when the object is created, so correct the class first and then recreate the claim or access.`;
    case 'Unavailable':
    case 'DeadlineExceeded':
      return `Make the object storage of ${driver} reachable from its pod: check its endpoint, network policies and whether the storage runs.`;
    case 'ResourceExhausted':
      return `Free room or raise the quota on the object storage of ${driver}: the message names the limit.`;
    case 'NotFound':
      return `Check that the bucket exists on the storage under the id that the Bucket names.`;
    default:
      return `Correct what the message names, on the object storage or in the configuration of ${driver}.`;
  }
}

function nextTry({ object, code }: Answer): string {
  if (!isSecondVersion(object) || !finalCodes.has(code)) return retryWords(object);
  return 'It is not retried after this answer: restart the sidecar (the pod of the driver) afterwards.';
}

/** The driver's own log says what its storage answered. */
function logCommands({ ask, driver }: Answer): string[] {
  const { workload, lease } = findBucketSidecar(ask, driver);
  if (workload)
    return [
      `kubectl ${inNamespace(workload.namespace)}logs ${workload.kind.toLowerCase()}/${shellWord(workload.name)} --all-containers --since=15m`,
    ];
  const namespace = lease.object?.metadata.namespace;
  return namespace === undefined ? [] : [`kubectl ${inNamespace(namespace)}get pods`];
}
