import { readFileSync } from 'node:fs';
import { isSameOutcome } from './kubeconfig-outcomes.ts';
import type { Arrival } from './kubeconfig-lab.ts';
import type { Outcome } from './kubeconfig-outcomes.ts';

interface Compared {
  readonly name: string;
  readonly kubectl: Outcome;
  readonly ours: Outcome;
}

const urlLogin = `Basic ${Buffer.from('url-user:url-pass').toString('base64')}`;

function mapArrivals(outcome: Outcome, change: (arrival: Arrival) => Arrival): Outcome {
  return outcome.arrivals ? { ...outcome, arrivals: outcome.arrivals.map(change) } : outcome;
}

const identifiesNobody = (arrival: Arrival): boolean =>
  arrival['place'] === 'TLS' &&
  arrival['certificate'] === undefined &&
  [undefined, urlLogin].includes(arrival['authorization']?.[0]);

const withoutCredentials =
  / \+ (nobody|an empty token|a password without a name|a key without a certificate)$|^flags: a key flag without a certificate$|^types: (a user that is null|fields in capitals)$|^written: no user$|^files: the same user with other fields$/;

/** What each difference of docs/kubeconfig.md allows, and no more. */
const allowed: Readonly<Record<string, (compared: Compared) => boolean>> = {
  'no-prompt': ({ name, kubectl, ours }) =>
    withoutCredentials.test(name) && isSameOutcome(kubectl, {}) && (ours.arrivals ?? []).every(identifiesNobody),
  'no-login-over-http': ({ name, kubectl, ours }) =>
    name.startsWith('a login in a plain address + ') &&
    isSameOutcome(
      ours,
      mapArrivals(kubectl, ({ authorization: _, ...rest }) => rest as Arrival),
    ),
  'compression-over-http': ({ name, kubectl, ours }) =>
    name.startsWith('no compression, plain + ') &&
    isSameOutcome(
      ours,
      mapArrivals(kubectl, (arrival) => ({ ...arrival, compression: 'off' })),
    ),
  'token-flag-wins': ({ name, kubectl, ours }) =>
    name === 'flags: --token over a token file' &&
    isSameOutcome(
      ours,
      mapArrivals(kubectl, (arrival) => ({ ...arrival, authorization: ['Bearer flag'] })),
    ),
  'certificate-flags-win': ({ name, kubectl, ours }) =>
    name === 'flags: a certificate by flags over data' &&
    isSameOutcome(kubectl, {}) &&
    (ours.arrivals ?? []).every(({ certificate }) => certificate === 'kim'),
  'no-negative-timeout': ({ name, ours }) => name === 'flags: --request-timeout -5s' && isSameOutcome(ours, {}),
};

/** The ids of the differences that are compared with kubectl: the first column of the first table of docs/kubeconfig.md. */
function documentedDifferences(): string[] {
  const page = readFileSync(new URL('../../docs/kubeconfig.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Differences from kubectl');
  const [compared = ''] = section.split('### Not compared');
  return [...compared.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, id]) => id ?? '');
}

/** The differences between two outcomes that are not documented, and the documented ones that no case shows. */
export class DifferenceList {
  readonly #seen = new Map<string, number>();
  readonly failures: string[] = [];

  note(compared: Compared): void {
    const { name, kubectl, ours } = compared;
    if (isSameOutcome(kubectl, ours)) return;
    const reasons = Object.entries(allowed).filter(([, allows]) => allows(compared));
    const [reason] = reasons;
    if (reason === undefined || reasons.length > 1)
      this.failures.push(`${name}: kubectl ${JSON.stringify(kubectl)}, kubectl csi ${JSON.stringify(ours)}`);
    else this.#seen.set(reason[0], (this.#seen.get(reason[0]) ?? 0) + 1);
  }

  /** How many cases show each difference. */
  get seen(): ReadonlyMap<string, number> {
    return this.#seen;
  }

  finish(): readonly string[] {
    const documented = documentedDifferences();
    return [
      ...this.failures,
      ...documented.filter((id) => !this.#seen.has(id)).map((id) => `no case shows the documented difference ${id}`),
      ...[...this.#seen.keys()]
        .filter((id) => !documented.includes(id))
        .map((id) => `the difference ${id} is not in docs/kubeconfig.md`),
    ];
  }
}
