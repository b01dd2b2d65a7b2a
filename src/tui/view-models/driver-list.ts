import type { Status } from '../../core/report/status.ts';
import { renderDrivers } from '../../terminal/status/drivers.ts';
import { renderNodes } from '../../terminal/status/nodes.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { memoiseLast } from '../memoise-last.ts';
import { plainText } from '../spans.ts';
import type { Look } from '../theme.ts';
import { listSheet, objectItem } from './sheet.ts';
import type { Item, Sheet } from './sheet.ts';

/**
 * Which driver runs on which node, then each driver with its controller and sidecars; the cursor rests on their names.
 */
export const driverSheet = memoiseLast(
  (untrusted: Status, at: string, wanted: string, width: number, isWide: boolean, look: Look): Sheet => {
    const status = sanitiseReport(untrusted);
    const screen = createScreen(at, { width, wide: isWide, ...look });
    const word = wanted.toLowerCase();
    const lines = [...renderNodes(status, screen), '', ...renderDrivers(status, screen)].filter(
      (line) => word === '' || plainText(line).toLowerCase().includes(word),
    );
    const itemOf = itemFinder(status);
    return listSheet(
      lines.map((text) => ({ row: { type: 'text', text }, item: itemOf(text) })),
      { empty: `No line matches "${wanted}".` },
    );
  },
);

/** A driver or a node is known by its name at the start of a line, which may have a glyph before it. */
function itemFinder({ drivers, nodes }: Status): (line: string) => Item | undefined {
  const driverNames = new Set(drivers.map(({ name }) => name));
  const nodeNames = new Set(nodes.map(({ name }) => name));
  return (line) => {
    const name = /^ {2}(?:\S )?(\S+)/.exec(plainText(line))?.[1];
    if (name === undefined) return undefined;
    if (driverNames.has(name)) return objectItem({ kind: 'CSIDriver', name });
    return nodeNames.has(name) ? objectItem({ kind: 'Node', name }) : undefined;
  };
}
