/** The entry with the highest score first. */
export class Heap<T> {
  readonly #entries: { readonly item: T; readonly score: number }[] = [];

  get top(): { readonly item: T; readonly score: number } | undefined {
    return this.#entries[0];
  }

  push(item: T, score: number): void {
    const entries = this.#entries;
    let place = entries.push({ item, score }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#scoreAt(parent) >= score) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  pop(): T | undefined {
    const [first] = this.#entries;
    const last = this.#entries.pop();
    if (first === undefined || last === undefined || this.#entries.length === 0) return first?.item;
    this.#entries[0] = last;
    this.#sink();
    return first.item;
  }

  #sink(): void {
    for (let place = 0; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const larger = this.#scoreAt(right) > this.#scoreAt(left) ? right : left;
      if (this.#scoreAt(larger) <= this.#scoreAt(place)) return;
      this.#swap(place, larger);
      place = larger;
    }
  }

  #scoreAt(place: number): number {
    return this.#entries[place]?.score ?? Number.NEGATIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#entries[a], this.#entries[b]];
    if (one && other) [this.#entries[a], this.#entries[b]] = [other, one];
  }
}
