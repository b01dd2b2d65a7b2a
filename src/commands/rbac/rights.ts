import type { AccessRight } from '../../core/kube/access-right.ts';
import { resources } from '../../core/kube/resources.ts';
import type { Resource } from '../../core/kube/resources.ts';
import rightsFile from './rights.json' with { type: 'json' };

/** What one command requested when it was recorded: verbs by `resource.group`, and where. */
interface RecordedRight {
  readonly verbs: readonly string[];
  /** In namespaces that the question did not name. */
  readonly elsewhere?: boolean;
}
export type RecordedRights = Readonly<Record<string, Readonly<Record<string, RecordedRight>>>>;

/** Written by the test that runs every command against the embedded cluster (docs/rbac.md). */
const recorded = rightsFile as RecordedRights;

/** A command that asks what others ask, once for each question: it watches nothing. */
const composed: Readonly<Record<string, readonly string[]>> = {
  mcp: ['why-pending', 'why', 'status', 'get', 'check', 'trace', 'preflight', 'what-if'],
  'mcp --logs': ['why-pending --logs', 'why --logs'],
};

/** Flags that need additional rights, which are granted only on request. */
export const extraFlags = ['exec', 'create-pods', 'logs', 'auth', 'lease'] as const;
export type ExtraFlag = (typeof extraFlags)[number];

/** The flag as it is written, with the value that it needs. */
export function extraWords(flag: ExtraFlag): string {
  if (flag === 'auth') return '--auth kubernetes';
  return flag === 'lease' ? '--lease NAME' : `--${flag}`;
}

const subresources: Readonly<Record<string, string>> = {
  'pods/proxy': 'the health endpoint of a driver',
  'pods/portforward': 'a driver on a port of its pod',
  'pods/exec': 'a driver on its socket, from inside its pod',
  'pods/log': 'the log of a container, for --logs and for the last words of a probe pod',
};
const changes: Readonly<Record<string, string>> = {
  pods: 'probe pods, which are deleted at the end',
  leases: 'the lease of serve --lease: its holder is the replica that notifies',
};
/** Questions to the API server, which are posted and leave nothing behind. */
const reviews: Readonly<Record<string, string>> = {
  tokenreviews: 'whose token a caller of serve sends',
  subjectaccessreviews: 'whether a caller of serve may see what is asked for',
};
const readingVerbs = ['get', 'list', 'watch'];

/** The commands that ask a cluster for something. */
export function commandsWithRights(): string[] {
  return [...Object.keys(recorded), ...Object.keys(composed)].filter((key) => !key.includes(' --'));
}

/** The least that these commands need, one right a resource, in the order of the resources. */
export function rightsOf(commands: readonly string[], extras: readonly ExtraFlag[] = []): AccessRight[] {
  const keys = commands.flatMap((command) => [command, ...extras.map((flag) => `${command} --${flag}`)]);
  const merged = new Map<string, { readonly verbs: Set<string>; elsewhere: boolean }>();
  for (const key of keys) {
    for (const [name, { verbs, elsewhere = false }] of entriesOf(key)) {
      const entry = merged.get(name) ?? { verbs: new Set(), elsewhere: false };
      for (const verb of verbs) entry.verbs.add(verb);
      entry.elsewhere ||= elsewhere;
      merged.set(name, entry);
    }
  }
  return [...merged]
    .flatMap(([name, { verbs, elsewhere }]) => describe(name, [...verbs], elsewhere))
    .sort((a, b) => rank(a) - rank(b) || a.resource.localeCompare(b.resource, 'en'));
}

function entriesOf(key: string): (readonly [name: string, right: RecordedRight])[] {
  const parts = composed[key];
  if (parts === undefined) return Object.entries(recorded[key] ?? {});
  return parts.flatMap(entriesOf).map(([name, right]) => {
    const verbs = right.verbs.filter((verb) => verb !== 'watch');
    return [name, { ...right, verbs }] as const;
  });
}

/** Whether any of these commands requests more with the flag. */
export function hasExtra(commands: readonly string[], flag: ExtraFlag): boolean {
  return commands.some((command) => entriesOf(`${command} --${flag}`).length > 0);
}

function describe(name: string, verbs: readonly string[], isAskedElsewhere: boolean): AccessRight[] {
  const { group, resource } = splitName(name);
  const known = resourceOfRight(group, resource);
  const review = reviews[resource];
  const namespaced = review === undefined && (known?.namespaced ?? true);
  const shared = { group, resource, namespaced, isAskedElsewhere: isAskedElsewhere && review === undefined };
  if (resource.includes('/') || known === undefined)
    return [
      { ...shared, verbs: [...verbs].sort(), tells: review ?? subresources[resource] ?? '', isMetadataOnly: false },
    ];
  const isMetadataOnly = known.metadataOnly === true;
  // Many names of one kind are read as one list (io/cluster/reading-plan.ts), except kinds of which only metadata is
  // read.
  const reading = readingVerbs.filter(
    (verb) => verbs.includes(verb) || (verb === 'list' && verbs.includes('get') && !isMetadataOnly),
  );
  const changing = verbs.filter((verb) => !readingVerbs.includes(verb)).sort();
  return [
    ...(reading.length === 0 ? [] : [{ ...shared, verbs: reading, tells: known.tells, isMetadataOnly }]),
    ...(changing.length === 0
      ? []
      : [{ ...shared, verbs: changing, tells: changes[resource] ?? '', isMetadataOnly: false }]),
  ];
}

/** `storageclasses.storage.k8s.io`, as kubectl writes it; the core group has no name. */
function splitName(name: string): { readonly group: string; readonly resource: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

function resourceOfRight(group: string, resource: string): Resource | undefined {
  const [plural] = resource.split('/');
  return resources.find((known) => known.group === group && known.name === plural);
}

function rank({ group, resource }: AccessRight): number {
  const at = resources.findIndex((known) => known === resourceOfRight(group, resource));
  return at < 0 ? resources.length : at;
}
