import type { DriverStatus, NodeStatus, Placement, PlacementState, Status } from '../../core/report/status.ts';
import { cutList, leftOut } from '../bounds.ts';
import { chip, mark } from '../marks.ts';
import { html } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { looks, slotsText } from '../../terminal/status/nodes.ts';
import { count } from '../../terminal/status/lists.ts';

const mostNodes = 150;
const mostDrivers = 30;

/** Drivers × nodes: a row for each node, those with a problem first. */
export function renderMatrix(status: Status): Markup | undefined {
  const placed = status.drivers.filter(({ placed, placements }) => placed !== 'none' || placements.length > 0);
  const unplaced = status.drivers.filter((driver) => !placed.includes(driver)).map(({ name }) => name);
  const matrix = placed.length === 0 ? undefined : table(status, placed);
  if (matrix === undefined && status.nodesKnown === 'all' && unplaced.length === 0) return undefined;
  return html`<section aria-labelledby="matrix">
    <h2 id="matrix">Drivers × nodes</h2>
    ${status.nodesKnown === 'some' ? html`<p>${mark('unknown', 'Not all nodes could be read.')}</p>` : ''}
    ${status.nodesKnown === 'none' ? html`<p>${mark('unknown', 'The nodes could not be read.')}</p>` : ''}
    ${unplaced.length > 0 ? html`<p>${mark('unknown', 'Registrations could not be read:')} ${unplaced.join(', ')}</p>` : ''}
    ${matrix}
  </section>`;
}

/** One driver on one node; a state that no placement shows is unknown. */
type CellOf = (driver: DriverStatus, node: string) => Placement;

function table(status: Status, placed: readonly DriverStatus[]): Markup | undefined {
  const nodes = new Map(status.nodes.map((node) => [node.name, node]));
  const cells = new Map(placed.map((driver) => [driver, new Map(driver.placements.map((one) => [one.node, one]))]));
  const cellOf: CellOf = (driver, node) => cells.get(driver)?.get(node) ?? { node, state: 'unknown' };
  const names = [...nodes.keys(), ...placed.flatMap(({ placements }) => placements.map(({ node }) => node))];
  const ranks = new Map(
    names.map((name) => [
      name,
      Math.max(
        nodes.get(name)?.state === 'ready' ? 0 : 1,
        ...placed.map((driver) => weights[cellOf(driver, name).state] ?? 1),
      ),
    ]),
  );
  if (ranks.size === 0) return undefined;
  const sorted = [...ranks.keys()].toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
  const rows = cutList(sorted, mostNodes);
  const columns = cutList(placed, mostDrivers);
  return html`<div class="scroll" role="region" aria-label="Drivers and nodes" tabindex="0">
      <table>
        <caption>
          ${captionOf(sorted.length, placed)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Node</th>
            ${columns.shown.map(({ name }) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.shown.map((name) => nodeRow(name, nodes.get(name), columns.shown, cellOf))}
        </tbody>
      </table>
    </div>
    ${nodesLeftOut(sorted.slice(rows.shown.length), placed, cellOf)} ${leftOut(columns.left, 'drivers')}`;
}

function nodeRow(name: string, node: NodeStatus | undefined, drivers: readonly DriverStatus[], cellOf: CellOf): Markup {
  return html`<tr data-item>
    <th scope="row">${name}${nodeMarks(node)}</th>
    ${drivers.map((driver) => cell(cellOf(driver, name)))}
  </tr>`;
}

function nodesLeftOut(names: readonly string[], drivers: readonly DriverStatus[], cellOf: CellOf): Markup | undefined {
  if (names.length === 0) return undefined;
  return html`<p class="note">
    ${count(names.length, 'more node')} left out to keep this page small, after those with a problem:
    ${leftWords(names, drivers, cellOf)}. -o json has all.
  </p>`;
}

const weights: Readonly<Record<PlacementState, number>> = {
  missing: 5,
  notReady: 5,
  unknown: 3,
  ready: 0,
  excluded: 0,
  absent: 0,
};

function captionOf(nodes: number, drivers: readonly DriverStatus[]): string {
  return `${count(nodes, 'node')}, ${count(drivers.length, 'driver')}. Slots are the volumes attached out of those a node can take.`;
}

function leftWords(names: readonly string[], drivers: readonly DriverStatus[], cellOf: CellOf): string {
  const states = Map.groupBy(
    drivers.flatMap((driver) => names.map((name) => cellOf(driver, name).state)),
    (state) => state,
  );
  return [...states].map(([state, all]) => `${all.length} × ${looks[state]?.word ?? state}`).join(', ');
}

function nodeMarks(node: NodeStatus | undefined): Markup {
  if (node === undefined) return html`<br />${mark('unknown', 'not read')}`;
  const why = node.why === undefined ? '' : ` (${node.why})`;
  return html`${node.state === 'notReady' ? html`<br />${mark('blocked', `not ready${why}`)}` : ''}${
    node.state === 'unknown' ? html`<br />${mark('unknown', 'not known')}` : ''
  }${node.isCordoned ? html`<br />${mark('waiting', 'cordoned')}` : ''}`;
}

function cell(placement: Placement): Markup {
  const { glyph, word } = looks[placement.state] ?? looks.unknown;
  const isFull = placement.state === 'ready' && placement.slots?.level === 'full';
  const isNear = placement.state === 'ready' && placement.slots?.level === 'near';
  const slots = slotsText(placement).replace(/^, /, '');
  const state = isFull ? 'blocked' : 'waiting';
  return html`<td>
    ${chip(glyph, word)}${slots === '' ? '' : html`<br />${isFull || isNear ? mark(state, slots) : html`<span class="note">${slots}</span>`}`}${
      placement.why === undefined ? '' : html`<br /><span class="note">${placement.why}</span>`
    }
  </td>`;
}
