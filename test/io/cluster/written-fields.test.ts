import { describe, expect, it } from 'vitest';
import { mayBeChanging } from '../../../src/io/cluster/written-fields.ts';

const creationTimestamp = '2026-01-01T00:00:00Z';
const later = '2026-02-01T00:00:00Z';
const claim = (...entries: readonly { readonly time: string; readonly fieldsV1: unknown }[]) => ({
  name: 'data',
  creationTimestamp,
  managedFields: entries,
});
const made = {
  time: creationTimestamp,
  fieldsV1: { 'f:spec': { 'f:resources': { 'f:requests': { 'f:storage': {} } }, 'f:volumeAttributesClassName': {} } },
};
const bound = {
  time: later,
  fieldsV1: { 'f:spec': { 'f:volumeName': {} }, 'f:status': { 'f:phase': {}, 'f:capacity': {}, 'f:conditions': {} } },
};

describe('who wrote what on a claim', () => {
  it('tells that nobody touched it since it was bound', () => {
    expect(mayBeChanging(claim(made, bound))).toBe(false);
  });
  it.each([
    ['its size was written after it was made', claim(made, bound, { ...made, time: later })],
    [
      'its attributes class was written after it was made',
      claim(made, bound, { time: later, fieldsV1: { 'f:spec': { 'f:volumeAttributesClassName': {} } } }),
    ],
    [
      'a controller keeps a condition on it',
      claim(made, {
        time: later,
        fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Resizing"}': { '.': {} } } } },
      }),
    ],
    [
      'a growth has not come to its end',
      claim(made, { time: later, fieldsV1: { 'f:status': { 'f:allocatedResourceStatuses': { 'f:storage': {} } } } }),
    ],
    [
      'a change of attributes has not come to its end',
      claim(made, { time: later, fieldsV1: { 'f:status': { 'f:modifyVolumeStatus': { 'f:status': {} } } } }),
    ],
    ['nothing is known of who wrote it', { name: 'data', creationTimestamp }],
    ['the list of writers was emptied', claim()],
  ])('lets it be read where %s', (_why, metadata) => {
    expect(mayBeChanging(metadata)).toBe(true);
  });
  it.each([
    [{ managedFields: 'none' }],
    [{ managedFields: [null] }],
    [{ managedFields: [{ fieldsV1: 3, time: later }] }],
  ])('takes damaged metadata as it comes: %j', (metadata) => {
    expect(typeof mayBeChanging(metadata)).toBe('boolean');
  });
});
