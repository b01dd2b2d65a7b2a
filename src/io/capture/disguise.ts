import { commonNames, partWords, spokenWords } from './vocabulary.ts';
import type { Pseudonyms } from './pseudonyms.ts';

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const address = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)/;
const longAddress =
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+)(?![\w:])/i;
const token = /[A-Za-z0-9]+(?:[-.][A-Za-z0-9]+)*/;
const piece = new RegExp([address, longAddress, token].map(({ source }) => `(${source})`).join('|'), 'gi');
const wellKnownDomain = /(?:^|\.)(?:kubernetes\.io|k8s\.io|csi\.kubectl\.dev|microk8s\.io)$/;
const classDomain = /^(.+)(\.(?:storageclass|volumeattributesclass)\.storage\.k8s\.io)$/;
/** It contains the account and the role. */
const cloudName = /(?<=\barn:[a-z0-9-]{1,20}:)[\w:/.+=@-]+/g;
/** A quoted sentence is text, not a name; kubelet lists names as `volumes=[data logs]`. */
const quotedWords = /["'`][^"'`\s\\]+\\?["'`]|=\[[^\]]{1,2000}\]/g;
/** Quantities, durations, versions and times look like names but are none. */
const measured =
  /^(?:\d+(?:\.\d+)?(?:[kKMGTPE]i?B?|m|ms|s|h|d|ns|us|B|bytes)?|(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d))+|v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|v\d+(?:alpha|beta)\d+|\d{4}-\d\d-\d\d(?:T\d\d)?|x86|x509|0x[0-9a-f]+)$/i;

/** The names in a file, and which parts of them are kept. */
export class Disguise {
  readonly #pseudonyms: Pseudonyms;
  readonly #known = new Set<string>();
  readonly #knownWords = new Set<string>();
  readonly #kept = new Set<string>();
  readonly #keptWords = new Set<string>();
  readonly #whole = new Map<string, string>();

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
  }

  /** The name of a driver and its words are kept: they identify its pods and leases. */
  keep(name: string): void {
    this.#kept.add(name);
    for (const word of name.toLowerCase().split(/[^a-z0-9]+/)) if (word.length > 1) this.#keptWords.add(word);
  }

  /** A name: its words are replaced wherever they occur. */
  know(text: string): void {
    for (const [found] of text.matchAll(piece)) {
      if (this.#stays(found)) continue;
      this.#known.add(found);
      for (const word of found.split(/[-.]/))
        if (!/^\d*$/.test(word) && !this.#isKept(word)) this.#knownWords.add(word);
    }
  }

  /** A name that is computed from others cannot be replaced word by word. */
  rename(from: string, to: string): void {
    this.#whole.set(from, to);
  }

  /** A name of kept words only, such as `csi-node` for a node, of an object that is not identified by them. */
  renameKept(name: string): void {
    if (/[-.]/.test(name) && this.name(name) === name && !this.#kept.has(name) && !commonNames.has(name))
      this.#whole.set(name, this.#pseudonyms.word(name));
  }

  /** Text that is a name: every word of it is replaced. */
  name(text: string): string {
    return this.#kept.has(text) ? text : this.#eachPiece(text, () => true);
  }

  /** A message: only the names in it are replaced. */
  speech(text: string): string {
    const clouds = rangesOf(text, cloudName);
    return this.#eachPiece(text, this.#namesIn(text), (at) => isWithin(clouds, at));
  }

  /** A command line: the words in its paths are names too. */
  command(text: string): string {
    const isName = this.#namesIn(text);
    return this.#eachPiece(text, (found, at) => text[at - 1] === '/' || isName(found, at));
  }

  #namesIn(text: string): (found: string, at: number) => boolean {
    const quoted = rangesOf(text, quotedWords);
    return (found, at) => {
      const isQuoted = isWithin(quoted, at);
      if (this.#isKnown(found)) return isQuoted || standsAlone(text, at, at + found.length) || !spokenWords.has(found);
      if (isQuoted) return /^[a-z0-9]/.test(found) && !spokenWords.has(found);
      return uid.test(found) || (/\d/.test(found) && /[a-z]/i.test(found) && found.length >= 5);
    };
  }

  /** A known name, or one that is composed of known names. */
  #isKnown(found: string): boolean {
    if (this.#known.has(found)) return true;
    const words = found.split(/[-.]/);
    if (words.length === 1) return false;
    const known = words.filter((word) => this.#knownWords.has(word));
    return (
      known.some((word) => !spokenWords.has(word)) ||
      (known.length > 0 && words.every((word) => this.#knownWords.has(word) || this.#isKept(word)))
    );
  }

  #eachPiece(
    text: string,
    isName: (found: string, at: number) => boolean,
    isForced: (at: number) => boolean = () => false,
  ): string {
    return text.replaceAll(piece, (found: string, ...rest: readonly unknown[]) => {
      const [short, long] = rest as readonly (string | undefined)[];
      const at = rest.find((item) => typeof item === 'number') as number;
      if (isForced(at)) return this.#replace(found);
      if (this.#stays(found) || isKeyOfKubernetes(text, at)) return found;
      const whole = this.#whole.get(found);
      if (whole !== undefined) return whole;
      if (short !== undefined) return this.#pseudonyms.address(found);
      if (long !== undefined) return this.#pseudonyms.longAddress(found);
      return isName(found, at) ? this.#replace(found) : found;
    });
  }

  #stays(found: string): boolean {
    if (this.#kept.has(found) || commonNames.has(found)) return true;
    if (found === '127.0.0.1' || found === '0.0.0.0') return true;
    return (
      !this.#known.has(found) &&
      (wellKnownDomain.test(found) ? !classDomain.test(found) : measured.test(found) && !address.test(found))
    );
  }

  #replace(found: string): string {
    const ofClass = classDomain.exec(found);
    if (ofClass !== null) return `${this.#replace(ofClass[1] ?? '')}${ofClass[2]}`;
    // A host name may be an address.
    const host = /^ip-(\d+)-(\d+)-(\d+)-(\d+)/.exec(found);
    if (host !== null)
      return `ip-${this.#pseudonyms.address(host.slice(1).join('.')).replaceAll('.', '-')}${found.slice(host[0].length).replaceAll(/[A-Za-z0-9]+/g, (word) => this.#word(word))}`;
    return found.replaceAll(new RegExp(`${uid.source}|[A-Za-z0-9]+`, 'gi'), (word) =>
      uid.test(word) ? this.#pseudonyms.uid(word) : this.#word(word),
    );
  }

  #word(word: string): string {
    return this.#isKept(word) ? word : this.#pseudonyms.word(word);
  }

  #isKept(word: string): boolean {
    const small = word.toLowerCase();
    return partWords.has(small) || commonNames.has(word) || this.#keptWords.has(small) || /^\d{1,4}$/.test(word);
  }
}

