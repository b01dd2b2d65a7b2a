import { parseBlockYaml, unsure } from '../files/block-yaml.ts';
import { BrokenInput } from '../files/broken-input.ts';

/**
 * The first document of a kubeconfig as kubectl's YAML library resolves it (sigs.k8s.io/yaml, goyaml.v2): merge keys,
 * and the booleans and numbers of YAML 1.1. The full parser is loaded only if the fast one is unsure or has read a word
 * that the two versions of YAML read differently.
 */
export async function parseKubeconfigYaml(text: string): Promise<unknown> {
  const value = parseBlockYaml(text);
  return value === unsure || hasDisputedWord(value) ? parseFully(text) : value;
}

const truths: ReadonlySet<string> = new Set(['y', 'yes', 'on', 'true']);
const falsehoods: ReadonlySet<string> = new Set(['n', 'no', 'off', 'false']);
const integer = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|\d+)$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** `Yes`, `yes` and `YES`, but not `yEs`. */
function isWordOf(words: ReadonlySet<string>, text: string): boolean {
  const lower = text.toLowerCase();
  return words.has(lower) && [lower, text.toUpperCase(), lower[0]?.toUpperCase() + lower.slice(1)].includes(text);
}

/**
 * A plain scalar; only whether it is a text, a number or a boolean matters, except in the settings of a credential
 * plugin.
 */
function resolvePlain(text: string): string | number | boolean | null {
  if (text === '' || text === '~' || isWordOf(new Set(['null']), text)) return null;
  if (isWordOf(truths, text)) return true;
  if (isWordOf(falsehoods, text)) return false;
  const digits = /^[-+.\d]/.test(text) ? text.replaceAll('_', '') : '';
  if (integer.test(digits) || float.test(digits)) return numberOf(digits);
  return text;
}

function numberOf(digits: string): number {
  const isNegative = digits.startsWith('-');
  const amount = digits.replace(/^[-+]/, '').replace(/^0(?=[0-7]+$)/, '0o');
  return isNegative ? -Number(amount) : Number(amount);
}

/** Whether a text, which may have been quoted, would be something else without quotes. */
function hasDisputedWord(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 40 && typeof resolvePlain(value) !== 'string';
  if (typeof value === 'number') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => key === '<<' || hasDisputedWord(item));
}

async function parseFully(text: string): Promise<unknown> {
  const { LineCounter, parseAllDocuments, visit } = await import('yaml');
  const lineCounter = new LineCounter();
  try {
    const documents = parseAllDocuments(text, {
      schema: 'core',
      merge: true,
      uniqueKeys: false,
      logLevel: 'silent',
      lineCounter,
      prettyErrors: false,
    });
    // kubectl reads the first document and ignores what follows.
    const [document] = Array.isArray(documents) ? documents : [];
    if (document === undefined) return null;
    const [problem] = document.errors;
    if (problem) throw new BrokenInput('invalid', 'not valid YAML', lineCounter.linePos(problem.pos[0]).line);
    visit(document, {
      Scalar(_key, node) {
        if (node.type === 'PLAIN' && node.tag === undefined && typeof node.value !== 'symbol')
          node.value = resolvePlain(node.source ?? '');
      },
    });
    return document.toJS() as unknown;
  } catch (error) {
    if (error instanceof BrokenInput) throw error;
    // The parser's own limits on nesting and on aliases.
    throw new BrokenInput('invalid', 'not YAML that can be read safely', 1);
  }
}
