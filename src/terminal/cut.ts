import type { Screen } from './screen.ts';
import { displayWidth, wrapText } from './wrap.ts';

/** The text in at most so many lines; `-o wide` shows all of it. */
export function firstLines(text: string, lines: number, width: number, screen: Screen): string[] {
  const wrapped = wrapText(text, Math.max(10, width));
  if (wrapped.length <= lines) return wrapped;
  return [...wrapped.slice(0, lines - 1), cutLine(wrapped.slice(lines - 1).join(' '), width, screen)];
}

/** The text in one line of at most so many columns, cut at a space where one is near. */
export function cutLine(text: string, width: number, screen: Screen): string {
  if (displayWidth(text) <= width) return text;
  const more = screen.theme.prose('…');
  const room = Math.max(10, width) - displayWidth(more);
  let cut = text.slice(0, room);
  while (displayWidth(cut) > room) cut = cut.slice(0, -1);
  const space = cut.lastIndexOf(' ');
  return `${(space > room - 16 ? cut.slice(0, space) : cut).trimEnd()}${more}`;
}
