import type * as yamlModule from 'yaml';
import type { Document, LineCounter, Node } from 'yaml';
import type { Manifest } from '../../core/report/preflight.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { BrokenInput } from './broken-input.ts';

type Yaml = typeof yamlModule;

/**
 * Every object of one file, also those in lists, with its place and the lines of its fields; anything else is an error
 * with its line.
 */
export async function parseManifests(text: string, file: string): Promise<Manifest[]> {
  const yaml = await import('yaml');
  const lineCounter = new yaml.LineCounter();
  const documents = yaml.parseAllDocuments(text, {
    schema: 'core',
    merge: true,
    uniqueKeys: false,
    logLevel: 'silent',
    lineCounter,
    prettyErrors: false,
  }) as Document.Parsed[];
  const manifests: Manifest[] = [];
  for (const [index, document] of documents.entries()) {
    const [problem] = document.errors;
    if (problem)
      throw new BrokenInput(
        'invalid',
        `not valid YAML: ${problem.message.split('\n', 1)[0] ?? ''}`,
        lineCounter.linePos(problem.pos[0]).line,
      );
    if (document.contents === null) continue;
    const reader = new DocumentReader(yaml, document, lineCounter, file, index + 1);
    manifests.push(...reader.read(document.contents));
  }
  return manifests;
}

class DocumentReader {
  readonly #yaml: Yaml;
  readonly #document: Document.Parsed;
  readonly #lineCounter: LineCounter;
  readonly #file: string;
  readonly #number: number;

  constructor(yaml: Yaml, document: Document.Parsed, lineCounter: LineCounter, file: string, number: number) {
    this.#yaml = yaml;
    this.#document = document;
    this.#lineCounter = lineCounter;
    this.#file = file;
    this.#number = number;
  }

  read(node: Node): Manifest[] {
    const value = this.#valueOf(node);
    if (value === null || value === undefined) return [];
    const line = this.#lineOf(node);
    if (Array.isArray(value) && this.#yaml.isSeq(node)) return node.items.flatMap((item) => this.read(item as Node));
    if (typeof value !== 'object') throw new BrokenInput('invalid', 'not a Kubernetes object', line);
    const { kind, apiVersion, items, metadata } = value as Record<string, unknown>;
    if (typeof kind !== 'string' || kind === '') throw new BrokenInput('invalid', 'an object without a kind', line);
    if (typeof apiVersion !== 'string' || apiVersion === '')
      throw new BrokenInput('invalid', `a ${kind} without an apiVersion`, line);
    if (kind.endsWith('List') && Array.isArray(items)) {
      const list = this.#yaml.isMap(node) ? node.get('items', true) : undefined;
      return this.#yaml.isSeq(list) ? list.items.flatMap((item) => this.read(item as Node)) : [];
    }
    const name = nameOf(metadata);
    if (name === undefined) throw new BrokenInput('invalid', `a ${kind} without a name`, line);
    const lines: Record<string, number> = Object.create(null) as Record<string, number>;
    this.#noteLines(node, '', lines, 0);
    const object = { ...value, metadata: { ...(metadata as object), name } } as unknown as RawObject;
    return [{ object, place: { file: this.#file, line, document: this.#number }, lines }];
  }

  #valueOf(node: Node): unknown {
    try {
      return node.toJS(this.#document, { maxAliasCount: 100 }) as unknown;
    } catch {
      throw new BrokenInput('invalid', 'not YAML that can be read safely', this.#lineOf(node));
    }
  }

  #lineOf(node: Node): number {
    return this.#lineCounter.linePos(node.range?.[0] ?? 0).line;
  }

  /** A list item is identified by its name if it has one, so that a path does not depend on the order. */
  #noteLines(node: unknown, path: string, lines: Record<string, number>, depth: number): void {
    if (depth > 24) return;
    if (this.#yaml.isMap(node)) {
      for (const { key, value } of node.items) {
        const name = this.#yaml.isScalar(key) ? String(key.value) : undefined;
        if (name === undefined) continue;
        const below = pathBelow(path, name);
        lines[below] = this.#lineOf(key as Node);
        this.#noteLines(value, below, lines, depth + 1);
      }
    } else if (this.#yaml.isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const below = `${path}[${itemName(item, this.#yaml) ?? index}]`;
        lines[below] = this.#lineOf(item as Node);
        this.#noteLines(item, below, lines, depth + 1);
      }
    }
  }
}

/** Keys of annotations and labels contain dots, and are written in brackets wherever a path is shown. */
function pathBelow(path: string, name: string): string {
  if (/[./]/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function itemName(item: unknown, yaml: Yaml): string | undefined {
  if (!yaml.isMap(item)) return undefined;
  const metadata = item.get('metadata', true);
  const name = item.get('name') ?? (yaml.isMap(metadata) ? metadata.get('name') : undefined);
  return typeof name === 'string' ? name : undefined;
}

/** The server appends five characters to a generateName; which ones is not known. */
function nameOf(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { name, generateName } = metadata as Record<string, unknown>;
  if (typeof name === 'string' && name !== '') return name;
  // YAML reads a name such as 123 as a number, which the server refuses; the name is kept to report that.
  if (typeof name === 'number' || typeof name === 'boolean') return String(name);
  return typeof generateName === 'string' && generateName !== '' ? `${generateName}xxxxx` : undefined;
}
