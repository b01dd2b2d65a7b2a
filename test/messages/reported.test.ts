import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scenarioMessages } from './scenario-messages.ts';
import { printScore, wordingOf } from './score.ts';
import type { Case } from './score.ts';

/** Problems that people reported in public, with the causes that were found; not part of the repository. */
const directory = process.env['KUBECTL_CSI_CASES'] ?? '../shared';
const isThere = existsSync(`${directory}/reported`) && existsSync(`${directory}/gold/reported.md`);

interface Reported {
  readonly id: string;
  readonly events: readonly { readonly reason?: string | null; readonly message?: string | null }[];
  readonly status_fields: Readonly<Record<string, unknown>>;
}

/** Progress, and what always stands beside the real error: no error. */
const noError =
  /^(?:Scheduled|SuccessfulAttachVolume|Provisioning)\b|succeeded for volume|unattached v$|: no activity for /s;
/** What a report quotes besides events: logs, errors in a status, conditions. */
const quotedFields = /log$|^dmesg$|Error$|^conditions$/;

/** The causes of the cases for which nobody wrote down an answer, as their reports give them. */
const causesOfCases: Readonly<Record<string, string>> = {
  '001': 'class-nil-no-default',
  '003': 'class-nil-no-default pod-pvc-unbound-immediate',
  '007': 'class-nil-no-default',
  '009': 'sc-missing',
  '011': 'sc-missing',
  '013': 'pvc-volumename-mismatch pv-class-mismatch',
  '021': 'pvc-lost-misbound pvc-lost-pv-deleted pvc-lost-volumename-cleared',
  '025': 'wffc-nodename-bypass wffc-no-consumer',
  '033': 'provision-csinode-not-found',
  '035': 'wffc-bind-timeout',
  '037': 'provisioner-silent',
  '039': 'provisioner-silent provisioner-not-running',
  '043': 'provisioner-rbac',
  '045': 'provision-internal',
  '047': 'provisioner-migrated-driver-missing provisioner-not-running',
  '059': 'provision-internal provision-invalid-argument',
  '065': 'provision-accessmode-unsupported',
  '069': 'restore-size-too-small',
  '071': 'provision-capability-missing',
  '077': 'provision-no-topology',
  '079': 'provision-topology-key-missing',
  '081': 'provision-no-topology',
  '089': 'sched-volume-zone',
  '095': 'attach-rwo-held-by-running-pod',
  '099': 'attach-rpc-attached-elsewhere',
  '103': 'driver-not-on-node attach-csinode-missing-driver',
  '111': 'detach-rpc-error',
  '115': 'driver-registration-path-wrong driver-not-on-node',
  '119': 'driver-daemonset-pod-unhealthy driver-not-on-node',
  '121': 'driver-daemonset-pod-unhealthy mount-publish-rpc provisioner-driver-not-ready provisioner-crashloop',
  '123': 'nfs-mount-failed',
  '149': 'local-path-missing',
  '153': 'resize-fs-pending-no-pod resize-fs-pending-pod-running',
  '155': 'resize-offline-only',
  '157': 'resize-denied-class',
  '161': 'resize-controller-error resize-node-error',
  '163': 'resize-offline-only resize-controller-error',
  '187': 'driver-registration-silent driver-nodegetinfo-failed',
  '189': 'driver-nodegetinfo-failed driver-daemonset-pod-unhealthy',
  '193': 'pvc-volumename-mismatch',
  '201': 'restore-volumemode-denied',
};

/** A message that reports another fault than the one that its case is about; the cause is that of its words. */
const ofAnotherFault: readonly (readonly [words: RegExp, cause: string])[] = [
  [/Unable to attach or mount volumes: .*timed out/s, 'mount-generic-timeout'],
  [/PersistentVolumeClaim is not bound|unbound immediate/, 'pod-pvc-unbound-immediate'],
  [/external resizer is modifying volume/, 'modify-in-progress'],
  [/driver name \S+ not found\s+in the list/, 'driver-not-on-node'],
  [/waiting for a volume to be created/, 'provisioner-not-running'],
  [/waiting for first consumer/, 'wffc-no-consumer'],
];

function messagesOf({ events, status_fields: fields }: Reported): string[] {
  const said = events.map(({ reason, message }) => `${reason ?? ''} ${message ?? ''}`.trim());
  const quoted = Object.entries(fields)
    .filter(([name]) => quotedFields.test(name))
    .flatMap(([name, value]) =>
      [value].flat().map((text) => (typeof text === 'string' ? `${name}: ${text}` : JSON.stringify(text))),
    );
  return [...said, ...quoted].filter((text) => text.split(/\s+/).length > 3 && !noError.test(text));
}

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
    const reported = JSON.parse(readFileSync(`${directory}/reported/${file}`, 'utf8')) as Reported;
    const number = reported.id.slice(0, 3);
    const known = [...(causes.get(number) ?? []), ...(causesOfCases[number]?.split(' ') ?? [])];
    return messagesOf(reported).map((message) => {
      const other = ofAnotherFault.find(([words]) => words.test(message))?.[1];
      return {
        from: reported.id,
        message,
        causes: [...known, ...(other ? [other] : []), ...(shared.get(wordingOf(message)) ?? [])],
      };
    });
  });
}

const name = 'the cause that was found for a reported problem comes first in 95 % and within three in 99 %';
it.skipIf(!isThere)(
  `${name}${isThere ? '' : ' (skipped: no directory of reported problems; name it in KUBECTL_CSI_CASES)'}`,
  () => {
    const score = printScore('reported', cases());
    expect(score.cases).toBeGreaterThan(75);
    expect(score.first / score.cases).toBeGreaterThanOrEqual(0.95);
    expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.99);
  },
);
