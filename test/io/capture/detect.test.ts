import { describe, expect, it } from 'vitest';
import { clean } from '../../../src/io/capture/detect.ts';
import { makeCapture } from '../../../src/io/capture/make-capture.ts';
import { loadScenarios, snapshotOf } from '../../kit/scenario.ts';
import { renderCapture } from '../../../src/commands/capture/text.ts';

const found = (text: string, isIdentifier = (_: string): boolean => false): readonly [string, string[]] => {
  const forms: string[] = [];
  return [clean(text, isIdentifier, (form) => forms.push(form)), forms];
};

/** Put together here, so that no scanner of sources takes them for real. */
const join = (...parts: string[]): string => parts.join('');

describe('the second scan', () => {
  it.each([
    ['AWS access key', join('AKIA', 'IOSFODNN7EXAMPLE')],
    ['JSON web token', join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.abc')],
    ['PEM block', join('-----BEGIN PRIVATE', ' KEY-----\nMIIE\n-----END PRIVATE KEY-----')],
    ['Slack token', join('xoxb', '-1234567890-abcdefghij')],
    ['GitHub token', join('ghp', '_abcdefghijklmnopqrstuvwxyz0123456789')],
    ['GitLab token', join('glpat', '-abcdefghij0123456789')],
    ['Vault token', join('hvs', '.CAESIJabcdefghij0123456789')],
    ['connection string', join('postgres://shop', ':hunter2@db.example.com/orders')],
    ['password in a crypt format', join('$6', '$rounds=5000$abcdefghij$klmnopqrstuvwxyz')],
    ['random text', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY9'],
    ['random text', 'dGhpcyBpcyBhIHNlY3JldCB0aGF0IGlzIGVuY29kZWQ4Nzc='],
  ])('finds a %s', (form, secret) => {
    const [text, forms] = found(`the driver said ${secret} and stopped`);
    expect(forms).toEqual([form]);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(secret);
  });

  it.each([
    'pvc-0b1c2d3e-1234-4000-8000-00000000aaaa',
    'docker.io/library/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    '/var/lib/kubelet/plugins/kubernetes.io/csi/pv/pvc-0b1c2d3e-1234-4000-8000-00000000aaaa/globalmount',
    'rpc error: code = FailedPrecondition desc = VolumeAttachmentAlreadyExistsInAnotherNamespace',
    'https://server.example.com:6443/api/v1/namespaces/shop/pods?limit=500',
    'postgres://[redacted]@db.example.com/orders',
  ])('leaves %s alone', (text) => expect(found(text)).toEqual([text, []]));

  it('finds nothing in any scenario', () => {
    const detections = loadScenarios().flatMap(({ id, snapshot }) =>
      makeCapture(snapshot).detections.map((detection) => ({ id, ...detection })),
    );
    expect(detections).toEqual([]);
  });

  it('says where it found something, and the file does not hold it', () => {
    // A word of 23 letters: too short for the redaction by form.
    const secret = 'k9Zq2Xw7Lm4Rt8Yp3Vb6Nc1';
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop', labels: { note: secret } },
    };
    const { snapshot, detections, redactions } = makeCapture(snapshotOf([claim]));
    expect(JSON.stringify(snapshot)).not.toContain(secret);
    expect(detections).toEqual([
      { object: 'persistentvolumeclaim/shop/data', path: 'metadata.labels.note', form: 'random text' },
    ]);
    const summary = {
      source: 'x',
      scope: 'y',
      counts: [],
      unread: [],
      redactions,
      detections,
      bytes: 1,
      isAnonymous: false,
    };
    expect(renderCapture(summary, { width: 100, isDryRun: false })).toContain(
      '! a second scan found and redacted 1 more text that looks like a credential:\n  persistentvolumeclaim/shop/data  metadata.labels.note (random text)',
    );
  });
});
