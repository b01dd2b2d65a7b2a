import type { BucketClaimRow, BucketRow } from '../../../core/report/rows.ts';
import type { Style } from '../../../terminal/theme.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';
import { cause, judgedStyle } from './cause.ts';

type EitherRow = BucketRow | BucketClaimRow;

/** Each access by name; one that is not granted is marked. */
function accessText({ accesses }: EitherRow): string {
  return accesses.map(({ name: access, isGranted }) => (isGranted ? access : `${access}:pending`)).join(',');
}

function accessStyle({ accesses }: EitherRow): Style | undefined {
  return accesses.every(({ isGranted }) => isGranted) ? undefined : 'waiting';
}

const status: Column<EitherRow> = { title: 'STATUS', field: 'status', text: (row) => row.status, style: judgedStyle };
const bucketClass: Column<EitherRow> = {
  title: 'CLASS',
  field: 'bucketClass',
  text: (row) => row.bucketClass ?? '',
};
const driver: Column<EitherRow> = { title: 'DRIVER', field: 'driver', text: (row) => row.driver ?? '' };
const accesses: Column<EitherRow> = { title: 'ACCESSES', field: 'accesses', text: accessText, style: accessStyle };
const protocols: Column<EitherRow> = {
  title: 'PROTOCOLS',
  field: 'protocols',
  isWide: true,
  text: (row) => row.protocols.join(','),
};

function claimText({ claim }: BucketRow): string {
  return claim ? `${claim.namespace ?? ''}/${claim.name}` : '';
}

export const bucketColumns: readonly Column<BucketRow>[] = [
  name,
  status,
  cause,
  { title: 'CLAIM', field: 'claim', text: claimText, sortValue: claimText },
  driver,
  accesses,
  { title: 'DELETION', field: 'deletionPolicy', text: ({ deletionPolicy = '' }) => deletionPolicy },
  age,
  { ...bucketClass, isWide: true },
  protocols,
  { title: 'BUCKET-ID', field: 'bucketId', isWide: true, text: ({ bucketId = '' }) => bucketId },
];

export const bucketClaimColumns: readonly Column<BucketClaimRow>[] = [
  name,
  status,
  cause,
  { title: 'BUCKET', field: 'bucket', text: ({ bucket = '' }) => bucket },
  bucketClass,
  driver,
  accesses,
  age,
  protocols,
];
