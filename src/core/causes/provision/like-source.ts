import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { steps } from '../lib/steps.ts';
import { dataSourceOf } from './data-source.ts';
import type { ProvisionError } from './provision-error.ts';
import { unlikeSourceTexts } from '../lib/driver-error/senses/request.ts';

/** A copy inside the storage stays where its source is: the class of the source puts it there. */
export function likeSource(c: PresentClaim, { text }: ProvisionError): Fix | undefined {
  const source = dataSourceOf(c);
  if (source?.kind !== 'PersistentVolumeClaim' || !unlikeSourceTexts.test(text)) return undefined;
  const original = new ClaimCase(c.ask, source.namespace, source.name);
  const known = isPresent(original) ? original.claim.spec?.storageClassName : undefined;
  if (known !== undefined && known !== c.class.name)
    return recreateClaim(
      c,
      `with StorageClass "${known}", that of its source pvc/${source.name}`,
      classChange(c, known),
    );
  const {
    text: how,
    commands = [],
    risk,
  } = recreateClaim(
    c,
    `with the StorageClass of its source pvc/${source.name} (PLACEHOLDER_CLASS: the first line prints it)`,
    classChange(c, 'PLACEHOLDER_CLASS'),
  );
  return steps(
    how,
    [
      `kubectl -n ${shellWord(source.namespace)} get pvc ${shellWord(source.name)} -o jsonpath='{.spec.storageClassName}'`,
      ...commands,
    ],
    risk,
  );
}
