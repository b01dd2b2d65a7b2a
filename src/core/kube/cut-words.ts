/** What programs print before they quote the output of another program. */
const introductions = /(?:error output|stderr|output|"message"):\s*"?/i;
const mostBefore = 50;
const leastAfter = 60;
const longestLastWord = 30;

/**
 * One line of at most `most` characters. A longer text is cut around the last match of `telling`, or around the last
 * introduction of quoted output; if there is neither, its beginning is kept.
 */
export function cutWords(words: string, most: number, telling?: RegExp | string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  if (line.length <= most) return line;
  const match = (telling === undefined ? undefined : lastMatch(line, telling)) ?? lastMatch(line, introductions);
  const end = match === undefined ? 0 : match.index + match[0].length;
  if (match === undefined || end + leastAfter <= most) return cutEnd(line, most);
  const wanted = Math.min(Math.max(match.index, end - leastAfter) - mostBefore, line.length - most + 1);
  const space = line.indexOf(' ', wanted);
  const start = space >= 0 && space < match.index && space - wanted < mostBefore ? space + 1 : wanted;
  const part = line.slice(start);
  return part.length < most ? `…${part}` : `…${cutEnd(part, most - 1)}`;
}

/** Between words where one ends nearby: half a number or a name is another one. */
function cutEnd(line: string, most: number): string {
  const part = line.slice(0, most - 1);
  if (/\s/.test(line.charAt(most - 1))) return `${part}…`;
  const space = part.lastIndexOf(' ');
  return `${most - space <= longestLastWord ? part.slice(0, space) : part}…`;
}

interface Found {
  readonly index: number;
  readonly 0: string;
}

function lastMatch(text: string, pattern: RegExp | string): Found | undefined {
  if (typeof pattern !== 'string')
    return [...text.matchAll(new RegExp(pattern, `${pattern.flags.replace('g', '')}g`))].at(-1);
  const index = text.lastIndexOf(pattern);
  return index < 0 ? undefined : { index, 0: pattern };
}
