import { readdirSync, readFileSync } from 'node:fs';
import type { Case } from './score.ts';

/** A quotation of fewer words is the name of a field, a state or a reason, and no message. */
const fewestWords = 4;
/** Shown, but no message: a command, a path, a field. */
const noMessage = /^(?:kubectl|spec\.|status\.|metadata\.|--|\/)|^[\w.]+:? ?[\w"]*$/;
const reasons = /`((?:Failed|Provisioning|Volume|Snapshot|Claim)[A-Z]\w+)`/;

/** What each page quotes under "What you see", as an event prints it where the page names the reason of the event. */
export function pageMessages(): Case[] {
  return readdirSync('docs/causes').flatMap((file) => {
    const page = readFileSync(`docs/causes/${file}`, 'utf8');
    const seen = /## What you see\n([^]*?)\n## /.exec(page)?.[1] ?? '';
    const reason = reasons.exec(seen)?.[1] ?? '';
    const quoted = [...seen.replace(/\n/g, ' ').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    return quoted
      .filter((text) => text.split(/\s+/).length >= fewestWords && !noMessage.test(text))
      .map((text) => ({ from: file, message: `${reason} ${text}`.trim(), causes: [file.replace('.md', '')] }));
  });
}
