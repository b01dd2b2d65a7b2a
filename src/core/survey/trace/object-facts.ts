import { refOf } from '../../graph/inquiry.ts';
import type { Kind, ObjectOf } from '../../kube/kinds.ts';
import { shortNameOf } from '../../kube/resources.ts';
import { parseTime } from '../../kube/time.ts';
import { componentOfManager, unknownComponent } from './components.ts';
import type { Fact } from './fact.ts';
import { creatorOf, fieldWords, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';

export type Subject = ObjectOf<Kind>;

export function labelOf({ kind, metadata }: Pick<Subject, 'kind' | 'metadata'>): string {
  return `${shortNameOf(kind)}/${metadata.name}`;
}

/** A fact whose time a field holds; undefined when the field holds no time. */
export function factAt(
  object: Subject,
  time: string | number | undefined,
  fact: Pick<Fact, 'key' | 'component' | 'what'> & Partial<Fact> & { readonly source: string },
): Fact | undefined {
  const at = typeof time === 'number' ? time : parseTime(time);
  if (at === undefined) return undefined;
  const { source, ...rest } = fact;
  return { at, certainty: 'exact', object: refOf(object), sources: [source], ...rest };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Creation {
  readonly what: string;
  /** The component that usually creates such objects, where the object does not show its creator. */
  readonly by?: string;
}

export function createdFact(object: Subject, { what, by }: Creation): Fact | undefined {
  const { component, source } = findCreator(object, by);
  return factAt(object, object.metadata.creationTimestamp, {
    key: `created/${object.kind}/${object.metadata.name}`,
    component,
    what,
    source: `metadata.creationTimestamp${source}`,
  });
}

/** Dumps often lack the managed fields; then the annotation of kubectl apply may show it. */
function findCreator(object: Subject, by: string | undefined): { readonly component: string; readonly source: string } {
  const creator = creatorOf(object);
  if (creator)
    return {
      component: componentOfManager(creator.manager, object, { by }),
      source: `, managedFields ${creator.manager}`,
    };
  if (by !== undefined) return { component: by, source: '' };
  return object.metadata.annotations?.[lastApplied] === undefined
    ? { component: unknownComponent, source: '' }
    : { component: 'kubectl apply', source: `, annotation ${lastApplied}` };
}

/** deletionTimestamp is the end of the grace period; the deletion was requested that much earlier. */
export function deletionFact(object: Subject, what = `${labelOf(object)} is to be deleted`): Fact | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const end = parseTime(deletionTimestamp);
  return factAt(object, end === undefined ? undefined : end - deletionGracePeriodSeconds * 1000, {
    key: `deletion/${object.kind}/${object.metadata.name}`,
    component: unknownComponent,
    what: finalizers.length > 0 ? `${what}; held by ${finalizers.join(', ')}` : what,
    source: 'metadata.deletionTimestamp',
  });
}

/** A fact from one write. The write may hold other fields as well, and its time may be theirs. */
export function writeFact(
  object: Subject,
  write: Write,
  {
    node,
    by,
    ...fact
  }: Pick<Fact, 'key' | 'what'> & Partial<Fact> & { readonly node?: string | undefined; readonly by?: string },
): Fact {
  return {
    at: write.at,
    certainty: 'exact',
    component: componentOfManager(write.manager, object, { node, by }),
    object: refOf(object),
    sources: [`managedFields ${write.manager}${write.subresource ? ` (${write.subresource})` : ''}`],
    ...fact,
  };
}

/** Writes that no other fact covers: which manager wrote which fields. */
export function otherWrites(object: Subject, told: readonly Write[], node?: string): Fact[] {
  const creator = creatorOf(object);
  const isSame = (a: Write, b: Write | undefined): boolean =>
    b !== undefined && a.manager === b.manager && a.subresource === b.subresource && a.operation === b.operation;
  return writesOf(object)
    .filter((write) => !isSame(write, creator) && !told.some((each) => isSame(write, each)))
    .map((write) =>
      writeFact(object, write, {
        key: `write/${object.kind}/${object.metadata.name}/${write.manager}/${write.subresource}/${write.operation}`,
        what: `last wrote ${fieldWords(write) || 'some fields'} of ${labelOf(object)}`,
        isMinor: true,
        node,
      }),
    );
}
