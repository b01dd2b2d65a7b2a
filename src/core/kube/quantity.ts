/**
 * Kubernetes quantities (apimachinery pkg/api/resource), as whole billionths: the API keeps nine decimal places and
 * rounds what is finer away from zero, so a bigint of billionths holds every quantity exactly.
 */
interface Quantity {
  readonly nano: bigint;
  readonly format: Format;
}
type Format = 'binary' | 'decimal' | 'exponent';

const nanoPerUnit = 1_000_000_000n;
/** Binary quantities are capped at the largest int64; decimal ones are not (ParseQuantity). */
const largestBinary = 2n ** 63n - 1n;
/** Dumps are untrusted: past these bounds a number would cost too much to compute with. */
const longestText = 256;
const largestExponent = 300;

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const decimalSuffixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const smallSuffixes = ['n', 'u', 'm'] as const;

const binaryFactor = new Map<string, bigint>(
  binarySuffixes.slice(1).map((suffix, index) => [suffix, 1024n ** BigInt(index + 1)]),
);
const decimalExponent = new Map<string, number>([
  ...decimalSuffixes.map((suffix, index) => [suffix, index * 3] as const),
  ...smallSuffixes.map((suffix, index) => [suffix, index * 3 - 9] as const),
]);

/**
 * As lenient as the API server: a missing number is zero, so `Gi` and `.` are quantities, and the empty text is not.
 */
const quantityPattern = /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]*(?:[+-]?\d+)?)$/;
const exponentPattern = /^[eE]([+-]?\d+)$/;

export function isQuantity(text: string): boolean {
  return parse(text) !== undefined;
}

/** Negative, zero or positive, as for a sort; a missing or unreadable quantity counts as zero. */
export function compareQuantities(a: string | undefined, b: string | undefined): number {
  const left = nanoOf(a);
  const right = nanoOf(b);
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** Quantity.Value(): whole units, fractions rounded away from zero. */
export function bytesOf(text: string | undefined): bigint {
  return divideAwayFromZero(nanoOf(text), nanoPerUnit);
}

/** The exact sum in canonical form; like Quantity.Add, it keeps the format of the first summand that is not zero. */
export function addQuantities(...texts: readonly (string | undefined)[]): string {
  let nano = 0n;
  let format: Format = 'decimal';
  for (const text of texts) {
    const quantity = text === undefined ? undefined : parse(text);
    if (quantity === undefined) continue;
    if (nano === 0n) format = quantity.format;
    nano += quantity.nano;
  }
  return canonicalText({ nano, format });
}

/** The shortest exact form, binary where it ties: 10Gi, 1536Mi, but 1G for a round billion. */
export function formatBytes(bytes: bigint): string {
  const decimal = scaleDown(bytes, 1000n, decimalSuffixes);
  if (magnitude(bytes) > largestBinary) return decimal.count + decimal.suffix;
  const binary = scaleDown(bytes, 1024n, binarySuffixes);
  const shorter = decimal.count.length < binary.count.length ? decimal : binary;
  return shorter.count + shorter.suffix;
}

/** Thousandths as a number, rounded away from zero: fast and exact enough to add up the requests of a whole cluster. */
export function milliOf(text: string | undefined): number {
  return Number(divideAwayFromZero(nanoOf(text), 1_000_000n));
}

function nanoOf(text: string | undefined): bigint {
  return text === undefined ? 0n : (parse(text)?.nano ?? 0n);
}

function parse(text: string): Quantity | undefined {
  if (text === '' || text.length > longestText) return undefined;
  const match = quantityPattern.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const scaled = applySuffix(BigInt(whole + fraction || '0'), fraction.length, suffix);
  if (scaled === undefined) return undefined;
  return sign === '-' ? { nano: -scaled.nano, format: scaled.format } : scaled;
}

function applySuffix(digits: bigint, decimals: number, suffix: string): Quantity | undefined {
  const factor = binaryFactor.get(suffix);
  if (factor !== undefined) {
    const nano = shiftDecimal(digits * factor, 9 - decimals);
    const cap = largestBinary * nanoPerUnit;
    if (nano > cap) return { nano: cap, format: 'binary' };
    return { nano, format: nano > 0n && nano < nanoPerUnit ? 'decimal' : 'binary' };
  }
  const known = decimalExponent.get(suffix);
  if (known !== undefined) return { nano: shiftDecimal(digits, known + 9 - decimals), format: 'decimal' };
  const written = exponentPattern.exec(suffix)?.[1];
  if (written === undefined) return undefined;
  const exponent = Math.min(Number(written), largestExponent);
  return { nano: shiftDecimal(digits, exponent + 9 - decimals), format: 'exponent' };
}

function shiftDecimal(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  if (places >= 0) return value * 10n ** BigInt(places);
  // The text is short, so ten to the power of its length already outweighs it: what remains rounds up to one billionth.
  return divideAwayFromZero(value, 10n ** BigInt(Math.min(-places, longestText + 1)));
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function canonicalText({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const units = nano / nanoPerUnit;
  const isWhole = nano % nanoPerUnit === 0n;
  // Past the cap a binary form would read back as less.
  if (format === 'binary' && isWhole && magnitude(units) >= 1024n && magnitude(units) <= largestBinary) {
    const { count, suffix } = scaleDown(units, 1024n, binarySuffixes);
    return count + suffix;
  }
  if (format === 'exponent') return exponentText(nano);
  const { count, suffix } = scaleDown(nano, 1000n, [...smallSuffixes, ...decimalSuffixes]);
  return count + suffix;
}

function exponentText(nano: bigint): string {
  let count = nano;
  let exponent = -9;
  while (count % 1000n === 0n) {
    count /= 1000n;
    exponent += 3;
  }
  return exponent === 0 ? String(count) : `${count}e${exponent}`;
}

function scaleDown(
  value: bigint,
  base: bigint,
  suffixes: readonly string[],
): { readonly count: string; readonly suffix: string } {
  let count = value;
  let index = 0;
  while (count !== 0n && count % base === 0n && index < suffixes.length - 1) {
    count /= base;
    index += 1;
  }
  return { count: String(count), suffix: suffixes[index] ?? '' };
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
