import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { explainOnly } from '../../src/core/causes/explain-only.ts';
import { everyRule } from '../../src/core/causes/index.ts';
import { patternMessages, quotedMessages } from './catalogue-patterns.ts';
import { samplesOf } from './pattern-samples.ts';
import { printScore } from './score.ts';
import type { Case } from './score.ts';

/** The lists of causes that the rules were written after; not part of the repository. */
const directory = process.env['KUBECTL_CSI_CASES'] ?? '../shared';
const lists = ['causes.md', 'causes-new.md'].map((file) => `${directory}/${file}`);
const isThere = lists.every((file) => existsSync(file));

/** Words that the lists share among causes: objects decide, and the words alone lead to the cause on the right. */
const decidedByObjects: Readonly<Record<string, string>> = {
  'pv-vac-mismatch': 'pvc-volumename-mismatch',
  'pv-terminating-candidate': 'pvc-volumename-mismatch',
  'pvc-lost-pv-deleted': 'pod-bound-pv-missing',
  'wffc-nodename-bypass': 'mount-pvc-not-bound',
  'wffc-selected-node-stale': 'wffc-no-provisioner-no-pv',
  'provision-source-not-found': 'provision-internal',
  'provision-in-tree-failed': 'provision-internal',
  'attach-csinode-missing-driver': 'driver-not-on-node',
  'attach-csinode-missing': 'csinode-missing',
  'mount-driver-not-registered': 'driver-not-on-node',
  'resize-secret-missing': 'provision-secret-missing',
  'snap-delete-failed': 'snap-secret-missing',
  'provisioner-crashloop': 'sidecar-lost-connection',
  'mount-in-tree-failed': 'mount-fsck-failed',
};

/** What a pattern of a rule looks for in its place, and no person would paste. */
const fragments: readonly RegExp[] = [
  /desc = \d{3}$/,
  /^(?:FailedAttachVolume .* : )?CSINode(?: x (?:not found|does not contain driver))?$/,
  /^var\/lib|^invalid path$|^Volume x1: x$|^error expanding volume$|^mnt$/,
  /^is still in progress$|^failed\. Waiting for retry$|^could not find the requested resource$/,
  /[|]|\.\*/,
];

function cases(read: (markdown: string, isCause: (slug: string) => boolean) => Case[]): Case[] {
  const known = new Set([...everyRule(), ...explainOnly].map(({ cause }) => cause));
  return lists
    .flatMap((file) => read(readFileSync(file, 'utf8'), (slug) => known.has(slug)))
    .filter(({ message }) => !fragments.some((fragment) => fragment.test(message)))
    .map(({ causes, ...rest }) => ({
      ...rest,
      causes: [...causes, ...causes.flatMap((cause) => decidedByObjects[cause] ?? [])],
    }));
}

const why = isThere ? '' : ' (skipped: no lists of causes; name their directory in KUBECTL_CSI_CASES)';

it.skipIf(!isThere)(`the patterns of the lists of causes lead to their causes${why}`, () => {
  const score = printScore('patterns', cases(patternMessages));
  expect(score.cases).toBeGreaterThan(300);
  expect(score.first / score.cases).toBeGreaterThanOrEqual(0.95);
  expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.99);
});

it.skipIf(!isThere)(`the messages that the lists of causes quote lead to their causes${why}`, () => {
  const score = printScore('quotations', cases(quotedMessages));
  expect(score.cases).toBeGreaterThan(25);
  expect(score.first / score.cases).toBeGreaterThanOrEqual(0.85);
});

it('a sample of a pattern has one text for each of its ways', () => {
  expect(samplesOf('node(s)? "([^"]+)" (not found|is gone)')).toEqual([
    'nodes "x1" not found',
    'nodes "x1" is gone',
    'node "x1" not found',
    'node "x1" is gone',
  ]);
});
