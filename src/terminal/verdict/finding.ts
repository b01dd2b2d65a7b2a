import type { Evidence, Finding, Fix, FixOutcome } from '../../core/report/report.ts';
import { commandsOf } from '../../core/report/fix-commands.ts';
import { confidenceText } from './logs.ts';
import { objectNameFrom } from './nouns.ts';
import type { Screen } from '../screen.ts';
import { displayWidth, hang } from '../wrap.ts';

/** More evidence than this is cut; `-o wide` shows the rest. */
const enoughEvidence = 8;
const noBreak = '\u00a0';

export function renderEvidence(
  evidence: readonly Evidence[],
  home: string | undefined,
  screen: Screen,
  indent = 2,
): string[] {
  const shown = screen.wide || evidence.length <= enoughEvidence + 1 ? evidence : evidence.slice(0, enoughEvidence);
  const lines = shown.flatMap((piece) => evidenceLine(piece, home, screen, indent));
  const left = evidence.length - shown.length;
  if (left > 0) lines.push(`${' '.repeat(indent)}and ${left} more (-o wide shows them)`);
  return lines;
}

function evidenceLine(piece: Evidence, home: string | undefined, screen: Screen, indent: number): string[] {
  const subject = objectNameFrom(piece.object, home);
  const told = tellEvidence(piece, screen);
  // Evidence that fits on one line is not wrapped inside: a value alone on the next line is hard to read.
  const isShort = displayWidth(told) <= Math.min(60, screen.width - indent - 4);
  const text = `${subject}  ${isShort ? told.replaceAll(' ', noBreak) : told}`;
  const [first = '', ...rest] = hang(' '.repeat(indent), text, screen.width, indent + 4).map((line) =>
    line.replaceAll(noBreak, ' '),
  );
  const start = ' '.repeat(indent) + subject;
  return [
    first.startsWith(start)
      ? ' '.repeat(indent) + screen.theme.paint('strong', subject) + first.slice(start.length)
      : first,
    ...rest,
  ];
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** A moment as its age; `-o wide` has both. */
function momentText(value: string | undefined, screen: Screen): string | undefined {
  const age = value !== undefined && isMoment.test(value) ? screen.age(value) : undefined;
  if (age === undefined) return undefined;
  return screen.wide ? `${value} (${age} ago)` : `${age} ago`;
}

/**
 * An event or a line of a log is quoted behind its age, `event X (3m ago): …`; a field reads as an equation,
 * `spec.x = y`.
 */
function tellEvidence(piece: Evidence, screen: Screen): string {
  const moment = momentText(piece.value, screen);
  const age = moment === undefined ? screen.age(piece.at) : undefined;
  const ago = age === undefined ? '' : ` (${age} ago)`;
  const path = piece.path ?? '';
  const value = moment ?? (piece.value === '' ? '""' : piece.value);
  if (path.startsWith('event ') || path.startsWith('log['))
    return `${path}${ago}${value === undefined ? '' : `: ${value}`}`;
  return [path, value].filter((part) => part !== undefined && part !== '').join(' = ') + ago;
}

/** Numbered steps. A command is never wrapped, so that it can be copied; several are to be run one after the other. */
export function renderFixes(fixes: readonly Fix[], screen: Screen): string[] {
  return fixes.flatMap((fix, index) => renderFix(fix, `  ${index + 1}. `, screen));
}

function renderFix(fix: Fix, number: string, screen: Screen): string[] {
  const lines = hang(number, screen.theme.prose(fixText(fix)), screen.width);
  const columns = displayWidth(lines.at(-1) ?? '');
  paintRisk(lines, fix, number, screen);
  const commands = commandsOf(fix);
  const outcome = renderOutcome(fix, number.length, screen);
  const [only = ''] = commands;
  const fitsBehind = lines.length === 1 && columns + 4 + displayWidth(only) <= screen.width;
  if (commands.length === 1 && outcome.length === 0 && fitsBehind)
    return [`${lines[0]}  $ ${screen.theme.paint('strong', only)}`];
  const indent = ' '.repeat(number.length);
  return [...lines, ...commands.map((command) => `${indent}$ ${screen.theme.paint('strong', command)}`), ...outcome];
}

/** `After this: …`, from the rehearsal of the fix. */
function renderOutcome({ after }: Fix, indent: number, screen: Screen): string[] {
  if (after === undefined) return [];
  return hang(' '.repeat(indent), screen.theme.prose(outcomeText(after)), screen.width);
}

function outcomeText({ status, cause, summary }: FixOutcome): string {
  if (status === 'blocked') return `After this, the next obstacle is ${cause ?? 'another one'}: ${summary}`;
  if (status === 'waiting') return `After this, it waits (${cause ?? 'expected'}): ${summary}`;
  return `After this: ${summary}`;
}

const riskMarks: Readonly<Record<Fix['risk'], string>> = {
  safe: '',
  disruptive: '[disruptive]',
  'data-loss': '[data loss]',
};

/** What to do, after the mark of its risk: a command that deletes is never shown without it. */
export function fixText({ risk, text }: Fix): string {
  return risk === 'safe' ? text : `${riskMarks[risk]} ${text}`;
}

/** A step with its command behind it; several commands get a line each. */
export function fixLine(fix: Fix): string {
  const commands = commandsOf(fix);
  if (commands.length === 0) return fixText(fix);
  const text = fixText(fix).replace(/[.:]$/, '');
  return commands.length === 1 ? `${text}: ${commands[0]}` : [`${text}:`, ...commands].join('\n   ');
}

export const fixLines = (fixes: readonly Fix[]): string[] => fixes.map((fix, index) => `${index + 1}. ${fixLine(fix)}`);

function paintRisk(lines: string[], fix: Fix, number: string, screen: Screen): void {
  const first = lines[0] ?? '';
  if (fix.risk === 'safe') return;
  const end = number.length + riskMarks[fix.risk].length;
  lines[0] =
    first.slice(0, number.length) + screen.theme.paint('blocked', first.slice(number.length, end)) + first.slice(end);
}

/** `Cause: SLUG (certain)`, the sentence, and the evidence under its own heading. */
export function renderFinding(
  label: string,
  finding: Finding,
  home: string | undefined,
  screen: Screen,
  summary = finding.summary,
): string[] {
  return [
    ...renderTitle(label, finding.cause, [`(${confidenceText(finding, screen)})`], screen),
    ...hang('  ', screen.theme.prose(summary), screen.width),
    ...renderEvidenceSection(finding.evidence, home, screen),
  ];
}

export function renderEvidenceSection(
  evidence: readonly Evidence[],
  home: string | undefined,
  screen: Screen,
  title = 'Evidence',
): string[] {
  return evidence.length === 0 ? [] : ['', title, ...renderEvidence(evidence, home, screen)];
}

/** The steps under their heading, and where to read more. */
export function renderAdvice({ cause, fix }: Pick<Finding, 'cause' | 'fix'>, title: string, screen: Screen): string[] {
  const more = renderMore(cause, screen);
  return fix.length === 0 ? [more] : ['', title, ...renderFixes(fix, screen), more];
}

/** `Cause: SLUG (certain)  40 claims`: remarks that do not fit go below, and the id is never wrapped. */
export function renderTitle(label: string, cause: string, remarks: readonly string[], screen: Screen): string[] {
  const lines = [`${label}: ${screen.theme.paint('strong', cause)}`];
  let used = displayWidth(`${label}: ${cause}`);
  for (const [index, remark] of remarks.entries()) {
    const gap = index === 0 ? ' ' : '  ';
    const columns = displayWidth(remark);
    const isFit = used + gap.length + columns <= screen.width;
    if (isFit) lines[lines.length - 1] += gap + remark;
    else lines.push(`  ${remark}`);
    used = isFit ? used + gap.length + columns : 2 + columns;
  }
  return lines;
}

export function renderMore(cause: string, screen: Screen): string {
  return screen.theme.paint('faint', `  More: kubectl csi explain ${cause}`);
}

/** A finding in one or two lines, for consequences and advice. */
export function renderBrief(finding: Finding, screen: Screen): string[] {
  return hang('  ', `${finding.cause}: ${screen.theme.prose(finding.summary)}`, screen.width, 4);
}
