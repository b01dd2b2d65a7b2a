import { describe, expect, it } from 'vitest';
import { scenarios } from './scenarios/index.ts';
import { phases } from './scenarios/scenario.ts';
import { toldOtherwise, unforeseen } from './scenarios/unforeseen.ts';
import { waitScenarios } from './scenarios/wait.ts';

describe('scenarios for a real cluster', () => {
  it('have names of their own, which also name their namespaces', () => {
    const names = [...scenarios, ...waitScenarios].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
  });

  it('name a cause wherever something is blocked or waits', () => {
    for (const { name, status, cause } of scenarios)
      expect(cause !== null || status === 'healthy' || status === 'unknown', name).toBe(true);
  });

  it('are there wherever something is said of what preflight can foretell', () => {
    for (const name of [...Object.keys(unforeseen), ...Object.keys(toldOtherwise)])
      expect(scenarios.map((scenario) => scenario.name)).toContain(name);
  });

  it('have a smoke test for each phase', () => {
    for (const phase of phases)
      expect(
        scenarios.some((scenario) => scenario.phase === phase && scenario.smoke === true),
        phase,
      ).toBe(true);
  });
});
