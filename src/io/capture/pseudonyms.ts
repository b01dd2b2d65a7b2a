import { createHmac } from 'node:crypto';

const consonants = 'bdfghjklmnprstvz';
const vowels = 'aeiou';

/**
 * Replaces words by meaningless ones, always the same for the same key. A name is replaced word by word, so that names
 * composed of other names (the claims of a StatefulSet, the pods of a Deployment) still are.
 */
export class Pseudonyms {
  readonly #key: string;
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(key: string) {
    this.#key = key;
  }

  word(word: string): string {
    let given = this.#given.get(word);
    if (given === undefined) {
      for (let turn = 0; given === undefined || this.#taken.has(given) || given === word; turn += 1)
        given = this.#make(word, turn);
      this.#given.set(word, given);
      this.#taken.add(given);
    }
    return given;
  }

  address(address: string): string {
    return this.#remember(address, (bytes) => `10.${bytes[0]}.${bytes[1]}.${bytes[2]}`);
  }

  longAddress(address: string): string {
    return this.#remember(
      address.toLowerCase(),
      (bytes) => `fd00::${[0, 2, 4].map((at) => bytes.readUInt16BE(at).toString(16)).join(':')}`,
    );
  }

  uid(uid: string): string {
    return this.#remember(uid.toLowerCase(), (bytes) =>
      bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    );
  }

  #remember(text: string, make: (bytes: Buffer) => string): string {
    let given = this.#given.get(text);
    if (given === undefined) {
      for (let turn = 0; given === undefined || this.#taken.has(given); turn += 1)
        given = make(this.#bytes(text, turn));
      this.#given.set(text, given);
      this.#taken.add(given);
    }
    return given;
  }

  #make(word: string, turn: number): string {
    const bytes = this.#bytes(word, turn);
    if (/^\d+$/.test(word))
      return [...word].map((_, at) => String(((bytes[at % bytes.length] as number) % 9) + 1)).join('');
    if (/^[0-9a-f]{16,}$/i.test(word))
      return bytes
        .toString('hex')
        .repeat(Math.ceil(word.length / 64))
        .slice(0, word.length);
    const syllables = Array.from(
      { length: 4 + Math.min(turn, 4) },
      (_, at) =>
        `${consonants[(bytes[2 * at] as number) % consonants.length]}${vowels[(bytes[2 * at + 1] as number) % vowels.length]}`,
    );
    return syllables.join('');
  }

  #bytes(text: string, turn: number): Buffer {
    return createHmac('sha256', this.#key).update(`${turn} ${text}`).digest();
  }
}
