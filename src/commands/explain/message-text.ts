import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import { hang, usableWidth } from '../../terminal/wrap.ts';
import type { MessageItem, MessageReport } from './answer.ts';
import { leadOf, likelyOf, mostShown } from './likely.ts';

interface MessageScreen {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii?: boolean;
  /** Show all causes, and the whole statement that matched. */
  readonly wide: boolean;
}

/** The causes of a text, as a person reads them. */
export function renderMessageReport(report: MessageReport, screen: MessageScreen): string {
  const width = usableWidth(screen.width);
  const theme = createTheme(screen);
  const { items } = report;
  if (items.length === 0) return renderNothing(report, width);
  const shown = screen.wide ? items : likelyOf(items).slice(0, mostShown);
  const lines = [...hang('', theme.prose(leadOf(shown)), width), ''];
  for (const [index, item] of shown.entries()) {
    const head = `${index + 1}. ${theme.paint('strong', item.cause)}${item.stage === undefined ? '' : ` (${item.stage})`}`;
    lines.push(head, ...hang('   ', theme.prose(sanitise(item.summary)), width));
    lines.push(...whyLines(item, report, shown[index - 1], { ...screen, width }).map((line) => theme.prose(line)), '');
  }
  if (items.length > shown.length)
    lines.push(...hang('', `${items.length - shown.length} less likely with -o wide.`, width), '');
  return `${[...lines, ...nextLines(shown, (command) => theme.paint('strong', command))].join('\n')}\n`;
}

/** Words that the item above matched as well are not repeated. */
function whyLines(
  { match, when, settled }: MessageItem,
  { source }: MessageReport,
  above: MessageItem | undefined,
  { width, wide }: MessageScreen,
): string[] {
  const isSame = above?.match.words === match.words && above.match.line === match.line;
  const times = match.count > 1 ? `, ${match.count} times` : '';
  const place = source.lines > 1 ? ` (line ${match.line}${times})` : '';
  return [
    ...(isSame ? [] : hang('   Words: ', `"${sanitise(match.words)}"${place}`, width)),
    ...(wide && !isSame && match.text !== match.words ? hang('   Text:  ', sanitise(match.text), width) : []),
    ...(when === undefined ? [] : hang('   If:    ', `${when}.`, width)),
    ...(settled
      ? hang('   But:   ', 'the text also reports that the volume was attached. Then this has passed.', width)
      : []),
  ];
}

function nextLines(shown: readonly MessageItem[], paint: (command: string) => string): string[] {
  const asks = [...new Set(shown.flatMap(({ ask }) => (ask === undefined ? [] : [ask])))].slice(0, 2);
  const isUnscoped = asks.some((ask) => /why (?:pvc|pod|vs|sts)\//.test(ask) && !ask.includes(' -n '));
  const title =
    asks.length > 0 ? 'To find out which one it is in the cluster:' : 'To find out which objects are stuck, and why:';
  return [
    title,
    ...(asks.length > 0 ? asks : ['kubectl csi why -A']).map((command) => `  $ ${paint(command)}`),
    ...(isUnscoped ? ['  The text names no namespace: add -n NAMESPACE if it is not the current one.'] : []),
    'The page of the first cause, with its fix:',
    `  $ ${paint(`kubectl csi explain ${shown[0]?.cause ?? ''}`)}`,
  ];
}

function renderNothing({ source }: MessageReport, width: number): string {
  const lines = [
    ...hang('', 'No known cause matches the text. This does not mean that nothing is wrong.', width),
    '',
    'What to do next:',
    ...(source.isReason
      ? hang('  - ', 'This is the reason of an event. Its message says why: pass the message.', width)
      : []),
    ...hang('  - ', 'Ask the cluster. The state of the objects decides, and no text is needed:', width),
    '      $ kubectl csi why -A',
    ...(source.lines > 1
      ? []
      : [
          ...hang('  - ', 'Pass more of the text: the whole description has the events around the error.', width),
          '      $ kubectl describe pod NAME | kubectl csi explain --message -',
        ]),
    ...hang('  - ', 'Search the pages for a word:', width),
    '      $ kubectl csi causes --search WORD',
  ];
  return `${lines.join('\n')}\n`;
}
