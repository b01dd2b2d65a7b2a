import { describe, expect, it } from 'vitest';
import { renderReportPage } from '../../src/html/verdict/report.ts';
import { claim, noSlots, reportOf } from '../kit/report-samples.ts';

const many = 10_000;
const most = 2_500_000;

describe('a page about 10,000 stuck claims', () => {
  it('stays small with one cause, and says what it leaves out', () => {
    const items = Array.from({ length: many }, (_, index) => ({ ...noSlots, target: claim(`data-${index}`) }));
    const page = renderReportPage(reportOf(items), {});
    expect(page.length).toBeLessThan(most);
    expect(page).toContain('10000 claims');
    expect(page).toContain('9900 more objects are left out to keep this page small');
  });

  it('stays small with a cause for each, and says what it leaves out', () => {
    const items = Array.from({ length: many }, (_, index) => ({
      ...noSlots,
      target: claim(`data-${index}`),
      cause: `cause-${index}`,
      summary: `${'long '.repeat(2000)}${index}`,
      findings: noSlots.findings.map((finding) => ({ ...finding, cause: `cause-${index}` })),
    }));
    const page = renderReportPage(reportOf(items), {});
    expect(page.length).toBeLessThan(most);
    expect(page).toMatch(/9800 more causes are left out/);
    expect(page.match(/more causes are left out/g)).toHaveLength(2);
    expect(page).toContain('more characters)');
  });
});
