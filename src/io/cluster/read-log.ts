import type { ContainerLog, LogNeed } from '../../core/kube/container-log.ts';
import type { PodAccess } from './pod-access.ts';

/** Retries repeat the same lines: what is decisive is among the last of these, or in none. */
const mostLines = 3000;
const mostBytes = 1024 * 1024;
/**
 * The kubelet counts lines from the end but bytes from there on: of long lines fewer are read, so that the last are
 * among them.
 */
const fewerLines = 400;
const patienceMs = 8000;

/** One log, bounded in time, lines and bytes. Refusals are values. */
export async function readContainerLog(pods: PodAccess, need: LogNeed): Promise<ContainerLog> {
  const { namespace, pod, container, previous, since } = need;
  const name = { namespace, pod, container, ...(previous === true && { previous }) };
  const read = (lines: number): ReturnType<PodAccess['log']> =>
    pods.log({ namespace, name: pod }, container, {
      lines,
      bytes: mostBytes,
      milliseconds: patienceMs,
      ...(since !== undefined && { since }),
      isPrevious: previous === true,
      isStamped: true,
    });
  let most = mostLines;
  let answer = await read(most);
  if (answer.type === 'log' && answer.isCut) answer = await read((most = fewerLines));
  if (answer.type === 'no way') {
    const message = answer.message.split('\n', 1)[0] ?? '';
    if (answer.reason === 'forbidden') return { ...name, state: 'denied', message, lines: [] };
    const isGone = answer.reason === 'missing' || goneWords.test(message);
    return { ...name, state: isGone ? 'missing' : 'failed', message, lines: [] };
  }
  const lines = answer.text.split('\n').filter((line) => line !== '');
  const isCut = answer.isCut || lines.length >= most;
  return {
    ...name,
    state: 'complete',
    lines,
    ...(since !== undefined && { since }),
    ...(isCut && { isCut }),
  };
}

/** kubelet: the container has not started, or it has no earlier instance, or its log was rotated away. */
const goneWords =
  /previous terminated container .* not found|is waiting to start|is not valid for pod|does not have a host assigned|not available|container not found|no such file/i;
