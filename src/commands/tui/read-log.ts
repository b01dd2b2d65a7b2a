import type { ClusterSource } from '../../cli/open-source.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import type { Need } from '../../core/kube/snapshot.ts';
import type { ComponentLog, LogPart, LogPlace } from '../../core/report/component-log.ts';
import { askLogPlaces } from '../../core/survey/logs/ask-log-places.ts';
import { scrub } from '../../io/capture/credentials.ts';
import type { PodAccess } from '../../io/cluster/pod-access.ts';

/** Enough to see what a component did last; the rest is for kubectl logs. */
const mostLines = 60;
const mostBytes = 64 * 1024;
const mostLineLength = 2000;
const patienceMs = 10_000;

/** The last lines of the component that owns the stage at which the object is stuck, without credentials. */
export async function readLog(source: ClusterSource, target: TargetRef, seed: Need): Promise<ComponentLog> {
  const { owner, places, reason } = await source.answer((snapshot) => askLogPlaces(snapshot, target), {
    seeds: [seed],
  });
  const known = { ...(owner !== undefined && { owner }) };
  if (places.length === 0) {
    const words = source.isLive || owner === undefined ? reason : `${noLogs} ${reason ?? ''}`.trimEnd();
    return { ...known, ...(words !== undefined && { reason: words }), parts: [], commands: [] };
  }
  const pods = await source.pods();
  if (pods === undefined)
    return {
      ...known,
      reason: `${noLogs} These commands read them in the cluster:`,
      parts: [],
      commands: places.map(commandOf),
    };
  const parts = await Promise.all(places.map((place) => readPart(pods, place)));
  return { ...known, parts, commands: [] };
}

const noLogs = 'A dump holds no logs.';

function commandOf({ namespace, pod, container }: LogPlace): string {
  return `kubectl -n ${shellWord(namespace)} logs ${shellWord(pod)} -c ${shellWord(container)} --tail=${mostLines}`;
}

async function readPart(pods: PodAccess, place: LogPlace): Promise<LogPart> {
  const { namespace, pod: name, container } = place;
  const limits = { lines: mostLines, bytes: mostBytes, milliseconds: patienceMs };
  const answer = await pods.log({ namespace, name }, container, limits);
  if (answer.type === 'no way')
    return { ...place, lines: [], isCut: false, refusal: refusalText(answer.reason, answer.message) };
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return {
    ...place,
    lines: lines.slice(-mostLines).map((line) => scrub(line.slice(0, mostLineLength))),
    isCut: answer.isCut || lines.length >= mostLines,
  };
}

function refusalText(reason: string, message: string): string {
  const words = message.split('\n', 1)[0] ?? '';
  return reason === 'forbidden'
    ? `This user may not read it (get pods/log): ${words}`
    : `It could not be read: ${words}`;
}
