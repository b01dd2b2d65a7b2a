import { describe, expect, it } from 'vitest';
import { rulesOfStage } from '../../../../src/core/causes/index.ts';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { logConsultant } from '../../../../src/core/engine/logs/consult-logs.ts';
import type { ReportItem } from '../../../../src/core/report/report.ts';
import { ago, loadScenario } from '../../../kit/scenario.ts';

const driverPod = { namespace: 'storage', pod: 'csi-controller-6d5f7-x2x4z' };
const otherPod = { namespace: 'kube-system', pod: 'local-path-provisioner-5d6f7-abcde' };

function judge(id: string, container: string, lines: readonly string[], pod = driverPod): ReportItem {
  const { snapshot, target } = loadScenario(id);
  const stamped = lines.map((line) => `${ago('1m')} ${line}`);
  const logs = [{ ...pod, container, state: 'complete' as const, lines: stamped }];
  const consult = logConsultant({ mode: 'always', isAsked: true });
  const [item] = diagnose({ ...snapshot, logs }, { targets: [target] }, rulesOfStage, consult).report.items;
  if (!item) throw new Error(`no item for ${id}`);
  return item;
}

function causeOf({ findings }: ReportItem): NonNullable<ReportItem['findings'][number]> {
  const cause = findings.find(({ role }) => role === 'cause');
  if (!cause) throw new Error('no cause');
  return cause;
}

const refused =
  'E0301 11:59:00.123456       1 leaderelection.go:448] error retrieving resource lock storage/csi-example-com: ' +
  'leases.coordination.k8s.io "csi-example-com" is forbidden: User "system:serviceaccount:storage:csi-controller" ' +
  'cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "storage"';

describe('a provisioner that logs about its lock', () => {
  const silent = 'provisioner-driver-not-ready--no-lease';

  it('lacks the right that the line names, and is given all that a lock needs', () => {
    const item = judge(silent, 'csi-provisioner', [refused]);
    expect(item.cause).toBe('provisioner-rbac');
    expect(causeOf(item).fix[0]?.command).toContain('--verb=get,list,watch,create,update,patch');
    expect(causeOf(item).fix[0]?.text).toContain('then leads within a minute');
  });

  it('is not blamed where it took the lock since', () => {
    const acquired = 'I0301 11:59:01.123456       1 leaderelection.go:271] successfully acquired lease storage/x';
    expect(judge(silent, 'csi-provisioner', [refused, acquired]).cause).toBe('provisioner-driver-not-ready');
  });

  it('is not blamed for the lock of its neighbour', () => {
    expect(judge(silent, 'csi-attacher', [refused]).cause).toBe('provisioner-driver-not-ready');
  });

  it('is not blamed for another refusal that names no object', () => {
    const other = refused.replace(/error retrieving resource lock \S+/, 'failed to watch:');
    expect(judge(silent, 'csi-provisioner', [other]).cause).toBe('provisioner-driver-not-ready');
  });

  it('is not blamed where its lease is renewed', () => {
    expect(judge('provisioner-silent', 'csi-provisioner', [refused]).cause).toBe('provisioner-silent');
  });
});

describe('a container that keeps crashing', () => {
  const noRole =
    'E0301 11:59:00.123456       1 driver.go:100] dry-run EC2 API call failed: get credentials: failed to refresh ' +
    'cached credentials, no EC2 IMDS role found';

  it('stays the cause, and its last error is quoted and acted on', () => {
    const item = judge('provisioner-crashloop', 'driver', [noRole, 'I0301 11:59:00.2 1 main.go:1] exiting']);
    const { summary, evidence, fix, confidence } = causeOf(item);
    expect(item.cause).toBe('provisioner-crashloop');
    expect(confidence).toBe('certain');
    expect(summary).toContain('Its last error in the log: "');
    expect(summary).toContain('no EC2 IMDS role found');
    expect(evidence.at(-1)).toMatchObject({ path: 'log[driver]', value: expect.stringContaining('IMDS') });
    expect(fix[0]?.text).toContain('valid credentials');
  });

  it.each([
    ['a line about its neighbour', 'E0301 11:59:00.1 1 x.go:1] failed to connect: dial unix /csi/csi.sock'],
    ['a line that reports work', 'I0301 11:59:00.123456       1 main.go:1] no error so far'],
    ['a line of a stack', 'main.failFast(0x0)'],
  ])('is not explained by %s', (_what, line) => {
    const { summary } = causeOf(judge('provisioner-crashloop', 'driver', [line]));
    expect(summary).not.toContain('in the log');
  });

  it('is not explained by a container that runs', () => {
    const { summary } = causeOf(judge('provisioner-crashloop', 'csi-attacher', [noRole]));
    expect(summary).not.toContain('in the log');
  });
});

describe('a provisioner that logs about its library', () => {
  const unlinked =
    'E0301 11:59:00.123456       1 controller.go:1004] provision "shop/data" class "local-path": unexpected error ' +
    "getting claim reference: selfLink was empty, can't make reference";

  it.each(['provisioner-silent--retired-image', 'provisioner-silent--not-csi'])('needs a newer image (%s)', (id) => {
    const item = judge(id, 'local-path-provisioner', [unlinked], otherPod);
    const { confidence, summary, fix } = causeOf(item);
    expect(item.cause).toBe('provisioner-silent');
    expect(confidence).toBe('likely');
    expect(summary).toContain('it needs selfLink');
    expect(fix[0]?.text).toContain('Replace the image of ');
    expect(fix[0]?.text.includes('no longer maintained')).toBe(id.includes('retired'));
  });

  it('is judged by its words where they say something else', () => {
    const other = unlinked.replace(/selfLink was .*/, 'the backend is out of order');
    const item = judge('provisioner-silent--not-csi', 'local-path-provisioner', [other], otherPod);
    expect(item.cause).toBe('provision-internal');
  });
});

describe('a cause that objects prove', () => {
  it('is not replaced by what a log says of the same claim', () => {
    const line =
      'E0301 11:59:00.1 1 controller.go:974] "shop/data" rpc error: code = Internal desc = disk pool is broken';
    expect(judge('provisioner-crashloop', 'driver', [line]).cause).toBe('provisioner-crashloop');
  });
});
