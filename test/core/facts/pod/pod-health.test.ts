import { describe, expect, it } from 'vitest';
import { cannotStart, startFix, waitingEvidence, waitingWords } from '../../../../src/core/facts/pod/pod-health.ts';
import type { ContainerStatus, Pod } from '../../../../src/core/kube/kinds.ts';

const waiting = (reason: string, message?: string): ContainerStatus => ({
  name: 'driver',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
});
const podWith = (status: Pod['status']): Pod => ({
  kind: 'Pod',
  metadata: { namespace: 'storage', name: 'ctl' },
  status,
});

describe('a container that cannot start', () => {
  it.each([
    'CreateContainerConfigError',
    'CreateContainerError',
    'ImagePullBackOff',
    'ErrImagePull',
    'InvalidImageName',
    'ErrImageNeverPull',
    'RunContainerError',
  ])('is one that waits with %s', (reason) => {
    expect(cannotStart(waiting(reason))).toBe(true);
  });

  it('is not one that is on its way, that runs, or that dies again and again', () => {
    expect(
      ['ContainerCreating', 'PodInitializing', 'CrashLoopBackOff'].some((reason) => cannotStart(waiting(reason))),
    ).toBe(false);
    expect(cannotStart({ name: 'driver', state: { running: {} } })).toBe(false);
    expect(cannotStart(undefined)).toBe(false);
  });

  it('is told with its reason and message, the message cut where it is long', () => {
    expect(waitingWords(waiting('CreateContainerConfigError', 'secret "key" not found'))).toBe(
      'CreateContainerConfigError: secret "key" not found',
    );
    expect(waitingWords(waiting('ErrImagePull'))).toBe('ErrImagePull');
    expect(waitingWords(waiting('ErrImagePull', 'x'.repeat(900))).length).toBeLessThan(200);
  });

  it('is found where the pod keeps it', () => {
    const status = waiting('ErrImagePull', 'no such tag');
    expect(waitingEvidence(podWith({ containerStatuses: [status] }), status)).toMatchObject({
      path: 'status.containerStatuses[driver].state.waiting',
      value: 'ErrImagePull: no such tag',
    });
    expect(waitingEvidence(podWith({ initContainerStatuses: [status] }), status).path).toBe(
      'status.initContainerStatuses[driver].state.waiting',
    );
  });

  it.each([
    ['ImagePullBackOff', 'image'],
    ['CreateContainerConfigError', 'secret'],
    ['RunContainerError', 'cannot start'],
  ])('with %s is looked at with describe, for it has no log', (reason, word) => {
    const { text, command } = startFix(podWith({}), waiting(reason));
    expect(text).toContain(word);
    expect(command).toBe('kubectl -n storage describe pod ctl');
  });
});
