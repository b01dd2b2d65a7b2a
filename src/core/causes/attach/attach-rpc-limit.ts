import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import { answerOf, registrationOf } from './attach-rpc.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { limitTexts, saysLimit } from '../lib/driver-error/senses/capacity.ts';

/** ControllerPublishVolume RESOURCE_EXHAUSTED: the node is full, even if its CSINode promises more slots. */
export const attachRpcLimit = attachRules('attach-rpc-limit', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysLimit(error)) return undefined;
  const { node, driver, lead } = trouble;
  const registration = registrationOf(trouble);
  const limit = registration?.entry?.allocatable?.count;
  const promise =
    limit === undefined
      ? `and ${driver ?? 'the driver'} tells the scheduler of no limit`
      : `though ${driver ?? 'the driver'} tells the scheduler that it takes ${limit}`;
  return {
    confidence: confidenceOf(trouble),
    about: `${driver ?? ''} on ${node}`,
    summary: `${lead}: ${node} takes no more volumes (${shortWords(error, limitTexts)}), ${promise}`,
    evidence: [error.evidence, ...limitEvidence(trouble, registration)],
    fix: fixesFor(trouble),
  };
});

function limitEvidence(trouble: AttachTrouble, registration: ReturnType<typeof registrationOf>): Evidence[] {
  if (!registration) return [];
  const path = `spec.drivers[${trouble.driver ?? ''}].allocatable.count`;
  const limit = registration.entry?.allocatable?.count;
  if (limit === undefined) return [field(registration.csiNode, path, 'not set')];
  const attached = countAttached(trouble);
  return [field(registration.csiNode, path, `${limit}${attached > 0 ? `; ${attached} attached` : ''}`)];
}

function countAttached({ ask, node, driver }: AttachTrouble): number {
  return ask
    .seen('VolumeAttachment')
    .filter(({ spec, status }) => spec?.nodeName === node && spec.attacher === driver && status?.attached === true)
    .length;
}

function fixesFor({ node, driver }: AttachTrouble): Fix[] {
  return [
    fix(
      `move a pod with volumes away from ${node}, or make this pod again so that it is placed elsewhere`,
      `kubectl get volumeattachments -o custom-columns='NODE:.spec.nodeName,DRIVER:.spec.attacher,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached' --sort-by=.spec.nodeName`,
    ),
    fix(
      `set the attach limit of ${driver ?? 'the driver'} to what the machine really takes (network cards and foreign disks use slots too); from 1.35 on spec.nodeAllocatableUpdatePeriodSeconds of the CSIDriver keeps it true`,
      `kubectl get csinode ${shellWord(node)} -o yaml`,
    ),
  ];
}