const noun =
  /(?:\b(?:pod|claim|pvc|pv|persistentvolumeclaim|volume|statefulset|deployment|daemonset|replicaset|storageclass|class name|namespace|node|secret|snapshot|user|in):? |\()$/i;

/** Whether this is a name rather than a word of the sentence: it is the whole text, or follows a slash or a noun. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? '';
  const after = text[end] ?? '';
  if ((before === '' && after === '') || (before !== '' && '/=^'.includes(before)) || after === '/') return true;
  return noun.test(text.slice(Math.max(0, start - 24), start)) && !text.startsWith(' source', end);
}

/** `is-default-class` of `storageclass.kubernetes.io/is-default-class`. */
function isKeyOfKubernetes(text: string, at: number): boolean {
  return (
    text[at - 1] === '/' &&
    /(?:^|[^A-Za-z0-9])(?:[a-z0-9-]+\.)*(?:kubernetes\.io|k8s\.io|microk8s\.io)\/$/.test(
      text.slice(Math.max(0, at - 80), at),
    )
  );
}

type Ranges = readonly (readonly [number, number])[];

function rangesOf(text: string, pattern: RegExp): Ranges {
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length] as const);
}

function isWithin(ranges: Ranges, at: number): boolean {
  return ranges.some(([start, end]) => at >= start && at < end);
}
