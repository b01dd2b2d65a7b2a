import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { messageOf } from '../../graph/events.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { classText, otherClasses } from './other-class.ts';
import { failure, isInTree, provisionerOf, spokenBy, waitedSeconds } from './provisioner.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { blockRefusal } from '../lib/driver-error/senses/request.ts';

const silenceSeconds = 120;

/**
 * lib canProvision: provisioners that are no CSI drivers refuse block volumes once and then report nothing; a CSI
 * driver refuses each call.
 */
export const provisionBlockUnsupported = claimRule({
  cause: 'provision-block-unsupported',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.claim.spec?.volumeMode !== 'Block') return undefined;
    const said = failure(c, blockRefusal);
    if (!said && !isSuspect(c)) return undefined;
    const maker = provisionerOf(c)?.name ?? `StorageClass "${c.class.name}"`;
    return {
      confidence: said ? 'likely' : 'possible',
      summary: said
        ? sentence(
            `${claimText(c)} asks for a raw block volume, which ${maker} does not provide: ` +
              `${quoteWords(parseDriverError(messageOf(said.event)).words)}`,
          )
        : `${claimText(c)} asks for a raw block volume, and ${maker} has been silent since. ` +
          'Provisioners that are not CSI drivers refuse such claims once, and then report nothing.',
      evidence: [field(c.claim, 'spec.volumeMode'), ...saidOnClaim(c, said)],
      fix: advise(c),
    };
  },
});

/** The one event may have expired: a provisioner that is no CSI driver and stays silent most likely cannot do it. */
function isSuspect(c: PresentClaim): boolean {
  const provisioner = provisionerOf(c);
  return (
    provisioner !== undefined &&
    !provisioner.isCsi &&
    !isInTree(provisioner) &&
    spokenBy(c).length === 0 &&
    waitedSeconds(c) > silenceSeconds
  );
}

function advise(c: PresentClaim): Fix[] {
  const blockDrivers = new Set(
    c.ask
      .seen('PersistentVolume')
      .filter(({ spec }) => spec?.volumeMode === 'Block')
      .map(({ spec }) => spec?.csi?.driver),
  );
  const [other] = otherClasses(c, ({ provisioner }) => blockDrivers.has(provisioner));
  return [
    recreateClaim(c, 'with volumeMode Filesystem', { spec: { volumeMode: 'Filesystem' } }),
    ...(other
      ? [
          recreateClaim(
            c,
            `with ${classText(other)}, whose driver has block volumes, if the application needs a raw device`,
            classChange(c, other.name),
          ),
        ]
      : []),
  ];
}
