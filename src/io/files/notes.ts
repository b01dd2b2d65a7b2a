/** More than this is counted and not listed. */
const most = 10;

/** What a reader of a dump should know about how it was read, in one line each. */
export class Notes {
  readonly #skipped: string[] = [];
  readonly #duplicates = new Map<string, string>();

  /** A file, or a part of one, that may hold objects and was not read. */
  addSkipped(what: string, why: string): void {
    this.#skipped.push(`${what} ${why}`);
  }

  addDuplicate(kind: string, namespace: string | undefined, name: string): void {
    const key = `${kind.toLowerCase()}/${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
    this.#duplicates.set(key, key);
  }

  lines(): string[] {
    const shown = this.#skipped.slice(0, most).map((text) => `not read: ${text}`);
    const left = this.#skipped.length - shown.length;
    return [...shown, ...(left > 0 ? [`not read: ${left} more files`] : []), ...this.#duplicateLine()];
  }

  #duplicateLine(): string[] {
    const names = [...this.#duplicates.values()];
    if (names.length === 0) return [];
    const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
    return [
      `${names.slice(0, 3).join(', ')}${more} ${names.length === 1 ? 'is' : 'are'} in the dump in several ` +
        'versions: the latest resourceVersion is used',
    ];
  }
}
