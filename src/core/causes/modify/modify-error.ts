import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { mayPass, quote, rpcWordsOf } from '../expand/rpc-words.ts';
import { mergePatch, volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';

const patienceSeconds = 600;

interface ModifyError {
  readonly code: string;
  readonly words: string;
  readonly evidence: readonly Evidence[];
}

/** The refusal that the claim itself still holds; given up, it stands in the condition of the work (external-resizer v1.14.0). */
function keptError(c: PresentClaim): ReturnType<typeof conditionOf> {
  const failed = conditionOf(c.claim.status?.conditions, 'ModifyVolumeError');
  if (failed?.status === 'True') return failed;
  const working = conditionOf(c.claim.status?.conditions, 'ModifyingVolume');
  return working?.status === 'True' && /code = \w+ desc = /.test(working.message ?? '') ? working : undefined;
}

/** The condition keeps the code as its reason and the driver's words as its message; the event has both in one. */
function errorOf(c: PresentClaim): ModifyError | undefined {
  const condition = keptError(c);
  const said = newestMatch(c.events.items, 'VolumeModifyFailed', /code = \w+ desc = /);
  const heard = said && rpcWordsOf(said.event.message ?? said.event.note ?? '');
  if (!condition)
    return said && heard
      ? { code: heard.code ?? '', words: heard.words, evidence: [eventSaid(c.claim, said.event)] }
      : undefined;
  const kept = rpcWordsOf(condition.message ?? '');
  return {
    code: condition.reason || (kept.code ?? heard?.code ?? ''),
    words: kept.words || (heard?.words ?? ''),
    evidence: [
      field(
        c.claim,
        `status.conditions[${condition.type ?? ''}]`,
        [condition.reason, condition.message].filter(Boolean).join(': '),
        condition.lastTransitionTime,
      ),
    ],
  };
}

/** external-resizer controllerModifyVolumeWithTarget: of all errors only InvalidArgument is given up. */
export const modifyInfeasible = claimRule({
  cause: 'modify-infeasible',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const { wanted, target, state } = modificationOf(c);
    const error = errorOf(c);
    // With each new try the state is InProgress for a while, and the old refusal stays (seen with external-resizer v1.14.0).
    const isRetried = state === 'InProgress' && error?.code === 'InvalidArgument' && keptError(c) !== undefined;
    // A claim that names another class by now is tried with that one.
    if ((state !== 'Infeasible' && !isRetried) || (wanted !== '' && target !== '' && wanted !== target))
      return undefined;
    const driver = volumeOf(c)?.spec?.csi?.driver;
    const vac = c.ask.get('VolumeAttributesClass', undefined, target, `what attributes class ${target} asks for`);
    const isForeign =
      vac.state === 'found' &&
      driver !== undefined &&
      vac.object.driverName !== undefined &&
      vac.object.driverName !== driver;
    return {
      about: target,
      summary: `${driver ?? 'the driver'} cannot give the volume the attributes of class ${target}${isForeign ? `, which is made for ${vac.object.driverName ?? ''}` : error?.words ? `: ${quote(error.words)}` : ''}`,
      evidence: [
        ...modifyEvidence(c),
        ...(error?.evidence ?? []),
        ...(vac.state === 'found'
          ? [field(vac.object, 'parameters'), ...(isForeign ? [field(vac.object, 'driverName')] : [])]
          : []),
      ],
      fix: [...wayBack(c), ...logs(c, driver)],
    };
  },
});

/** external-resizer markControllerModifyVolumeStatus. */
export const modifyError = claimRule({
  cause: 'modify-error',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const { target, state } = modificationOf(c);
    const error = state === 'Infeasible' ? undefined : errorOf(c);
    if (!error) return undefined;
    const isKept = keptError(c) !== undefined;
    // The event alone may be of a change that came to its end since.
    if (!isKept && state !== 'InProgress') return undefined;
    const since = modifySince(c);
    if (mayPass(error.code) && since !== undefined && (c.now - since) / 1000 < patienceSeconds) return undefined;
    const driver = volumeOf(c)?.spec?.csi?.driver;
    return {
      confidence: isKept ? 'certain' : 'likely',
      summary: `${driver ?? 'the driver'} could not give the volume the attributes of class ${target}: ${quote(error.words || error.code)}`,
      evidence: [...modifyEvidence(c), ...error.evidence],
      fix: [fix('act on what the driver says: the resizer tries again by itself'), ...logs(c, driver), ...wayBack(c)],
    };
  },
});

function wayBack(c: PresentClaim): Fix[] {
  const { current } = modificationOf(c);
  if (current === '')
    return [
      fix(
        'name an attributes class that the driver can give',
        `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
      ),
    ];
  return [
    fix(
      `name a class that the driver can give, or go back to ${current}`,
      `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { volumeAttributesClassName: current } })}`,
    ),
  ];
}

function logs(c: PresentClaim, driver: string | undefined): Fix[] {
  return driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')];
}
