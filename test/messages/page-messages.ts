import { readdirSync, readFileSync } from 'node:fs';
import type { Case } from './score.ts';

/** A quotation of fewer words is the name of a field, a state or a reason, and no message. */
const fewestWords = 4;
/** Shown, but no message: a command, a path, a field. */
const noMessage = /^(?:kubectl|spec\.|status\.|metadata\.|--|\/)|^[\w.]+:? ?[\w"]*$/;
const reasons = /`((?:Failed|Provisioning|Volume|Snapshot|Claim)[A-Z]\w+)`/;

/** Pages leave out names: `N` and `…` stand for a number and for a name. */
function filledIn(text: string): string {
  return text
    .replace(/\b[NM]\b/g, '3')
    .replace(/(?<=["/:'])(?:…|\.\.\.)/g, 'x')
    .replace(/…|\.\.\./g, '"x"')
    .trim();
}

/**
 * What the pages quote under "What you see", as an event prints it where the page names the reason of the event. Several pages quote the
 * same words: each of them is right.
 */
export function pageMessages(): Case[] {
  const byWords = new Map<string, { from: string; message: string; causes: string[] }>();
  for (const file of readdirSync('docs/causes')) {
    const page = readFileSync(`docs/causes/${file}`, 'utf8');
    const seen = /## What you see\n([^]*?)\n## /.exec(page)?.[1] ?? '';
    const reason = reasons.exec(seen)?.[1] ?? '';
    for (const [, quoted = ''] of seen.replace(/\n/g, ' ').matchAll(/`([^`]+)`/g)) {
      if (quoted.split(/\s+/).length < fewestWords || noMessage.test(quoted)) continue;
      const known = byWords.get(quoted) ?? { from: file, message: `${reason} ${filledIn(quoted)}`.trim(), causes: [] };
      known.causes.push(file.replace('.md', ''));
      byWords.set(quoted, known);
    }
  }
  return [...byWords.values()];
}
