import { spawnSync } from 'node:child_process';
import { startDemoCluster } from './demo-cluster.ts';
import type { DemoCluster } from './demo-cluster.ts';
import { filmOf } from './film.ts';
import { lineOf, svgOf, widthOf } from './screen-svg.ts';
import { shootTui, tuiSize } from './tui-shot.ts';

interface Still {
  readonly file: string;
  readonly words: string;
  readonly title: string;
}

const stills: readonly Still[] = [
  {
    file: 'why-pending.svg',
    words: 'why-pending -n shop',
    title: 'Everything that is stuck in a namespace, by cause',
  },
  {
    file: 'status.svg',
    words: 'status -n web',
    title: 'Drivers with their controllers and nodes, free space, claims by state, and what is stuck',
  },
  {
    file: 'trace.svg',
    words: 'trace pod/warehouse-0 -n data',
    title: 'The chain of objects with the broken link, a timeline, and where the time went',
  },
];

/** Why the picture of the interactive screen cannot be drawn here; undefined if it can. */
export function whyNoTui(): string | undefined {
  return spawnSync('tmux', ['-V']).error === undefined ? undefined : 'tmux is not on the PATH';
}

/** The pictures of the README by the names of their files, from what the built program prints about the demo cluster. */
export async function drawPictures(): Promise<ReadonlyMap<string, string>> {
  const cluster = await startDemoCluster();
  try {
    const drawn = await Promise.all([
      ...stills.map(async (still) => [still.file, await drawStill(cluster, still)] as const),
      ...(whyNoTui() === undefined ? [drawTui(cluster).then((picture) => ['tui.svg', picture] as const)] : []),
    ]);
    // Last, because it changes the cluster.
    return new Map([...drawn, ['demo.svg', await drawFilm(cluster)]]);
  } finally {
    await cluster.close();
  }
}

async function drawStill(cluster: DemoCluster, { words, title }: Still): Promise<string> {
  const output = await cluster.run(words);
  return screenOf(
    `\u001b[1m$ kubectl csi ${words}\u001b[0m\n${output}`.trimEnd(),
    title,
    `The output of kubectl csi ${words}.`,
    80,
  );
}

async function drawTui({ kubeconfig, directory }: DemoCluster): Promise<string> {
  const screen = await shootTui(kubeconfig, directory);
  const title = 'What is stuck, grouped by cause, with the journey of one claim next to it';
  return screenOf(screen.replace(/\n$/, ''), title, 'The screen of kubectl csi tui.', tuiSize.columns);
}

function screenOf(screen: string, title: string, description: string, least: number): string {
  const lines = screen.split('\n');
  const columns = Math.max(least, ...lines.map(widthOf));
  const body = lines.map(lineOf).filter((line) => line !== '');
  return svgOf({ title, description, columns, rows: lines.length, body });
}

/** A claim is stuck, the verdict names the cause, the printed fix is applied, and the claim is healthy. */
async function drawFilm(cluster: DemoCluster): Promise<string> {
  const question = 'why pvc/assets -n web';
  const verdict = await cluster.run(question);
  const fix = 'kubectl -n storage-system scale deployment files-controller --replicas=1';
  if (!verdict.includes(fix)) throw new Error(`the verdict no longer prints the fix of the film:\n${verdict}`);
  const scaled = await cluster.scale('storage-system', 'files-controller', 1);
  cluster.pass(20);
  await cluster.untilRunning('web', 'site-0');
  const healthy = await cluster.run(question);
  return filmOf({
    title: 'A claim is stuck; kubectl csi names the cause, the fix is applied, and the claim is healthy',
    description: 'A terminal session on the embedded demo cluster.',
    columns: 81,
    rows: 23,
    scenes: [
      { command: `kubectl csi ${question}`, output: verdict, seconds: 8 },
      { command: fix, output: scaled, seconds: 2 },
      { command: `kubectl csi ${question}`, output: healthy, seconds: 6 },
    ],
  });
}
