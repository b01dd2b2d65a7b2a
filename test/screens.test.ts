import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manifest } from '../src/cli/manifest.ts';
import { renderCommandHelp, renderRootHelp } from '../src/cli/help.ts';
import { judgeFindings } from '../src/commands/check/answer.ts';
import { renderCheckText } from '../src/commands/check/text.ts';
import { renderExplain } from '../src/commands/explain/text.ts';
import { renderStatusText } from '../src/commands/status/text.ts';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { proveFixes } from '../src/core/engine/fixes/prove-fixes.ts';
import type { Kind } from '../src/core/kube/kinds.ts';
import { askCheck } from '../src/core/survey/checks/ask-check.ts';
import { askStatus } from '../src/core/survey/status/ask-status.ts';
import { demoSnapshot } from '../src/sim/demo/demo-snapshot.ts';
import { renderText } from '../src/terminal/verdict/text.ts';
import { displayWidth } from '../src/terminal/wrap.ts';

/** The width of a narrow pane, of a usual terminal, of half a wide screen, and of a wide one. */
const widths = [60, 80, 120, 160];
const snapshot = demoSnapshot(new Date('2026-05-06T07:08:09.123Z'));

function verdictOf(kind: Kind, namespace: string, name: string): (width: number) => string {
  const { report } = diagnose(snapshot, { targets: [{ kind, namespace, name }] });
  const proven = proveFixes(report, snapshot);
  return (width) => renderText(proven, { width, colour: false, named: true });
}

const everything = diagnose(snapshot, { breadth: 'pending' }).report;
const checked = judgeFindings(askCheck(snapshot, {}).survey, { failOn: 'blocking', ignores: [], baseline: undefined });
const { status } = askStatus(snapshot, { breadth: 'everything' });
const page = readFileSync(new URL('../docs/causes/sc-missing.md', import.meta.url), 'utf8');

/** What a person on call reads first, drawn from the demo cluster at a fixed time. */
const screens: Readonly<Record<string, (width: number) => string>> = {
  'why-pending-all': (width) => renderText(everything, { width, colour: false, named: false }),
  'why-pending-name': verdictOf('PersistentVolumeClaim', 'shop', 'cart'),
  'why-pod': verdictOf('Pod', 'ci', 'artifacts-0'),
  check: (width) => renderCheckText(checked, { width, colour: false }),
  status: (width) => renderStatusText(status, { width, colour: false }),
  explain: (width) => renderExplain(page, { width, colour: false }),
};

describe.each(Object.keys(screens))('the screen of %s', (name) => {
  it.each(widths)('is what it was at %d columns', async (width) => {
    const text = screens[name]?.(width) ?? '';
    await expect(text).toMatchFileSnapshot(`screens/${name}.${width}.txt`);
    // A command stays on one line, and so does a name or a link, however narrow the screen is.
    const tooWide = text
      .split('\n')
      .filter((line) => displayWidth(line) > width && !/^ *(?:\$ |- https:|kubectl |\S+$)/.test(line));
    expect(tooWide).toEqual([]);
  });
});

describe('the help', () => {
  it('is what it was', async () => {
    await expect(renderRootHelp(manifest)).toMatchFileSnapshot('screens/help.txt');
    for (const command of Object.values(manifest.commands))
      await expect(renderCommandHelp(command)).toMatchFileSnapshot(
        `screens/help-${command.id.replaceAll(' ', '-')}.txt`,
      );
  });
});
