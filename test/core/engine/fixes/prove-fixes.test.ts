import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { proveFixes } from '../../../../src/core/engine/fixes/prove-fixes.ts';
import type { Fix, Report } from '../../../../src/core/report/report.ts';
import { loadScenario } from '../../../kit/scenario.ts';

function provenFixes(id: string, change: (fixes: readonly Fix[]) => readonly Fix[] = (fixes) => fixes) {
  const { snapshot, target } = loadScenario(id);
  const { report } = diagnose(snapshot, { targets: [target] });
  const items = report.items.map((item) => ({
    ...item,
    findings: item.findings.map((finding) => ({ ...finding, fix: change(finding.fix) })),
  }));
  return firstFixes(proveFixes({ ...report, items }, snapshot));
}

const firstFixes = ({ items }: Report): readonly Fix[] =>
  items[0]?.findings.find(({ role }) => role === 'cause')?.fix ?? [];

const only = (command: string) => (): readonly Fix[] => [{ text: 'Do it.', command, risk: 'safe' }];

describe('what is said under a fix', () => {
  it('promises what the rehearsal reaches', () => {
    const [fix] = provenFixes(
      'provisioner-not-running',
      only('kubectl -n storage scale deployment csi-controller --replicas=1'),
    );
    expect(fix?.after).toEqual({ status: 'healthy', summary: 'pvc/data is bound.' });
  });

  it('plays a manifest that is piped into kubectl apply', () => {
    const manifest = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'gold' },
      provisioner: 'csi.example.com',
    };
    const [fix] = provenFixes('sc-missing', only(`printf '%s' '${JSON.stringify(manifest)}' | kubectl apply -f -`));
    expect(fix?.after?.status).toBe('healthy');
  });

  it('promises nothing where only an event told the cause', () => {
    const [fix] = provenFixes('mount-publish-rpc', only('kubectl -n storage delete pod csi-node-a'));
    expect(fix).toBeDefined();
    expect(fix?.after).toBeUndefined();
  });

  it('promises nothing for a command that holds a placeholder', () => {
    const [fix] = provenFixes('sc-missing', only('kubectl create secret generic PLACEHOLDER_NAME'));
    expect(fix).toBeDefined();
    expect(fix?.after).toBeUndefined();
  });

  it('says nothing where the same obstacle would be left', () => {
    const [fix] = provenFixes('sc-missing', only('kubectl -n shop annotate pvc data note=1'));
    expect(fix).toBeDefined();
    expect(fix?.after).toBeUndefined();
  });
});
