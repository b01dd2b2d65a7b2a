import { bytesOf, formatBytes, isQuantity } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { answerRule, tellWords } from './driver-answer.ts';
import { removeOrphan } from './orphaned-volume.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';

/** external-provisioner Provision deletes a volume that is smaller than the request. */
export const provisionSizeShort = answerRule('provision-size-short', 'sizeShort', (c, error, driver) => ({
  about: driver,
  summary: tellWords(
    `${driver} created a volume smaller than the ${c.request ?? 'size'} that the claim asks for, so the provisioner deleted it again`,
    error,
    'this is a fault of the driver, which must round up',
  ),
  evidence: [field(c.claim, 'spec.resources.requests.storage')],
  fix: [
    ...roundUp(c),
    fix(`Upgrade ${driver}, or report to its vendor that it rounds sizes down.`),
    ...removeOrphan(error),
  ],
}));

const gibibyte = 1024n ** 3n;

/** Drivers that round do so to whole GiB; a request that is whole already has another reason. */
function roundUp(c: PresentClaim): Fix[] {
  if (c.request === undefined || !isQuantity(c.request)) return [];
  const bytes = bytesOf(c.request);
  if (bytes % gibibyte === 0n) return [];
  const size = formatBytes((bytes / gibibyte + 1n) * gibibyte);
  return [recreateClaim(c, `with ${size}, a whole number of GiB`, sizeChange(size))];
}
