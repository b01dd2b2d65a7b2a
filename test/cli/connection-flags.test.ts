import { describe, expect, it } from 'vitest';
import { connectionNames, connectionOf, connectionValuesOf } from '../../src/cli/connection-flags.ts';
import { manifest } from '../../src/cli/manifest.ts';

describe('the connection flags', () => {
  it('reach the reader of a cluster under its own names, and only those that were given', () => {
    expect(
      connectionOf({
        context: 'prod',
        'as-group': ['a', 'b'],
        'insecure-skip-tls-verify': true,
        'chunk-size': '250',
        namespace: 'shop',
        v: '6',
      }),
    ).toEqual({
      context: 'prod',
      asGroup: ['a', 'b'],
      insecureSkipTlsVerify: true,
      chunkSize: 250,
      namespace: 'shop',
    });
  });
  it('take an empty namespace for none, as kubectl does', () => {
    expect(connectionOf({ namespace: '' })).toEqual({});
  });
  it('refuse a chunk size that is no number', () => {
    expect(() => connectionOf({ 'chunk-size': 'many' })).toThrow('--chunk-size must be a number, not "many"');
  });
  it('mean the same on a line that was only split, where the last value wins', () => {
    const written = new Map([
      ['server', ['https://a', 'https://b']],
      ['as-group', ['a', 'b']],
      ['insecure-skip-tls-verify', ['true', 'false']],
      ['output', ['json']],
    ]);
    expect(connectionValuesOf(written)).toEqual({
      server: 'https://b',
      'as-group': ['a', 'b'],
      'insecure-skip-tls-verify': false,
    });
  });
  it('are taken by every command that reads a cluster', () => {
    const readers = Object.values(manifest.commands).filter(({ flags }) => 'kubeconfig' in flags);
    expect(readers.map(({ id }) => id)).toContain('why-pending');
    for (const { flags } of readers) expect(Object.keys(flags)).toEqual(expect.arrayContaining(connectionNames));
  });
});
