import { lineHeight, lineOf, placeOf, svgOf, topOf } from './screen-svg.ts';

/** A command that is typed, and what it prints. */
interface Scene {
  readonly command: string;
  readonly output: string;
  /** How long the output is shown before the next command is typed. */
  readonly seconds: number;
}

interface Film {
  readonly title: string;
  readonly description: string;
  readonly scenes: readonly Scene[];
  /** How many lines are visible at once. */
  readonly rows: number;
  readonly columns: number;
}

const typingSeconds = 1.6;
const answerSeconds = 0.4;

interface Take {
  readonly command: string;
  readonly lines: readonly string[];
  readonly firstRow: number;
  readonly typedFrom: number;
  readonly shownFrom: number;
}

/**
 * A terminal session as an SVG that plays without scripts, over and over: a cover moves off each command as it is typed,
 * outputs appear, and the screen scrolls. Readers who prefer reduced motion see the first screen, standing still.
 */
export function filmOf({ title, description, scenes, rows, columns }: Film): string {
  const { takes, total } = takesOf(scenes);
  const percent = (seconds: number): string => `${((seconds / total) * 100).toFixed(2)}%`;
  const cues = [...scrolls(takes, rows).entries()];
  const style = [
    `.film{animation:scroll ${total}s step-end infinite}`,
    `@keyframes scroll{${cues.map(([second, first]) => `${percent(second)}{transform:translateY(${-first * lineHeight}px)}`).join('')}}`,
    ...takes.flatMap(({ command, typedFrom, shownFrom }, index) => [
      `.a${index}{animation:a${index} ${total}s step-end infinite}`,
      `@keyframes a${index}{0%{opacity:0}${percent(shownFrom)}{opacity:1}}`,
      ...(index === 0
        ? []
        : [
            `.p${index}{animation:p${index} ${total}s step-end infinite}@keyframes p${index}{0%{opacity:0}${percent(typedFrom)}{opacity:1}}`,
          ]),
      `.t${index}{animation:t${index} ${total}s linear infinite}`,
      `@keyframes t${index}{0%,${percent(typedFrom)}{transform:none;animation-timing-function:steps(${command.length})}${percent(typedFrom + typingSeconds)},100%{transform:translateX(${placeOf(command.length) - placeOf(0)}px)}}`,
    ]),
    '@media (prefers-reduced-motion:reduce){*{animation:none!important}.t{opacity:0}}',
  ];
  const body = [
    `<clipPath id="screen"><rect x="1" y="${topOf(0)}" width="${placeOf(columns)}" height="${rows * lineHeight}"/></clipPath>`,
    '<g clip-path="url(#screen)"><g class="film">',
    ...takes.flatMap(({ command, lines, firstRow }, index) => [
      `<g class="p${index}">`,
      lineOf(`\u001b[1m$ ${command}\u001b[0m`, firstRow),
      `<rect class="paper t t${index}" x="${placeOf(2)}" y="${topOf(firstRow)}" width="${placeOf(columns)}" height="${lineHeight}"/>`,
      `</g><g class="a${index}">`,
      ...lines.map((line, row) => lineOf(line, firstRow + 1 + row)).filter((line) => line !== ''),
      '</g>',
    ]),
    '</g></g>',
  ];
  return svgOf({ title, description: `${description}\n\n${transcript(scenes)}`, columns, rows, body, style });
}

function takesOf(scenes: readonly Scene[]): { readonly takes: readonly Take[]; readonly total: number } {
  let second = 0.8;
  let row = 0;
  const takes = scenes.map(({ command, output, seconds }) => {
    const lines = [...output.trimEnd().split('\n'), ''];
    const shownFrom = second + typingSeconds + answerSeconds;
    const take = { command, lines, firstRow: row, typedFrom: second, shownFrom };
    second = shownFrom + seconds;
    row += 1 + lines.length;
    return take;
  });
  return { takes, total: second };
}

/** The first visible line from each second on: a command and its whole output have to fit when they appear. */
function scrolls(takes: readonly Take[], rows: number): ReadonlyMap<number, number> {
  const first = new Map([[0, 0]]);
  for (const { firstRow, lines, typedFrom, shownFrom } of takes) {
    first.set(typedFrom, Math.max(0, firstRow + 1 - rows));
    first.set(shownFrom, Math.max(0, firstRow + lines.length - rows));
  }
  first.set(0, 0);
  return first;
}

/** All that the film shows, as text for readers who cannot see it. */
function transcript(scenes: readonly Scene[]): string {
  return scenes.map(({ command, output }) => `$ ${command}\n${plain(output).trimEnd()}`).join('\n\n');
}

function plain(text: string): string {
  return text.replaceAll(/\u001b\[[\d;]*m/g, '');
}
