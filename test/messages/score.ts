import { matchText } from '../../src/core/causes/messages/match.ts';

/** A message, and the causes any of which is right for it. */
export interface Case {
  readonly from: string;
  readonly message: string;
  readonly causes: readonly string[];
}

export interface Score {
  readonly cases: number;
  readonly first: number;
  readonly withinThree: number;
  /** Messages that the matcher itself calls a symptom: they are counted apart, and not in the shares above. */
  readonly symptoms: number;
  /** Of these, the messages that list their cause at all. */
  readonly symptomsWithCause: number;
  readonly misses: readonly string[];
}

/** The table: how often the cause of a message is found, with a line for every miss. */
function scoreOf(cases: readonly Case[]): Score {
  let [first, withinThree, symptoms, symptomsWithCause] = [0, 0, 0, 0];
  const misses: string[] = [];
  for (const { from, message, causes } of cases) {
    const found = matchText(message);
    const place = found.findIndex(({ cause }) => causes.some((right) => isOf(right, cause)));
    const isSymptom = found[0]?.isSymptom === true;
    if (isSymptom && place !== 0) {
      symptoms += 1;
      if (place >= 0) symptomsWithCause += 1;
    } else {
      if (place === 0) first += 1;
      if (place >= 0 && place < 3) withinThree += 1;
    }
    if (place === 0) continue;
    const got = found
      .slice(0, 3)
      .map(({ cause }) => cause)
      .join(', ');
    const kind = isSymptom ? 'symptom' : `place ${place < 0 ? 'none' : place + 1}`;
    misses.push(`${kind}: ${causes.slice(0, 3).join('|')} ← ${got || 'nothing'} · ${from} · ${oneLine(message)}`);
  }
  return { cases: cases.length - symptoms, first, withinThree, symptoms, symptomsWithCause, misses };
}

/** The score, printed with a line for every miss. */
export function printScore(name: string, cases: readonly Case[]): Score {
  const score = scoreOf(cases);
  const share = (part: number): string => `${part} (${((100 * part) / Math.max(1, score.cases)).toFixed(1)} %)`;
  process.stdout.write(
    `${[
      `${name}: ${score.cases} messages, first ${share(score.first)}, within three ${share(score.withinThree)}; ${score.symptoms} symptoms, ${score.symptomsWithCause} of them list the cause`,
      ...score.misses,
    ].join('\n  ')}\n`,
  );
  return score;
}

/** `groupsnap-*` is any cause that begins like this. */
function isOf(right: string, cause: string): boolean {
  return right.endsWith('*') ? cause.startsWith(right.slice(0, -1)) : right === cause;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

/** The words without names, so that one wording of several scenarios is one message. */
export function wordingOf(message: string): string {
  return message
    .replace(/"[^"]*"|'[^']*'|\[[^\]]*\]/g, '*')
    .replace(/(\b(?:external-attacher of|pod\(s\)|volume|pod|driver|node) )[\w./-]*[\d.-][\w./-]*/g, '$1*')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ');
}
