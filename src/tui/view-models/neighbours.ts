import type { ObjectRef, Unread } from '../../core/report/report.ts';
import type { AttachmentRow, ClaimRow, ClassRow, CsiNodeRow, Row as DataRow, RowKind } from '../../core/report/rows.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { KindRows } from '../ports.ts';
import type { Look } from '../theme.ts';
import type { Row } from './rows.ts';
import { listSheet, objectItem } from './sheet.ts';
import type { Item, Sheet } from './sheet.ts';
import { nameAndNamespace } from './stuck-list.ts';
import { unreadNotes } from './unread-notes.ts';

/** Kinds that many volumes share: no single chain leads through them, so their neighbours are found in the tables. */
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

interface Neighbour {
  readonly target: ObjectRef;
  readonly about: string;
}

interface Line {
  readonly row: Row;
  readonly item?: Item;
}

/** What belongs to a node, a driver or a class. */
export const neighboursSheet = memoiseLast(
  (
    target: ObjectRef,
    nodes: KindRows,
    classes: KindRows,
    claims: KindRows,
    attachments: KindRows,
    width: number,
    look: Look,
  ): Sheet => {
    const nodeRows = nodes.rows as readonly CsiNodeRow[];
    const classRows = classes.rows as readonly ClassRow[];
    const lines = [
      ...section('drivers', driversOf(target, nodeRows, classRows)),
      ...section('nodes', nodesOf(target, nodeRows)),
      ...section('classes', classesOf(target, classRows)),
      ...section('claims', claimsOf(target, claims.rows as readonly ClaimRow[])),
      ...section('attachments', attachmentsOf(target, attachments.rows as readonly AttachmentRow[])),
    ];
    const unread: readonly Unread[] = [nodes, classes, claims, attachments].flatMap((answer) => answer.unread);
    return listSheet(lines, {
      notes: unreadNotes(unread, nodes.takenAt, width, look),
      empty:
        unread.length > 0
          ? 'No related object was found, but not everything could be read.'
          : 'No object is related to it.',
    });
  },
);

function section(title: string, neighbours: readonly Neighbour[]): Line[] {
  if (neighbours.length === 0) return [];
  return [{ row: { type: 'title', text: `${title} (${neighbours.length})` } }, ...neighbours.map(lineOf)];
}

function lineOf({ target, about }: Neighbour): Line {
  const name = nameAndNamespace(target);
  // The name of an attachment is a checksum, which is the least informative.
  const text = target.kind === 'VolumeAttachment' ? `${about}  ${name}` : `${name}  ${about}`;
  return { row: { type: 'text', text: `  ${sanitise(text)}` }, item: objectItem(target) };
}

function driversOf({ kind, name }: ObjectRef, nodes: readonly CsiNodeRow[], classes: readonly ClassRow[]): Neighbour[] {
  if (kind === 'CSIDriver') return [];
  if (kind === 'StorageClass')
    return classes
      .filter((row) => row.name === name && row.driver !== undefined)
      .map(({ driver = '' }) => ({ target: { kind: 'CSIDriver', name: driver }, about: 'provisions for it' }));
  return nodes
    .filter((row) => row.name === name)
    .flatMap(({ drivers }) =>
      drivers.map(({ name: driver, used, limit }) => ({
        target: { kind: 'CSIDriver', name: driver },
        about: limit === undefined ? 'registered' : `registered, ${used ?? '?'} of ${limit} volumes`,
      })),
    );
}

function nodesOf({ kind, name }: ObjectRef, nodes: readonly CsiNodeRow[]): Neighbour[] {
  if (kind !== 'CSIDriver') return [];
  return nodes
    .filter(({ drivers }) => drivers.some((driver) => driver.name === name))
    .map((row) => ({ target: { kind: 'Node', name: row.name }, about: row.status ?? '' }));
}

function classesOf({ kind, name }: ObjectRef, classes: readonly ClassRow[]): Neighbour[] {
  if (kind !== 'CSIDriver') return [];
  return classes
    .filter(({ driver }) => driver === name)
    .map((row) => ({ target: refOf('StorageClass', row), about: row.bindingMode }));
}

function claimsOf(target: ObjectRef, claims: readonly ClaimRow[]): Neighbour[] {
  return claims
    .filter((row) => isClaimOf(target, row))
    .map((row) => ({
      target: refOf('PersistentVolumeClaim', row),
      about: [row.status, ...row.pods.map((pod) => `pod/${pod.name}`)].join('  '),
    }));
}

function isClaimOf({ kind, name }: ObjectRef, { driver, storageClass, attachments, pods }: ClaimRow): boolean {
  if (kind === 'CSIDriver') return driver === name;
  if (kind === 'StorageClass') return storageClass === name;
  return attachments.some(({ node }) => node === name) || pods.some(({ node }) => node === name);
}

function attachmentsOf(target: ObjectRef, attachments: readonly AttachmentRow[]): Neighbour[] {
  return attachments
    .filter((row) => isAttachmentOf(target, row))
    .map((row) => ({ target: refOf('VolumeAttachment', row), about: aboutAttachment(target, row) }));
}

function isAttachmentOf({ kind, name }: ObjectRef, { node, driver }: AttachmentRow): boolean {
  if (kind === 'CSIDriver') return driver === name;
  return kind !== 'StorageClass' && node === name;
}

function aboutAttachment({ kind }: ObjectRef, { state, claim, node, driver }: AttachmentRow): string {
  const claimed = claim === undefined ? [] : [`${claim.namespace ?? ''}/${claim.name}`];
  return [state, ...claimed, kind === 'CSIDriver' ? node : driver].join('  ');
}

function refOf(kind: RowKind, { namespace, name }: DataRow): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
