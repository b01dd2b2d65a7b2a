import { describe, expect, it } from 'vitest';
import { renderCauseList } from '../../../src/commands/causes/text.ts';
import { renderExplain } from '../../../src/commands/explain/text.ts';

const page = `# sc-missing

The claim names a **storage class** that does not exist, so *nobody* makes
its volume.

## What you see

- the claim stays \`Pending\`, and its event says that
  the class was not found
- nothing else

1. one
2. two

## How to confirm

\`\`\`sh
kubectl get pvc data -n shop -o jsonpath='{.spec.storageClassName}{"\\n"}' | xargs kubectl get storageclass
  # an indented line
\`\`\`

> storageclass.storage.k8s.io "fast" not found

## References

- [the class](https://example.test/classes), [another page](wffc-no-consumer.md), https://example.test/a_b_c, 2 * 3 * 4
`;

describe('a cause page on a terminal', () => {
  it('is laid out for the width, its code as it stands', () => {
    expect(renderExplain(page, { width: 60, colour: false })).toMatchInlineSnapshot(`
      "sc-missing

        The claim names a storage class that does not exist, so
        nobody makes its volume.

      What you see

        - the claim stays \`Pending\`, and its event says that the
          class was not found
        - nothing else

        1. one
        2. two

      How to confirm

          kubectl get pvc data -n shop -o jsonpath='{.spec.storageClassName}{"\\n"}' | xargs kubectl get storageclass
            # an indented line

        | storageclass.storage.k8s.io "fast" not found

      References

        - the class (https://example.test/classes), another page,
          https://example.test/a_b_c, 2 * 3 * 4
      "
    `);
  });

  it('differs in colour by the escapes only', () => {
    const coloured = renderExplain(page, { width: 60, colour: true });
    expect(coloured).toContain('\u001b[1mWhat you see');
    expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(renderExplain(page, { width: 60, colour: false }));
  });

  it('prints a code block that nobody closed', () => {
    expect(renderExplain('text\n```\nkubectl get pvc', { width: 80, colour: false })).toBe(
      '  text\n    kubectl get pvc\n',
    );
  });

  it('is an empty line for an empty page', () => {
    expect(renderExplain('', { width: 80, colour: false })).toBe('\n');
  });
});

describe('the list of causes', () => {
  const rows = [
    {
      cause: 'pv-terminating-provisioner-finalizer',
      stage: 'delete',
      stages: ['delete'],
      severity: 'blocking',
      summary: 'the volume keeps the finalizer of a provisioner that no longer runs',
    },
    {
      cause: 'sc-missing',
      stage: 'claim',
      stages: ['claim'],
      severity: 'blocking',
      summary: 'the class does not exist',
    },
    {
      cause: 'wffc-no-consumer',
      stage: 'schedule',
      stages: ['schedule'],
      severity: 'info',
      summary: 'waits for a pod',
    },
  ];

  it('is a table as kubectl prints them', () => {
    expect(renderCauseList(rows, { width: 100, colour: false, headers: true })).toMatchInlineSnapshot(`
      "CAUSE                                  STAGE      SEVERITY   SUMMARY
      pv-terminating-provisioner-finalizer   delete     blocking   the volume keeps the finalizer of a
                                                                   provisioner that no longer runs
      sc-missing                             claim      blocking   the class does not exist
      wffc-no-consumer                       schedule   info       waits for a pod
      "
    `);
  });

  it('puts the sentences below where they have no room', () => {
    expect(renderCauseList(rows, { width: 60, colour: false, headers: true })).toMatchInlineSnapshot(`
      "CAUSE                                  STAGE      SEVERITY
      pv-terminating-provisioner-finalizer   delete     blocking
          the volume keeps the finalizer of a provisioner that no
          longer runs
      sc-missing                             claim      blocking
          the class does not exist
      wffc-no-consumer                       schedule   info
          waits for a pod
      "
    `);
  });

  it('keeps each cause on one line for a pipe', () => {
    const text = renderCauseList(rows, { width: Infinity, colour: false, headers: false });
    expect(text.trimEnd().split('\n')).toHaveLength(rows.length);
  });

  it('differs in colour by the escapes only', () => {
    const coloured = renderCauseList(rows, { width: 100, colour: true, headers: true });
    expect(coloured).toContain('\u001b[');
    expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(
      renderCauseList(rows, { width: 100, colour: false, headers: true }),
    );
  });

  it('is nothing when there are none', () => {
    expect(renderCauseList([], { width: 80, colour: false, headers: true })).toBe('');
  });
});
