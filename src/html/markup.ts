let create: (text: string) => Markup;

/**
 * Markup that only the tag `html` can produce, from the literal parts of a template. The private field makes the type
 * nominal: no string and no object of another origin can take its place.
 */
export class Markup {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static {
    create = (text) => new Markup(text);
  }

  get text(): string {
    return this.#text;
  }
}

/** What a template may contain: text is escaped, markup is kept, and a list is joined. */
export type Part = string | number | undefined | Markup | readonly Part[];

/** HTML from a template. Every string that is inserted is escaped; there is no way to insert one as it is. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  refuseUnsafe(literals);
  let text = literals[0] ?? '';
  for (const [index, part] of parts.entries()) text += render(part) + (literals[index + 1] ?? '');
  return create(text);
}

/** The same for `<style>` and `<script>`, whose text is not escaped: it takes no values at all. */
export function rawText(literals: TemplateStringsArray): Markup {
  if (literals.length > 1) throw new TypeError('values cannot be inserted into a style or a script');
  const text = literals.raw[0] ?? '';
  // A bundler writes other characters as escapes of JavaScript, which CSS reads as letters.
  if (/[^\t\n -~]/.test(text)) throw new TypeError('a style or a script has only ASCII characters');
  return create(text);
}

/** The element around such a text, to the letter: the policy of the page names its digest. */
export function rawElement(tag: 'style' | 'script', content: Markup): Markup {
  return create(`<${tag}>${content.text}</${tag}>`);
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(render).join('');
  return escapeText(String(part));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Safe in text and in a quoted attribute. */
function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => escapes[character] ?? '');
}

const checked = new WeakSet<TemplateStringsArray>();

/** Escaping protects text and quoted attributes only, so a value is allowed nowhere else. */
function refuseUnsafe(literals: TemplateStringsArray): void {
  if (checked.has(literals)) return;
  let before = '';
  for (const literal of literals.slice(0, -1)) {
    before += literal;
    const open = before.slice(before.lastIndexOf('<'));
    const isInTag = before.includes('<') && !open.includes('>');
    const isInText = !isInTag && !/<(?:script|style)\b[^>]*>[^<]*$/i.test(before);
    const isInQuotes = isInTag && /\s(?!on|style|srcdoc|href|src|action)[a-z][\w-]*="[^"]*$/i.test(open);
    const isAnchor = isInTag && /\shref="#[^"]*$/.test(open);
    if (!isInText && !isInQuotes && !isAnchor)
      throw new TypeError(`a value cannot stand after ${JSON.stringify(before.slice(-40))}`);
    before += 'value';
  }
  checked.add(literals);
}
