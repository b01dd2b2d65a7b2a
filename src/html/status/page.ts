import { attachmentStates, claimStates, snapshotStates, volumeStates } from '../../core/report/status.ts';
import type { CapacityStatus, Counts, DriverStatus, Status, StuckCause } from '../../core/report/status.ts';
import { cutList, cutTexts, leftOut } from '../bounds.ts';
import { causesTable, placesOf } from '../causes-table.ts';
import { commandBlock } from '../finding.ts';
import { chip, mark } from '../marks.ts';
import { html } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { agesAt } from '../moment.ts';
import type { LivePage } from '../live.ts';
import { renderPage } from '../page.ts';
import type { PageHead, Total } from '../page.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen } from '../../terminal/screen.ts';
import { countObjects } from '../../terminal/verdict/nouns.ts';
import { sizeText } from '../../terminal/status/capacity.ts';
import { sayContexts } from '../../terminal/status/contexts.ts';
import type { StatusParts } from '../../terminal/status/contexts.ts';
import { controllerText, looks, troubleRows, wordFor } from '../../terminal/status/drivers.ts';
import { renderMatrix } from './matrix.ts';
import { mostFirst, stuckObjects } from '../../terminal/status/stuck.ts';
import { countText, sayVerdict, stateWords, stuckCount } from '../../terminal/status/words.ts';
import { cardTable, numbers } from '../table.ts';
import { prose } from '../prose.ts';

/** The sentences of the text are used as they are, on a screen that never wraps them. */
const unwrapped = { width: 100_000, colour: false } as const;

/** The screen of `status` as a page. */
export function renderStatusPage(untrusted: Status, live?: LivePage): string {
  const status = cutTexts(sanitiseReport(untrusted));
  const screen = createScreen(status.takenAt, unwrapped);
  return renderPage(
    { ...headOf(status, sayVerdict(status)), facts: [['Kubernetes', status.serverVersion]] },
    [
      renderStuck(status),
      renderDrivers(status, screen),
      renderMatrix(status),
      renderCapacity(status),
      renderCounts(status),
      renderWaiting(status),
    ],
    live,
  );
}

function headOf(status: Status, { state, text }: ReturnType<typeof sayVerdict>): PageHead {
  return {
    title: status.namespace === undefined ? 'Storage status' : `Storage status of namespace ${status.namespace}`,
    answer: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    state,
    source: status.source,
    unread: status.unread,
    takenAt: status.takenAt,
    totals: totalsOf(status),
  };
}

/** The clusters on one page: nodes and capacity are on the pages of the clusters themselves. */
export function renderContextsPage(untrusted: StatusParts): string {
  const { status, parts } = cutTexts(sanitiseReport(untrusted));
  // The ages of a driver's leases are by the clock of its own cluster.
  const own = new Map(parts.map(({ context, document }) => [context, document]));
  return renderPage(headOf(status, sayContexts(status)), [
    renderStuck(status),
    renderDrivers(status, createScreen(status.takenAt, unwrapped), ({ context = '' }) => own.get(context) ?? status),
    renderCounts(status),
    renderWaiting(status),
    html`<p class="note">
      Nodes and free capacity of one cluster: <code>kubectl csi status --context NAME -o html</code>
    </p>`,
  ]);
}

function totalsOf(status: Status): Total[] {
  const { summary, drivers } = status;
  const stuck = stuckCount(status);
  const failing = drivers.filter(({ state }) => state === 'trouble').length;
  return [
    { count: stuck, word: 'blocked', state: stuck > 0 ? 'blocked' : 'unreached' },
    { count: summary.unknown, word: 'not known', state: summary.unknown > 0 ? 'unknown' : 'unreached' },
    { count: summary.waiting, word: 'waiting (expected)', state: summary.waiting > 0 ? 'waiting' : 'unreached' },
    {
      count: `${failing} of ${drivers.length}`,
      word: 'drivers failing',
      state: failing > 0 ? 'blocked' : 'unreached',
    },
  ];
}

function renderStuck(status: Status): Markup | undefined {
  const stuck = status.stuck.toSorted(mostFirst);
  const [first] = stuck;
  if (first === undefined) return undefined;
  const isStuck = stuck.some((entry) => entry.status === 'blocked');
  return html`<section aria-labelledby="stuck">
    <h2 id="stuck">${isStuck ? 'Stuck' : 'Could not be judged'}</h2>
    ${causesTable(stuck.map(rowOf), 'One line per cause.', agesAt(status.takenAt))}
    <p class="note">${first.status === 'blocked' ? 'Evidence and fix of the first:' : 'More about the first:'}</p>
    ${commandBlock(first.command)}
  </section>`;
}

function rowOf(entry: StuckCause): Parameters<typeof causesTable>[0][number] {
  const objects = stuckObjects(entry);
  const isBlocked = entry.status === 'blocked';
  return {
    cause: entry.cause ?? 'not known',
    mark: mark(isBlocked ? 'blocked' : 'unknown', isBlocked || entry.cause === undefined ? '' : 'not known'),
    count: countObjects(objects),
    oldest: entry.oldest,
    places: placesOf(objects),
    summary: entry.summary,
  };
}

