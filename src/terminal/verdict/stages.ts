import type { ReportItem, StageResult, StageState } from '../../core/report/report.ts';
import type { Screen } from '../screen.ts';
import { stageStyle } from '../theme.ts';
import { displayWidth, hang, padEnd } from '../wrap.ts';

const words: Readonly<Record<StageState, string>> = {
  passed: 'passed',
  open: 'in progress',
  blocked: 'blocked',
  waiting: 'waiting',
  unreached: 'not reached',
  notApplicable: 'not needed',
  unknown: 'unknown',
};
const spokenFor: Partial<Record<StageState, RegExp>> = {
  waiting: /^wait/i,
  unknown: /unknown|not known|could not|cannot tell/i,
  blocked: /^blocked/i,
  open: /^in progress/i,
  notApplicable: /^not needed/i,
};

/** A line for each stage, with an arrow at the one that is blocked. */
export function renderStages(item: ReportItem, screen: Screen): string[] {
  const rows = item.stages.filter((row) => screen.wide || row.state !== 'notApplicable' || row.note !== undefined);
  const broken = rows.find((row) => row.state === 'blocked' && row.stage === item.stage);
  const nameWidth = Math.max(9, ...rows.map((row) => row.stage.length));
  const lines: string[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as StageResult;
    let end = index;
    while (foldsAway(row) && saysTheSame(rows[end + 1], row)) end += 1;
    if (end > index) {
      const names = rows
        .slice(index, end + 1)
        .map((folded) => folded.stage)
        .join(', ');
      lines.push(...drawRow(row, '', `${names}: ${describe(row, false, screen)}`, screen));
      index = end;
    } else {
      lines.push(
        ...drawRow(
          row,
          `${padEnd(row.stage, nameWidth)}  `,
          describe(row, row === broken, screen),
          screen,
          row === broken,
        ),
      );
    }
  }
  return lines;
}

function foldsAway(row: StageResult): boolean {
  return row.state === 'unreached' || row.state === 'notApplicable';
}

function saysTheSame(next: StageResult | undefined, row: StageResult): boolean {
  return next !== undefined && next.state === row.state && (row.state === 'unreached' || next.note === row.note);
}

function describe(row: StageResult, isBroken: boolean, screen: Screen): string {
  const age = screen.wide ? screen.age(row.since) : undefined;
  return sayState(row, isBroken, screen) + (age === undefined ? '' : ` (${age})`);
}

function sayState(row: StageResult, isBroken: boolean, screen: Screen): string {
  // Which stage it waits for is visible above it.
  if (row.note === undefined || row.note === '' || row.state === 'unreached') return words[row.state];
  const note = screen.theme.prose(row.note);
  // The arrow shows that the stage is blocked, and the note on a passed stage needs no state.
  if (isBroken || row.state === 'passed' || spokenFor[row.state]?.test(note) === true) return note;
  return `${words[row.state]}: ${note}`;
}

function drawRow(row: StageResult, name: string, text: string, screen: Screen, isBroken = false): string[] {
  const { theme, width } = screen;
  const lead = `  ${theme.glyph[row.state]} ${name}`;
  const lines = hang(lead, text, width);
  const marker = isBroken ? `${theme.arrow} broken here` : '';
  if (isBroken) placeMarker(lines, marker, width, displayWidth(lead));
  return lines.map((line, index) => paintRow(line, row, screen, index === 0, marker));
}

/** At the right edge, but not beyond column 80, where it would be too far from its row. */
function placeMarker(lines: string[], marker: string, width: number, indent: number): void {
  const first = lines[0] ?? '';
  const columns = displayWidth(marker);
  const start = Math.max(displayWidth(first) + 2, Math.min(width, 80) - columns);
  if (start + columns <= width) lines[0] = padEnd(first, start) + marker;
  else lines.push(' '.repeat(indent) + marker);
}

function paintRow(line: string, row: StageResult, screen: Screen, isFirst: boolean, marker: string): string {
  const { paint, glyph } = screen.theme;
  const style = stageStyle[row.state];
  if (style === 'faint') return paint('faint', line);
  const marked =
    marker !== '' && line.endsWith(marker) ? line.slice(0, -marker.length) + paint('blocked', marker) : line;
  const lead = `  ${glyph[row.state]} `;
  return isFirst ? `  ${paint(style, glyph[row.state])} ${marked.slice(lead.length)}` : marked;
}
