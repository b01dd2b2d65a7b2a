import type { ObjectRef, Unread } from '../../core/report/report.ts';
import type { AttachmentRow, ClaimRow, ClassRow, CsiNodeRow, Row, RowKind } from '../../core/report/rows.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import type { KindRows } from '../ports.ts';
import { createTuiTheme } from '../theme.ts';
import type { Look } from '../theme.ts';
import { lastOf } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

/** Kinds that many volumes share: no one chain leads through them, and their neighbours are found in the tables. */
const shared: ReadonlySet<string> = new Set(['Node', 'CSINode', 'CSIDriver', 'StorageClass']);

export function isShared({ kind }: ObjectRef): boolean {
  return shared.has(kind);
}

export const neighbourKinds = [
  'CSINode',
  'StorageClass',
  'PersistentVolumeClaim',
  'VolumeAttachment',
] as const satisfies readonly RowKind[];
export type NeighbourRows = Readonly<Record<(typeof neighbourKinds)[number], KindRows>>;

interface Entry {
  readonly target: ObjectRef;
  readonly about: string;
}

/** What hangs on a node, a driver or a class, to go to. */
export const neighboursSheet = lastOf(
  (
    target: ObjectRef,
    nodes: KindRows,
    classes: KindRows,
    claims: KindRows,
    attachments: KindRows,
    width: number,
    look: Look,
  ): Sheet => {
    const theme = createTuiTheme(look);
    const sections: readonly (readonly [string, readonly Entry[]])[] = [
      ['drivers', driversOf(target, nodes.rows as readonly CsiNodeRow[], classes.rows as readonly ClassRow[])],
      ['nodes', nodesOf(target, nodes.rows as readonly CsiNodeRow[])],
      ['classes', classesOf(target, classes.rows as readonly ClassRow[])],
      ['claims', claimsOf(target, claims.rows as readonly ClaimRow[])],
      ['attachments', attachmentsOf(target, attachments.rows as readonly AttachmentRow[])],
    ];
    const lines: { readonly text: string; readonly pick?: Pick }[] = sections.flatMap(([title, entries]) =>
      entries.length === 0
        ? []
        : [{ text: theme.paint('strong', `${title} (${entries.length})`) }, ...entries.map((entry) => lineOf(entry))],
    );
    const unread: readonly Unread[] = [nodes, classes, claims, attachments].flatMap((answer) => answer.unread);
    return {
      head: unreadNotes(unread, nodes.takenAt, width, look),
      count: lines.length,
      lineAt: (index) => lines[index]?.text ?? '',
      pickAt: (index) => lines[index]?.pick,
      empty:
        unread.length > 0 ? 'nothing was seen that belongs to it, but not all could be read' : 'nothing belongs to it',
    };
  },
);

function lineOf({ target, about }: Entry): { readonly text: string; readonly pick: Pick } {
  const name = `${objectName(target)}${target.namespace === undefined ? '' : ` -n ${target.namespace}`}`;
  // The name of an attachment is a checksum, and tells the least.
  const text = target.kind === 'VolumeAttachment' ? `${about}  ${name}` : `${name}  ${about}`;
  return { text: `  ${sanitise(text)}`, pick: { type: 'object', target } };
}

function driversOf({ kind, name }: ObjectRef, nodes: readonly CsiNodeRow[], classes: readonly ClassRow[]): Entry[] {
  if (kind === 'StorageClass')
    return classes
      .filter((row) => row.name === name && row.driver !== undefined)
      .map(({ driver = '' }) => ({ target: { kind: 'CSIDriver', name: driver }, about: 'provisions for it' }));
  if (kind === 'CSIDriver') return [];
  return nodes
    .filter((row) => row.name === name)
    .flatMap(({ drivers }) =>
      drivers.map(({ name: driver, used, limit }) => ({
        target: { kind: 'CSIDriver', name: driver },
        about: limit === undefined ? 'registered' : `registered, ${used ?? '?'} of ${limit} volumes`,
      })),
    );
}

function nodesOf({ kind, name }: ObjectRef, nodes: readonly CsiNodeRow[]): Entry[] {
  if (kind !== 'CSIDriver') return [];
  return nodes
    .filter(({ drivers }) => drivers.some((driver) => driver.name === name))
    .map((row) => ({ target: { kind: 'Node', name: row.name }, about: row.status ?? '' }));
}

function classesOf({ kind, name }: ObjectRef, classes: readonly ClassRow[]): Entry[] {
  return kind === 'CSIDriver'
    ? classes
        .filter(({ driver }) => driver === name)
        .map((row) => ({ target: refOf('StorageClass', row), about: row.bindingMode }))
    : [];
}

function claimsOf({ kind, name }: ObjectRef, claims: readonly ClaimRow[]): Entry[] {
  const isMeant = ({ driver, storageClass, attachments, pods }: ClaimRow): boolean => {
    if (kind === 'CSIDriver') return driver === name;
    return kind === 'StorageClass'
      ? storageClass === name
      : attachments.some(({ node }) => node === name) || pods.some(({ node }) => node === name);
  };
  return claims
    .filter(isMeant)
    .map((row) => ({
      target: refOf('PersistentVolumeClaim', row),
      about: [row.status, ...row.pods.map((pod) => `pod/${pod.name}`)].join('  '),
    }));
}

function attachmentsOf({ kind, name }: ObjectRef, attachments: readonly AttachmentRow[]): Entry[] {
  const isMeant = ({ node, driver }: AttachmentRow): boolean =>
    kind === 'CSIDriver' ? driver === name : kind !== 'StorageClass' && node === name;
  return attachments
    .filter(isMeant)
    .map((row) => ({
      target: refOf('VolumeAttachment', row),
      about: `${row.state}  ${row.claim === undefined ? '' : `${row.claim.namespace ?? ''}/${row.claim.name}  `}${kind === 'CSIDriver' ? row.node : row.driver}`,
    }));
}

function refOf(kind: RowKind, { namespace, name }: Row): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
