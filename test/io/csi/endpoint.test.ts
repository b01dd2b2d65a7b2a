import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/kube/errors.ts';
import { whyNameInvalid } from '../../../src/io/csi/driver-name.ts';
import { looksLikeRegistration, parseEndpoint, showEndpoint } from '../../../src/io/csi/endpoint.ts';

describe('an endpoint', () => {
  it.each([
    ['unix:///csi/csi.sock', 'unix:///csi/csi.sock'],
    ['UNIX:///csi/csi.sock', 'unix:///csi/csi.sock'],
    ['unix:/csi/csi.sock', 'unix:///csi/csi.sock'],
    ['/csi/csi.sock', 'unix:///csi/csi.sock'],
    ['csi.sock', 'unix:///home/csi.sock'],
    ['./driver', 'unix:///home/driver'],
    ['unix:csi.sock', 'unix:///home/csi.sock'],
    ['tcp://127.0.0.1:10000', 'tcp://127.0.0.1:10000'],
    ['tcp://[::1]:10000', 'tcp://[::1]:10000'],
    ['tcp://localhost:1/', 'tcp://localhost:1'],
  ])('%s is %s', (word, shown) => {
    const endpoint = parseEndpoint(word, '/home');
    expect(endpoint.type === 'pattern' ? endpoint : showEndpoint(endpoint)).toBe(shown);
  });
  it('says how it read two slashes', () => {
    expect(parseEndpoint('unix://tmp/csi.sock', '/home')).toMatchObject({
      path: '/tmp/csi.sock',
      note: expect.stringContaining('was read as /tmp/csi.sock'),
    });
  });
  it.each(['/plugins/*/csi.sock', 'unix:///plugins/?/csi.sock', '/plugins/{a,b}/csi.sock'])(
    '%s is a pattern',
    (word) => {
      expect(parseEndpoint(word, '/home').type).toBe('pattern');
    },
  );
  it.each([
    ['ebs.csi.aws.com', /^"ebs.csi.aws.com" is neither an endpoint nor the name of a driver/],
    ['127.0.0.1:10000', /has no scheme/],
    ['http://127.0.0.1:10000', /is not an endpoint/],
    ['tcp://host', /is not of the form tcp:\/\/host:port/],
    ['tcp://host:99999', /is not of the form/],
    ['unix://', /has no path/],
    ['@abstract', /abstract socket/],
    ['', /is empty/],
    ['/csi\n.sock', /control characters/],
  ])('%j is refused in one sentence', (word, message) => {
    expect(() => parseEndpoint(word, '/home')).toThrow(UserError);
    expect(() => parseEndpoint(word, '/home')).toThrow(message);
  });
  it('is a registration by its name or its directory', () => {
    const isRegistration = (path: string): boolean => looksLikeRegistration({ type: 'unix', path });
    expect(
      ['/k/plugins_registry/a.sock', '/x/disk-reg.sock', '/k/plugins/disk/csi.sock', '/k/plugins/reg.sock'].map(
        isRegistration,
      ),
    ).toEqual([true, true, false, false]);
  });
});

describe('the name of a driver', () => {
  it.each(['x', '9p.csi.k8s.io', 'csi-driver-v1', 'Disk.Example.com', 'a'.repeat(63)])('%s can be used', (name) => {
    expect(whyNameInvalid(name)).toBeUndefined();
  });
  it.each(['a..b', 'a.-b.c', '-a', 'a.', 'a_b', 'a b', 'a'.repeat(64), 'ä'])('%s cannot', (name) => {
    expect(whyNameInvalid(name)).toBeTypeOf('string');
  });
});
