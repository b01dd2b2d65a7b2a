import { diagnose } from '../../src/core/engine/diagnose.ts';
import { proveFixes } from '../../src/core/engine/fixes/prove-fixes.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { renderText } from '../../src/terminal/verdict/text.ts';

/** What the program prints about a claim of the demo cluster, for a wide and for a narrow screen, as HTML. */
export interface ExampleOutput {
  readonly command: string;
  readonly wide: string;
  readonly narrow: string;
}

/** The clock of the demo; ages count from it. */
const moment = new Date('2026-11-17T03:07:00Z');
const target = { kind: 'PersistentVolumeClaim', namespace: 'web', name: 'assets' } as const;
const columns = { wide: 80, narrow: 44 } as const;

export function exampleOutput(): ExampleOutput {
  const { report, snapshot } = diagnose(demoSnapshot(moment), {
    targets: [target],
    breadth: 'pending',
  });
  const proven = proveFixes(report, snapshot);
  const render = (width: number): string => toHtml(renderText(proven, { width, colour: true, named: true }));
  return {
    command: 'kubectl csi why-pending assets -n web',
    wide: render(columns.wide),
    narrow: render(columns.narrow),
  };
}

/** The colours of a terminal as classes: `<b class="sgr-1 sgr-31">`. */
function toHtml(text: string): string {
  let open = false;
  const parts = text.trimEnd().split(/\u001b\[([\d;]*)m/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return escape(part);
      const close = open ? '</span>' : '';
      const numbers = part.split(';').filter((number) => number !== '' && number !== '0');
      open = numbers.length > 0;
      return open ? `${close}<span class="${numbers.map((number) => `sgr-${number}`).join(' ')}">` : close;
    })
    .join('');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
