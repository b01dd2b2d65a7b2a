import { setTimeout as sleep } from 'node:timers/promises';
import { judgedKinds } from '../../src/cli/targets.ts';
import { parseTargets } from '../../src/cli/targets.ts';
import { tuiPorts } from '../../src/commands/tui/ports.ts';
import { rowKinds } from '../../src/core/report/rows.ts';
import type { RowKind } from '../../src/core/report/rows.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { ClusterFeed } from '../../src/tui/ports.ts';

const patienceMs = 240_000;

/** Asks everything that the screen may ask, except a probe and a log, which need other rights. */
export async function recordTui(
  url: string,
  namespace: string | undefined,
  target: { readonly text: string; readonly namespace: string },
  isWatching: () => boolean,
): Promise<void> {
  const feed = await tuiPorts({ server: url, kubeconfig: '/dev/null' }).open({ namespace });
  try {
    await untilLive(feed, isWatching);
    for (const kind of Object.keys(rowKinds) as RowKind[]) await feed.rows(kind);
    await feed.status().catch(expected);
    await feed.events();
    await feed.namespaces();
    for (const { kind, name } of await parseTargets([target.text], { kinds: judgedKinds.everything })) {
      const ref: TargetRef = { kind, namespace: target.namespace, name };
      await feed.why(ref);
      await feed.trace(ref);
      await feed.events(ref);
      await feed.object(ref);
    }
  } finally {
    await feed.close();
  }
}

/** The watches are up a moment after the lists. */
async function untilLive(feed: ClusterFeed, isWatching: () => boolean): Promise<void> {
  const seen: { state?: string } = {};
  const unsubscribe = feed.subscribe(({ freshness }) => void (seen.state = freshness.state));
  for (const begun = performance.now(); seen.state !== 'live' || !isWatching(); await sleep(20))
    if (performance.now() - begun > patienceMs) throw new Error('the feed does not become live');
  unsubscribe();
}

function expected(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'UserError') throw error;
}
