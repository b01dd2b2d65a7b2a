import { stages } from '../../src/commands/causes/stages.ts';
import type { CauseFacts } from './cause-facts.ts';
import { shownTitle } from './cause-page.ts';
import { callNames, causesByStorage, causesOfCodes } from './drivers.ts';
import { code, frontmatter, plain, table } from './markdown.ts';

type Causes = readonly CauseFacts[];

const linkTo = ({ id }: CauseFacts, from = '.'): string => `[${code(id)}](${from}/${id}.md)`;

/** What each stage of a journey does, and who acts in it. */
const stageSentences: Readonly<Record<string, string>> = {
  claim: 'The claim, its class and the pod that asks for it exist and agree.',
  provision: 'The provisioner calls the driver, which creates the volume.',
  bind: 'The claim and a volume are bound to each other.',
  schedule: 'The scheduler finds a node on which all volumes of the pod can be used.',
  attach: 'The attacher makes the volume available on that node.',
  mount: 'The kubelet stages and mounts the volume, and the pod starts.',
  expand: 'The volume and its file system grow.',
  modify: 'The volume changes to other attributes.',
  snapshot: 'A snapshot, or a group of them, is taken.',
  delete: 'The claim, the volume, the attachment or the snapshot goes away.',
};

/** The indexes of the causes: their start page, by message, by stage and by driver. */
export function renderIndexes(causes: Causes): ReadonlyMap<string, string> {
  return new Map([
    ['causes/index.md', startPage(causes)],
    ['causes/by-message.md', byMessage(causes)],
    ['causes/by-stage.md', byStage(causes)],
    ['causes/by-driver.md', byDriver(causes)],
  ]);
}

function startPage(causes: Causes): string {
  const counts = stages.map((stage) => [
    `[${stage}](./by-stage.md#${stage})`,
    stageSentences[stage] ?? '',
    String(causes.filter((cause) => cause.stages.includes(stage)).length),
  ]);
  return [
    frontmatter({
      title: 'Causes',
      description: `${causes.length} reasons why storage is stuck in Kubernetes, each with its fix.`,
    }),
    '# Causes\n\n',
    `kubectl csi knows ${causes.length} causes. Each has a page: what you see, why it happens, how to confirm it, how to fix it, and when it is harmless.\n\n`,
    '- [Paste an error](../paste.md): the causes that it can mean, best first\n',
    '- [By message](./by-message.md): the words that Kubernetes and the drivers use\n',
    '- [By stage](./by-stage.md): where in the life of a volume it stops\n',
    '- [By driver](./by-driver.md): storage systems and gRPC codes\n\n',
    '## The life of a volume\n\n',
    table(['stage', 'what happens in it', 'causes'], counts),
    '\n\nA cause that can stop two stages is counted in both.\n',
  ].join('');
}

function byMessage(causes: Causes): string {
  const key = ({ title }: CauseFacts): string => title.replace(/^[^\p{L}\p{N}]+/u, '').toLowerCase();
  const sorted = causes.filter(({ isMessage }) => isMessage).toSorted((a, b) => key(a).localeCompare(key(b), 'en'));
  const letters = Map.groupBy(sorted, (cause) => /^[a-z]/.exec(key(cause))?.[0]?.toUpperCase() ?? '0–9');
  const silent = causes.filter(({ isMessage }) => !isMessage);
  return [
    frontmatter({
      title: 'Causes by message',
      description: 'Error messages of Kubernetes storage, and what causes them.',
    }),
    '# Causes by message\n\n',
    `${sorted.length} messages, in alphabetical order. To search inside of a longer text, [paste it](../paste.md).\n\n`,
    ...[...letters].flatMap(([letter, group]) => [
      `## ${letter}\n\n`,
      ...group.map((cause) => `- [${shownTitle(cause)}](./${cause.id}.md)\\\n  ${plain(cause.sentence)}\n`),
      '\n',
    ]),
    '## Without a message of their own\n\n',
    `${silent.length} causes are visible only in the state of objects, or behind the message of another fault. \`kubectl csi why\` finds most of them.\n\n`,
    ...silent.map(
      (cause) => `- [${shownTitle(cause)}](./${cause.id}.md) (${cause.stages.join(', ') || 'any stage'})\n`,
    ),
  ].join('');
}

function byStage(causes: Causes): string {
  return [
    frontmatter({ title: 'Causes by stage', description: 'Where in the life of a volume each cause stops it.' }),
    '# Causes by stage\n\n',
    'A claim that waits for its first consumer is scheduled before it is provisioned. A volume that was created by hand is never provisioned.\n\n',
    ...stages.flatMap((stage) => [
      `## ${stage}\n\n${stageSentences[stage] ?? ''}\n\n`,
      table(
        ['cause', 'severity', 'what is wrong'],
        causes
          .filter((cause) => cause.stages.includes(stage))
          .map((cause) => [linkTo(cause), cause.severity, plain(cause.sentence)]),
      ),
      '\n\n',
    ]),
    '## Any stage\n\n',
    table(
      ['cause', 'severity', 'what is wrong'],
      causes
        .filter((cause) => cause.stages.length === 0)
        .map((cause) => [linkTo(cause), cause.severity, plain(cause.sentence)]),
    ),
    '\n',
  ].join('');
}

function byDriver(causes: Causes): string {
  const known = new Map(causes.map((cause) => [cause.id, cause]));
  const storages = [...causesByStorage(causes)].filter(([, found]) => found.length > 0);
  const rows = causesOfCodes().map(({ code: grpc, causes: ids }) => [
    code(grpc),
    ...ids.map((id) => (id === '' ? '' : `[${id}](./${id}.md)`)),
  ]);
  return [
    frontmatter({
      title: 'Causes by driver',
      description: 'What storage systems and CSI drivers report, and what it means.',
    }),
    '# Causes by driver\n\n',
    'Most causes are the same for every driver. This page lists those whose rule, page or test scenario knows the words of a storage system. A cause that is not listed for your driver can still be the one: [paste the error](../paste.md).\n\n',
    '## Any CSI driver, by gRPC code\n\n',
    'What the code of an answer means after each call, where the driver says nothing that is known. Known words come first: a code alone often says too little.\n\n',
    table(['code', ...callNames], rows),
    '\n\n',
    ...storages.flatMap(([name, found]) => [
      `## ${name}\n\n`,
      ...found.flatMap(({ id, message }) => {
        const cause = known.get(id);
        if (cause === undefined) return [];
        return [
          `- ${linkTo(cause)}: ${plain(cause.sentence)}${message === undefined ? '' : `\\\n  ${code(message)}`}\n`,
        ];
      }),
      '\n',
    ]),
  ].join('');
}
