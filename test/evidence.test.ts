import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { typedNameOf } from '../src/core/kube/resources.ts';
import { isKnownKind } from '../src/core/kube/kinds.ts';
import type { Finding, Fix } from '../src/core/report/report.ts';
import { loadScenarios } from './kit/scenario.ts';

/** What each scenario's cause is proven with: a line that goes away shows up as a change of this file. */
function evidenceOf({ cause, confidence, evidence }: Finding): string[] {
  return [
    `  ${cause} (${confidence})`,
    ...evidence.map(({ object: { kind, name }, path, value }) =>
      `    ${isKnownKind(kind) ? typedNameOf(kind) : kind}/${name}  ${path ?? value ?? ''}`.trimEnd(),
    ),
  ];
}

/** The risk of every fix, and what its commands do, in order: a fix that becomes riskier than it says shows up as a change. */
function risksOf({ cause, severity, fix }: Finding): string[] {
  return [`  ${cause} (${severity})`, ...fix.map((each) => `    ${each.risk}: ${verbsOf(each).join(', ')}`.trimEnd())];
}

function verbsOf({ command, commands }: Fix): string[] {
  return (commands ?? (command === undefined ? [] : [command])).flatMap((line) =>
    [...line.matchAll(/kubectl (?:-n \S+ )?(csi \S+|[a-z]\S*)/g)].map(([, verb = '']) => verb),
  );
}

const causes = loadScenarios().map(({ id, snapshot, target }) => {
  const [item] = diagnose(snapshot, { targets: [target] }).report.items;
  return { id, findings: (item?.findings ?? []).filter(({ role }) => role === 'cause') };
});

describe('of every scenario', () => {
  it('the evidence is what it was', async () => {
    const lines = causes.flatMap(({ id, findings }) => [id, ...findings.flatMap(evidenceOf)]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('screens/evidence.txt');
  });

  it('the fixes do what they did, and are as risky as they were', async () => {
    const lines = causes.flatMap(({ id, findings }) => [id, ...findings.flatMap(risksOf)]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('screens/fixes.txt');
  });
});
