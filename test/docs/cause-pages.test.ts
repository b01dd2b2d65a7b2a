import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matchText } from '../../src/core/causes/messages/match.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { loadCausePages, sectionOf } from '../kit/cause-page.ts';
import { loadScenarios } from '../kit/scenario.ts';
import type { Scenario } from '../kit/scenario.ts';

const pages = loadCausePages();
const scenarios = new Map<string, Scenario[]>();
for (const scenario of loadScenarios())
  scenarios.set(scenario.cause, [...(scenarios.get(scenario.cause) ?? []), scenario]);

const sources = readdirSync('src/core/causes', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`src/core/causes/${file}`, 'utf8').toLowerCase())
  .join('\n');

/** A quotation as a pattern: `…`, N and names in capitals stand for something else, and so does what is in quotation marks. */
function patternOf(quoted: string): RegExp {
  const escaped = quoted.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    escaped
      .replace(/"[^"]*"/g, '\\\\*"[^"]*"')
      .replace(/…|\\\.\\\.\\\./g, '.{0,200}?')
      .replace(/\b(?:[A-Z]{2,}[A-Z-]*|[NM])\b/g, String.raw`\S{1,200}`)
      .replace(/\s+/g, String.raw`\s+`),
    'i',
  );
}

function isKnown(cause: string, quoted: string, text: string): boolean {
  // What is found fastest comes first.
  const words = quoted.match(/[A-Za-z' ]{12,}/g) ?? [];
  if (words.some((part) => sources.includes(part.trim().toLowerCase()))) return true;
  if (patternOf(quoted).test(text)) return true;
  const filled = quoted.replace(/\b[NM]\b/g, '3').replace(/…|\.\.\./g, 'x').replace(/\b[A-Z]{4,}\b/g, 'x');
  const places = ['', 'FailedMount ', 'failed to provision volume with StorageClass "x": '];
  return places.some((place) => matchText(place + filled).some((match) => match.cause === cause));
}

/** What kubectl itself shows. */
const ofKubectl = new Set(['pvc-terminating-protection-stuck: Used By: <none>']);

it('pages quote only what their scenarios, the matcher or the rules know', () => {
  const unknown = pages.flatMap(({ cause, text }) => {
    const own = (scenarios.get(cause) ?? []).map(({ snapshot }) => JSON.stringify(snapshot.objects)).join('\n');
    const seen = sectionOf(text, 'What you see').replace(/``[^]*?``/g, '').replace(/\n/g, ' ');
    return [...seen.matchAll(/`([^`]+)`/g)]
      .map(([, quoted = '']) => quoted.trim())
      .filter((quoted) => quoted.split(/\s+/).length >= 3 && !/^(?:kubectl|spec\.|status\.|metadata\.|--|\/)/.test(quoted))
      .filter((quoted) => !isKnown(cause, quoted, own))
      .map((quoted) => `${cause}: ${quoted}`);
  });
  expect(unknown.filter((line) => !ofKubectl.has(line))).toEqual([]);
});

/** Words by which a page warns of what cannot be undone. */
const caution =
  /\bdata\b|\blos[et]\b|content|overwrit|needed|needs it|certainly|proven|destroy|two writers|backup|only (?:if|when|after)|make sure|\bsave it\s+first\b/i;

it('pages warn of the risk where the fixes of the rule can lose data', () => {
  const silent = pages.flatMap(({ cause, text }) => {
    const isRisky = (scenarios.get(cause) ?? []).some(({ snapshot, target }) =>
      diagnose(snapshot, { targets: [target] }).report.items.some(({ findings }) =>
        findings.some((finding) => finding.cause === cause && finding.fix.some(({ risk }) => risk === 'data-loss')),
      ),
    );
    return isRisky && !caution.test(sectionOf(text, 'How to fix')) ? [cause] : [];
  });
  expect(silent).toEqual([]);
});
