import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Condition } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import { mergePatch } from '../expand/expansion.ts';
import { modificationOf } from './modification.ts';
import { rpcErrorText } from '../lib/driver-error/grpc-codes.ts';

/** What the driver answered to ControllerModifyVolume. */
export interface ModifyRefusal {
  readonly code: string;
  readonly words: string;
  readonly evidence: Evidence;
}

/**
 * The condition that still holds the error: ModifyVolumeError, or ModifyingVolume once the change was given up
 * (external-resizer v1.14.0).
 */
export function keptRefusal({ claim }: PresentClaim): Condition | undefined {
  const failed = conditionOf(claim.status?.conditions, 'ModifyVolumeError');
  if (failed?.status === 'True') return failed;
  const working = conditionOf(claim.status?.conditions, 'ModifyingVolume');
  return working?.status === 'True' && rpcErrorText.test(working.message ?? '') ? working : undefined;
}

/** The condition keeps the code as its reason and the driver's words as its message; the event has both in one text. */
export function refusalOf(c: PresentClaim): ModifyRefusal | undefined {
  const condition = keptRefusal(c);
  const said = newestMatch(c.events.items, 'VolumeModifyFailed', rpcErrorText);
  if (condition) return refusalInCondition(c, condition, said);
  if (!said) return undefined;
  const { code, words } = rpcWordsOf(messageOf(said.event));
  return { code: code ?? '', words, evidence: eventSaid(c.claim, said.event) };
}

function refusalInCondition(c: PresentClaim, condition: Condition, said: EventMatch | undefined): ModifyRefusal {
  const { type, reason, message, lastTransitionTime } = condition;
  const kept = rpcWordsOf(message ?? '');
  const heard = said && rpcWordsOf(messageOf(said.event));
  return {
    code: reason || (kept.code ?? heard?.code ?? ''),
    words: kept.words || (heard?.words ?? ''),
    evidence: field(
      c.claim,
      `status.conditions[${type ?? ''}]`,
      [reason, message].filter(Boolean).join(': '),
      lastTransitionTime,
    ),
  };
}

/** Another class, or the one that the volume has now. */
export function otherClassFix(c: PresentClaim): Fix {
  const { current } = modificationOf(c);
  if (current === '')
    return fix(
      'name an attributes class that the driver can give',
      `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
    );
  return fix(
    `name a class that the driver can give, or go back to ${current}`,
    `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { volumeAttributesClassName: current } })}`,
  );
}

/** How to read the log of the driver's controller. */
export function driverLogs(c: PresentClaim, driver: string | undefined): Fix[] {
  return driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')];
}