function renderDrivers(
  status: Status,
  screen: Screen,
  statusOf: (driver: DriverStatus) => Status = () => status,
): Markup {
  const { drivers, driversKnown, namespace } = status;
  if (drivers.length === 0)
    return html`<section>
      <h2>Drivers</h2>
      <p>
        ${
          driversKnown === 'all'
            ? `${namespace === undefined ? 'No CSI driver is installed' : 'No claim here uses a CSI driver'}.`
            : mark('unknown', 'The drivers could not be read.')
        }
      </p>
    </section>`;
  const { shown, left } = cutList(drivers);
  return html`<section aria-labelledby="drivers">
    <h2 id="drivers">Drivers</h2>
    ${cardTable(
      ['Driver', 'State', 'Version', 'Controller', 'Sidecars and classes'],
      shown.map((driver) => driverRow(driver, statusOf(driver), screen)),
      html`Judged by their objects;
        <code>kubectl csi probe</code>
        checks whether they respond.`,
    )}
    ${leftOut(left, left === 1 ? 'driver' : 'drivers')}${
      driversKnown === 'some' ? html`<p>${mark('unknown', 'Not all drivers could be read.')}</p>` : ''
    }
  </section>`;
}

function driverRow(driver: DriverStatus, status: Status, screen: Screen): Markup {
  const { name, version, otherVersions, sidecars, classes, verdict } = driver;
  const trouble = troubleRows(driver, status, screen).map((line) =>
    line.replace(screen.theme.glyph.blocked, '').trim(),
  );
  const isStuck = verdict?.status === 'blocked';
  const roles = [...new Set(sidecars.map(({ role }) => role))].join(', ');
  return html`<tr data-item>
    <th scope="row" class="name">${driver.context === undefined ? name : `${driver.context} / ${name}`}</th>
    <td>
      ${mark(looks[driver.state].glyph, wordFor(driver))}${trouble.map((text) => html`<br />${mark('blocked', '')} ${text}`)}${
        isStuck
          ? html`<br />${verdict.cause === undefined ? '' : html`<code>${verdict.cause}</code>: `}${prose(verdict.summary)}`
          : ''
      }
    </td>
    <td data-title="version">
      ${version ?? 'not known'}${otherVersions.length === 0 ? '' : ` (also ${otherVersions.join(', ')})`}
    </td>
    <td data-title="controller">${controllerText(driver, screen)}</td>
    <td>
      ${roles === '' ? '' : `Sidecars: ${roles}. `}${
        classes.length === 0
          ? 'No class.'
          : 'Classes: ' +
            `${cutList(classes, 20).shown.join(', ')}${classes.length > 20 ? ` and ${classes.length - 20} more` : ''}.`
      }
    </td>
  </tr>`;
}

const levels = { enough: 'passed', low: 'waiting', none: 'blocked' } as const;
const levelWords = { enough: 'enough', low: 'low', none: 'nothing left' } as const;

function renderCapacity({ capacity, capacityKnown }: Status): Markup | undefined {
  if (capacityKnown === 'none')
    return html`<section>
      <h2>Free capacity</h2>
      <p>${mark('unknown', 'could not be read')}</p>
    </section>`;
  if (capacity.length === 0) return undefined;
  const { shown, left } = cutList(capacity.toSorted(tightFirst));
  return html`<section aria-labelledby="capacity">
    <h2 id="capacity">Free capacity</h2>
    ${cardTable(
      ['Class', 'Where', numbers('Free'), numbers('Largest volume'), 'Level'],
      shown.map(
        (entry) =>
          html`<tr data-item>
            <th scope="row" class="name">${entry.storageClass}</th>
            <td class="name">${entry.segment}</td>
            <td class="num" data-title="free">${sizeText(entry.capacity)}</td>
            <td class="num" data-title="largest">${sizeText(entry.largestVolume)}</td>
            <td>${chip(levels[entry.level] ?? 'unknown', levelWords[entry.level] ?? 'not known')} ${entry.why}</td>
          </tr>`,
      ),
    )}
    ${leftOut(left, left === 1 ? 'segment' : 'segments')}${
      capacityKnown === 'some' ? html`<p>${mark('unknown', 'Not everything could be read.')}</p>` : ''
    }
  </section>`;
}

function tightFirst(one: CapacityStatus, other: CapacityStatus): number {
  const order = ['none', 'low', 'enough'];
  return order.indexOf(one.level) - order.indexOf(other.level);
}

function renderCounts(status: Status): Markup {
  return html`<section aria-labelledby="counts">
    <h2 id="counts">What exists</h2>
    <dl class="evidence">
      ${[
        countRow('Claims', status.claims, claimStates),
        countRow('Volumes', status.volumes, volumeStates),
        countRow('Attachments', status.attachments, attachmentStates),
        countRow('Snapshots', status.snapshots, snapshotStates),
      ]}
    </dl>
  </section>`;
}

function countRow<State extends string>(
  title: string,
  { extent, total = 0, states }: Counts<State>,
  order: readonly State[],
): Markup {
  const words = order
    .filter((state) => (states[state] ?? 0) > 0)
    .map((state) => `${states[state]} ${stateWords[state] ?? state}`);
  const told = extent === 'none' ? mark('unknown', 'could not be read') : countText(total, words, extent);
  return html`<div>
    <dt>${title}</dt>
    <dd>${told}</dd>
  </div>`;
}

function renderWaiting({ waiting, takenAt }: Status): Markup | undefined {
  if (waiting.length === 0) return undefined;
  const rows = waiting.map((entry) => ({
    cause: entry.cause ?? 'no cause',
    mark: mark('waiting', ''),
    count: countObjects(entry.targets),
    oldest: entry.oldest,
    places: placesOf(entry.targets),
    summary: entry.summary,
  }));
  return html`<section aria-labelledby="waiting">
    <h2 id="waiting">Waiting (expected)</h2>
    ${causesTable(rows, 'Nothing is wrong with these.', agesAt(takenAt))}
  </section>`;
}
