import type { Status } from '../../core/report/status.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderDrivers } from '../../commands/status/drivers.ts';
import { renderNodes } from '../../commands/status/nodes.ts';
import { plainText } from '../theme.ts';
import type { Look } from '../theme.ts';
import { lastOf } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';

/** Which driver runs on which node, then each driver with its controller and its sidecars; the cursor rests on their names. */
export const driverSheet = lastOf(
  (untrusted: Status, wanted: string, width: number, isWide: boolean, look: Look): Sheet => {
    const status = sanitiseReport(untrusted);
    const screen = createScreen(status.takenAt, { width, wide: isWide, ...look });
    const all = [...renderNodes(status, screen), '', ...renderDrivers(status, screen)];
    const word = wanted.toLowerCase();
    const lines = word === '' ? all : all.filter((line) => plainText(line).toLowerCase().includes(word));
    const drivers = new Set(status.drivers.map(({ name }) => name));
    const nodes = new Set(status.nodes.map(({ name }) => name));
    const picks = lines.map((line): Pick | undefined => {
      const name = /^ {2}(?:\S )?(\S+)/.exec(plainText(line))?.[1];
      if (name === undefined) return undefined;
      if (drivers.has(name)) return { type: 'object', target: { kind: 'CSIDriver', name } };
      return nodes.has(name) ? { type: 'object', target: { kind: 'Node', name } } : undefined;
    });
    return {
      head: [],
      count: lines.length,
      lineAt: (index) => lines[index] ?? '',
      pickAt: (index) => picks[index],
      empty: `no line has "${wanted}" in it`,
    };
  },
);
