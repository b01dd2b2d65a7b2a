import { describe, expect, it } from 'vitest';
import { fillPlaceholders, firstFixOf, onlyLooks, opensEditor } from './printed-fix.ts';

describe('a printed fix', () => {
  it('is the first one of the cause, with all its commands', () => {
    const fix = { text: 'Uncordon it.', command: 'kubectl uncordon node-a', risk: 'safe' } as const;
    const finding = {
      cause: 'x',
      stage: 'schedule',
      severity: 'blocking',
      confidence: 'certain',
      summary: '',
      evidence: [],
    } as const;
    const findings = [
      { ...finding, role: 'advice', fix: [{ text: 'Something else.', risk: 'safe' }] },
      { ...finding, role: 'cause', fix: [fix, { text: 'Add a node.', risk: 'safe' }] },
    ] as const;
    expect(firstFixOf({ findings })).toEqual({ text: 'Uncordon it.', commands: ['kubectl uncordon node-a'] });
    expect(firstFixOf({ findings: [] })).toBeUndefined();
  });

  it('is entered with values for its placeholders', () => {
    const command = 'kubectl -n shop create secret generic login --from-file=PLACEHOLDER_KEY=PLACEHOLDER_FILE';
    expect(fillPlaceholders([command], { PLACEHOLDER_KEY: 'password', PLACEHOLDER_FILE: 'p.txt' })).toEqual({
      commands: ['kubectl -n shop create secret generic login --from-file=password=p.txt'],
      unfilled: [],
      filled: 2,
    });
    expect(fillPlaceholders([command], { PLACEHOLDER_KEY: 'password' }).unfilled).toEqual(['PLACEHOLDER_FILE']);
    expect(fillPlaceholders(['kubectl uncordon node-a'], { PLACEHOLDER_KEY: 'password' }).filled).toBe(0);
  });

  it('takes the longest name of a placeholder', () => {
    expect(fillPlaceholders(['PLACEHOLDER_ROLE_ARN'], { PLACEHOLDER_ROLE: 'x' }).unfilled).toEqual([
      'PLACEHOLDER_ROLE_ARN',
    ]);
  });

  it('only looks where no command changes anything', () => {
    expect(onlyLooks('kubectl get deploy,sts,ds -A -o wide | grep -i provisioner')).toBe(true);
    expect(onlyLooks('kubectl -n shop get pvc data -o yaml > data.pvc.yaml')).toBe(true);
    expect(onlyLooks('kubectl csi why pvc/data -n shop --logs')).toBe(true);
    expect(onlyLooks('kubectl patch --local -f data.pvc.yaml -p "{}" -o yaml')).toBe(true);
    expect(onlyLooks('kubectl patch --local -f data.pvc.yaml -p "{}" -o yaml | kubectl create -f -')).toBe(false);
    expect(onlyLooks('kubectl uncordon node-a')).toBe(false);
    expect(onlyLooks('for node in a b; do kubectl get node $node; done')).toBe(false);
  });

  it('opens an editor where somebody has to type', () => {
    expect(opensEditor('kubectl -n shop edit pvc data')).toBe(true);
    expect(opensEditor('kubectl -n shop patch pvc edit -p "{}"')).toBe(false);
  });
});
