import { samplesOf } from './pattern-samples.ts';
import type { Case } from './score.ts';
import { wordingOf } from './score.ts';

/** The list of all causes that the rules were written after; not part of the repository. */
interface Entry {
  readonly slug: string;
  readonly text: string;
}

/** `#### \`slug\`` opens an entry, and a list or a table of short ones has a slug at the start of each line. */
function entriesOf(markdown: string): Entry[] {
  const entries: { slug: string; text: string }[] = [];
  const lines = markdown.replace(numbered, '\n$1\n').split('\n');
  for (const line of lines) {
    const slug = opening.exec(line)?.[1];
    if (slug !== undefined) entries.push({ slug, text: line });
    else if (/^(?:#{1,3} |\|)/.test(line)) entries.push({ slug: '', text: '' });
    else if (entries.length > 0) (entries.at(-1) as Entry & { text: string }).text += `\n${line}`;
  }
  return entries.filter(({ slug }) => slug !== '');
}

const opening =
  /^(?:#### |- |\| )?\**`?([a-z]+(?:-[a-z0-9]+)*(?:-\*|-[a-z0-9]+))`?(?: \([^)]*\)| \/ -[\w -/]+?)?(?: ·| \||`| \(`)/;
/** `8 slug (what the object shows) 9 slug …` */
const numbered = /(?<=\s)\d+ ((?:bucket|bucketaccess)-[a-z-]+(?: \/ -[a-z-]+)? \([^)]*\))/g;

const eventText = /`([A-Z][A-Za-z]+)`[^`]{0,80}`\/((?:\\.|[^`])+?)\/[a-z]*`|`\/((?:\\.|[^`])+?)\/[a-z]*`/g;
/** Code, a field, a command, a condition of a rule: no message. */
const noMessage =
  /^(?:kubectl|spec\.|status\.|metadata\.|--|\/|\w+\.\w+[. ]|https?:|[{[(]|reason)|[=!]==?|≥|∈|⇒|&&|\$\{/;

/** `groupsnap-*` stands for all causes that begin like this. */
function isKnown(slug: string, isCause: (cause: string) => boolean): boolean {
  return slug.endsWith('-*') || isCause(slug);
}

function filled(text: string): string {
  return text
    .replace(/%[sdqv+]+|<[a-zA-Z -]+>/g, 'x1')
    .replace(/(?<=["/:'])(?:…|\.\.\.)/g, 'x1')
    .replace(/…|\.\.\./g, ' x1 ')
    .replace(/\b[NXM]\b/g, '3')
    .trim();
}

/** Where the words of drivers stand: entries of answers to a call give the words alone. */
const places: readonly (readonly [slug: RegExp, place: string])[] = [
  [/^provision-/, 'ProvisioningFailed failed to provision volume with StorageClass "x1": rpc error: '],
  [/^attach-rpc-/, 'FailedAttachVolume AttachVolume.Attach failed for volume "x1" : rpc error: '],
  [/^mount-(?:rpc|stage)/, 'FailedMount MountVolume.MountDevice failed for volume "x1" : rpc error: '],
];

function inPlace(slug: string, words: string): string {
  const place = places.find(([of]) => of.test(slug))?.[1];
  const isAnswer = /^(?:code = |[A-Z]\w+$|\d{3}$|already |maximum |context deadline)/.test(words);
  if (place === undefined || !isAnswer) return words;
  return `${place}${words.startsWith('code = ') ? words : `code = Unknown desc = ${words}`}`;
}

function add(known: Map<string, Case & { causes: string[] }>, from: string, message: string, cause: string): void {
  const before = known.get(wordingOf(message));
  if (before) before.causes.push(cause);
  else known.set(wordingOf(message), { from, message, causes: [cause] });
}

/** A message for each pattern of an event in the list of causes. Where entries share a pattern, each of them is right. */
export function patternMessages(markdown: string, isCause: (slug: string) => boolean): Case[] {
  const known = new Map<string, Case & { causes: string[] }>();
  for (const { slug, text } of entriesOf(markdown).filter((entry) => isKnown(entry.slug, isCause))) {
    let reason = '';
    for (const [, named, first, second] of text.matchAll(eventText)) {
      reason = named ?? reason;
      for (const sample of samplesOf(first ?? second ?? ''))
        add(known, slug, inPlace(slug, `${reason} ${sample}`.trim()), slug);
    }
  }
  return [...known.values()];
}

/** What the entries quote in backticks, patterns apart. */
export function quotedMessages(markdown: string, isCause: (slug: string) => boolean): Case[] {
  const known = new Map<string, Case & { causes: string[] }>();
  for (const { slug, text } of entriesOf(markdown).filter((entry) => isKnown(entry.slug, isCause))) {
    // What an entry says of look-alikes and fixes is not about its own cause.
    const own = text.replace(/\*\*[LFS]\*\*[^]*?(?=\n|\*\*[TE]\*\*|$)/g, ' ');
    const quoted = own.split('\n').flatMap((line) => line.split('`').filter((_, index) => index % 2 === 1));
    for (const words of quoted.filter((span) => span.split(/\s+/).length >= 4 && !noMessage.test(span)))
      add(known, slug, filled(words), slug);
  }
  return [...known.values()];
}
