import type { CauseFacts } from './cause-facts.ts';
import { code, frontmatter, plain } from './markdown.ts';

/** The title as it appears in headings and lists: a message is code, a sentence is not. */
export function shownTitle({ title, isMessage }: CauseFacts): string {
  return isMessage ? code(title) : plain(title);
}

/** The page of a cause on the site: the shipped page, under the message that people see, with what the program knows about it. */
export function renderCausePage(
  cause: CauseFacts,
  causes: ReadonlyMap<string, CauseFacts>,
  neighbours: readonly string[],
): string {
  const { id, title, sentence, markdown } = cause;
  const [, body = ''] = markdown.split(`# ${id}\n`);
  const [before = '', after = ''] = splitAt(body.trim(), '## Why it happens');
  return [
    frontmatter({ title, description: sentence, cause: id }),
    `# ${shownTitle(cause)} {#top}\n\n`,
    `${factsLine(cause)}\n\n`,
    before,
    messagesSection(cause),
    after,
    relatedSection(cause, causes, neighbours),
    terminalSection(cause),
  ].join('');
}

function splitAt(text: string, heading: string): [string, string] {
  const place = text.indexOf(heading);
  return place < 0 ? [`${text}\n\n`, ''] : [text.slice(0, place), `${text.slice(place).trimEnd()}\n\n`];
}

const severities: Readonly<Record<string, string>> = {
  blocking: 'blocking',
  warning: 'warning',
  info: 'waiting or information',
};

function factsLine({ id, stages, severity }: CauseFacts): string {
  const links = stages.map((stage) => `[${stage}](./by-stage.md#${stage})`).join(', ');
  const stage = links === '' ? 'any' : links;
  return [
    '<ul class="facts">',
    `<li>Cause ${code(id)}</li>`,
    `<li>${stages.length > 1 ? 'Stages' : 'Stage'} ${stage}</li>`,
    `<li class="${severity}">Severity ${severities[severity] ?? severity}</li>`,
    '</ul>',
  ]
    .join('\n')
    .replaceAll(/<li([^>]*)>(.*)<\/li>/g, '<li$1>\n\n$2\n\n</li>');
}

function messagesSection({ messages, title, stages }: CauseFacts): string {
  const others = messages.filter((message) => message !== title);
  if (others.length === 0) return '';
  const intro =
    stages.length === 0
      ? 'Messages that can be seen with it:'
      : 'Messages of the test scenarios for this cause. Names, sizes and addresses differ:';
  return `${intro}\n\n${others.map((message) => `- ${code(message)}\n`).join('')}\n`;
}

function relatedSection(
  { related, stages }: CauseFacts,
  causes: ReadonlyMap<string, CauseFacts>,
  neighbours: readonly string[],
): string {
  const lines = related.map(({ id, when }) => line(id, causes, when === undefined ? undefined : `if ${when}`));
  const near = neighbours.filter((id) => !related.some((other) => other.id === id)).map((id) => line(id, causes));
  return [
    lines.length === 0 ? '' : `## Related causes\n\n${lines.join('')}\n`,
    near.length === 0
      ? ''
      : `## Checked next to it\n\nIn stage ${stages[0] ?? 'any'}, before and after this cause:\n\n${near.join('')}\n`,
  ].join('');
}

function line(id: string, causes: ReadonlyMap<string, CauseFacts>, when?: string): string {
  const other = causes.get(id);
  if (other === undefined) return '';
  const reason = when === undefined ? plain(other.sentence) : `${plain(when)}.`;
  return `- [${code(id)}](./${id}.md): ${reason}\n`;
}

function terminalSection({ id }: CauseFacts): string {
  return [
    '## In a terminal\n\n',
    `\`kubectl csi explain ${id}\` prints this page. \`kubectl csi why -A\` finds out whether it is what blocks your cluster: `,
    'it reads the objects, and only reads.\n',
  ].join('');
}
