import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { typedNameOf } from '../src/core/kube/resources.ts';
import { isKnownKind } from '../src/core/kube/kinds.ts';
import type { Finding, Fix } from '../src/core/report/report.ts';
import { loadScenarios } from './kit/scenario.ts';

/** What each scenario's cause and advice are proven with: a line that goes away shows up as a change of this file. */
function evidenceOf({ cause, confidence, evidence }: Finding): string[] {
  return [
    `  ${cause} (${confidence})`,
    ...evidence.map(({ object: { kind, name }, path, value }) =>
      `    ${isKnownKind(kind) ? typedNameOf(kind) : kind}/${name}  ${path ?? value ?? ''}`.trimEnd(),
    ),
  ];
}

/** Every fix as it is offered: a changed command, a lower risk and a lost step show up as a change. */
function fixesOf({ cause, severity, fix }: Finding): string[] {
  return [`  ${cause} (${severity})`, ...fix.flatMap(linesOf)];
}

function linesOf({ text, risk, command, commands }: Fix): string[] {
  const lines = commands ?? (command === undefined ? [] : [command]);
  return [`    ${risk}: ${text}`, ...lines.map((line) => `      $ ${line}`)];
}

const causes = loadScenarios().map(({ id, snapshot, target }) => {
  const [item] = diagnose(snapshot, { targets: [target] }).report.items;
  const findings = item?.findings ?? [];
  return {
    id,
    findings: findings.filter(({ role }) => role === 'cause'),
    advice: findings.filter(({ role }) => role === 'advice'),
  };
});

describe('of every scenario', () => {
  it('the evidence is what it was', async () => {
    const lines = causes.flatMap(({ id, findings, advice }) => [id, ...[...findings, ...advice].flatMap(evidenceOf)]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('screens/evidence.txt');
  });

  it('the fixes say and do what they did, and are as risky as they were', async () => {
    const lines = causes.flatMap(({ id, findings }) => [id, ...findings.flatMap(fixesOf)]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('screens/fixes.txt');
  });
});
