import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { typedNameOf } from '../src/core/kube/resources.ts';
import { isKnownKind } from '../src/core/kube/kinds.ts';
import type { Finding } from '../src/core/report/report.ts';
import { loadScenarios } from './kit/scenario.ts';

/** What each scenario's cause is proven with: a line that goes away shows up as a change of this file. */
function linesOf({ cause, confidence, evidence }: Finding): string[] {
  return [
    `  ${cause} (${confidence})`,
    ...evidence.map(({ object: { kind, name }, path, value }) =>
      `    ${isKnownKind(kind) ? typedNameOf(kind) : kind}/${name}  ${path ?? value ?? ''}`.trimEnd(),
    ),
  ];
}

describe('the evidence of every scenario', () => {
  it('is what it was', async () => {
    const lines = loadScenarios().flatMap(({ id, snapshot, target }) => {
      const [item] = diagnose(snapshot, { targets: [target] }).report.items;
      return [id, ...(item?.findings ?? []).filter(({ role }) => role === 'cause').flatMap(linesOf)];
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('screens/evidence.txt');
  });
});
