import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scenarioMessages } from './scenario-messages.ts';
import { scoreOf, wordingOf } from './score.ts';
import type { Case } from './score.ts';

/** Problems that people reported in public, with the causes that were found; not part of the repository. */
const directory = process.env['KUBECTL_CSI_CASES'] ?? '../shared';
const isThere = existsSync(`${directory}/reported`) && existsSync(`${directory}/gold/reported.md`);

interface Reported {
  readonly id: string;
  readonly events: readonly { readonly reason?: string | null; readonly message?: string | null }[];
}

/** Progress, and what always stands beside the real error: no error, or counted as symptoms elsewhere. */
const noError =
  /^(?:Scheduled|SuccessfulAttachVolume|Provisioning|WaitForFirstConsumer|ExternalProvisioning)\b|succeeded for volume/;
/** An event that reports another fault than the one that the case is about; the cause is that of its words. */
const ofAnotherFault: readonly (readonly [words: RegExp, cause: string])[] = [
  [/Unable to attach or mount volumes: .*timed out/s, 'mount-generic-timeout'],
  [/PersistentVolumeClaim is not bound|unbound immediate/, 'pod-pvc-unbound-immediate'],
  [/external resizer is modifying volume/, 'modify-in-progress'],
  [/driver name \S+ not found\s+in the list/, 'driver-not-on-node'],
];

function cases(): Case[] {
  const gold = readFileSync(`${directory}/gold/reported.md`, 'utf8');
  const causes = new Map(
    [...gold.matchAll(/^### (\d{3}) .*\((.*)\)/gm)].map((match) => [
      match[1] ?? '',
      match[2]?.match(/[a-z]+(?:-[a-z]+)+/g) ?? [],
    ]),
  );
  // As in the scenarios: where the same words have several causes, each of them is right.
  const shared = new Map(scenarioMessages().map(({ message, causes: all }) => [wordingOf(message), all]));
  return readdirSync(`${directory}/reported`).flatMap((file) => {
    const { id, events } = JSON.parse(readFileSync(`${directory}/reported/${file}`, 'utf8')) as Reported;
    const known = causes.get(id.slice(0, 3));
    if (known === undefined || known.length === 0) return [];
    return events.flatMap(({ reason, message }) => {
      const text = `${reason ?? ''} ${message ?? ''}`.trim();
      const other = ofAnotherFault.find(([words]) => words.test(text))?.[1];
      return noError.test(text)
        ? []
        : [
            {
              from: id,
              message: text,
              causes: [...known, ...(other ? [other] : []), ...(shared.get(wordingOf(text)) ?? [])],
            },
          ];
    });
  });
}

const name = 'the cause that was found for a reported problem comes first in 95 % and within three in 99 %';
it.skipIf(!isThere)(
  `${name}${isThere ? '' : ' (skipped: no directory of reported problems; name it in KUBECTL_CSI_CASES)'}`,
  () => {
    const score = scoreOf(cases());
    process.stdout.write(
      `${[
        `reported: ${score.cases} messages, first ${score.first}, within three ${score.withinThree}`,
        ...score.misses,
      ].join('\n  ')}\n`,
    );
    expect(score.cases).toBeGreaterThan(25);
    expect(score.first / score.cases).toBeGreaterThanOrEqual(0.95);
    expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.99);
  },
);
