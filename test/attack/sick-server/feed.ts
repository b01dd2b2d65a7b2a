import { openLiveFeed } from '../../../src/commands/tui/feed.ts';
import { EnvironmentError } from '../../../src/core/kube/errors.ts';
import type { ClusterFeed, Frame } from '../../../src/tui/ports.ts';
import { requestTimeout, stuck } from './clinic.ts';
import type { Bed } from './clinic.ts';
import type { Fault } from './fault.ts';

const giveUpMs = 60_000;

/** What does not hold about the first picture of the screen: it fails with one message, or it shows what is stuck or unread. */
export async function feedComplaints({ kubeconfig, server }: Bed, fault: Fault): Promise<string[]> {
  const opening = openLiveFeed({ kubeconfig, 'request-timeout': requestTimeout }, {}).then(firstFrame);
  const late = new AbortController();
  const seen = await Promise.race([
    opening.catch((error: unknown) => error as Error),
    new Promise<'late'>((resolve) => {
      const timer = setTimeout(() => resolve('late'), giveUpMs);
      late.signal.addEventListener('abort', () => clearTimeout(timer));
    }),
  ]);
  late.abort();
  if (seen === 'late') return ['did not end'];
  if (seen instanceof Error) {
    const isSound = seen instanceof EnvironmentError && fault.isHarmless !== true;
    return isSound ? [] : [`fails with ${seen.stack ?? seen.message}`];
  }
  const { frame, feed } = seen;
  await feed.close();
  const { report, freshness } = frame;
  const isShown = report.items.some(({ target, status }) => target.name === stuck.name && status === 'blocked');
  const isUnread = (report.unread ?? []).length > 0 || report.summary.unknown > 0 || freshness.state === 'stale';
  return [
    ...(isShown || isUnread ? [] : ['shows neither the stuck claim nor what is unread']),
    ...(server.requests.every((line) => line.startsWith('GET ')) ? [] : ['asked for more than reading']),
    ...(server.stolen.length > 0 ? ['followed a redirect'] : []),
  ];
}

function firstFrame(feed: ClusterFeed): Promise<{ readonly feed: ClusterFeed; readonly frame: Frame }> {
  return new Promise((resolve) => {
    const end = feed.subscribe((frame) => {
      queueMicrotask(() => end());
      resolve({ feed, frame });
    });
  });
}
