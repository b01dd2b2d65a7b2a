import { sha256 } from './sha256.ts';

const mostSuggestions = 3;

interface Candidate {
  readonly name: string;
  /**
   * Lower is nearer. 0: the same letters, 1: a typo, 2: one name extends the other. The distance orders within a rank.
   */
  readonly rank: number;
  readonly distance: number;
}

/** The name that was most likely intended; undefined if none is similar. */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  return nearNames(wanted, known)[0];
}

/** Up to three names that may have been intended, the most likely first, without the wanted name. */
export function nearNames(wanted: string, known: Iterable<string>): string[] {
  const candidates: Candidate[] = [];
  for (const name of new Set(known)) {
    const candidate = name === wanted ? undefined : judge(wanted, name);
    if (candidate !== undefined) candidates.push(candidate);
  }
  candidates.sort((a, b) => a.rank - b.rank || a.distance - b.distance || (a.name < b.name ? -1 : 1));
  // If one name differs only by a typo, a longer or shorter name was most likely not intended.
  const near = candidates[0]?.rank === 2 ? candidates : candidates.filter(({ rank }) => rank < 2);
  return near.slice(0, mostSuggestions).map(({ name }) => name);
}

/** How leader election in csi-lib-utils turns any text into a lease name. */
export function sanitiseLeaseName(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9-]/gu, '-');
  return name.endsWith('-') ? `${name}X` : name;
}

/**
 * The name of the VolumeAttachment that the CSI plugin creates (getAttachmentName in pkg/volume/csi/csi_attacher.go).
 */
export function attachmentName(handle: string, driver: string, node: string): string {
  const text = handle + driver + node;
  if (text !== lastHashed.text) lastHashed = { text, name: `csi-${sha256(text)}` };
  return lastHashed.name;
}

/** The rules of one pod ask for the same name one after the other. */
let lastHashed = { text: '', name: '' };

function judge(wanted: string, name: string): Candidate | undefined {
  const [left, right] = withoutSharedDomain(wanted.toLowerCase(), name.toLowerCase());
  if (withoutSeparators(left) === withoutSeparators(right)) return { name, rank: 0, distance: left === right ? 0 : 1 };
  const distance = editDistance(left, right, tolerance(left.length));
  if (distance !== undefined) return { name, rank: 1, distance };
  return isExtension(left, right) || isExtension(right, left)
    ? { name, rank: 2, distance: Math.abs(left.length - right.length) }
    : undefined;
}

/** Drivers of one vendor share the end of their names: disk.csi.example.com is not near nfs.csi.example.com. */
function withoutSharedDomain(left: string, right: string): readonly [string, string] {
  const ours = left.split('.');
  const theirs = right.split('.');
  while (ours.length > 1 && theirs.length > 1 && ours.at(-1) === theirs.at(-1)) {
    ours.pop();
    theirs.pop();
  }
  return [ours.join('.'), theirs.join('.')];
}

function withoutSeparators(text: string): string {
  return text.replace(/[-_.]/g, '');
}

/** How many edits still count as a typo: in a short name, one other letter is another name. */
function tolerance(length: number): number {
  if (length < 3) return 0;
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

/** Whether the longer name is the shorter one with a part added in front or at the end, such as data-v2 and data. */
function isExtension(shorter: string, longer: string): boolean {
  if (shorter.length < 2 || shorter.length >= longer.length) return false;
  const isBoundary = (character: string | undefined) => character !== undefined && !/[a-z]/.test(character);
  return (
    (longer.startsWith(shorter) && isBoundary(longer[shorter.length])) ||
    (longer.endsWith(shorter) && isBoundary(longer[longer.length - shorter.length - 1]))
  );
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment); undefined past the limit. */
function editDistance(left: string, right: string, limit: number): number | undefined {
  if (Math.abs(left.length - right.length) > limit) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return undefined;
    beforeLast = last;
    last = current;
  }
  const distance = last[right.length] ?? 0;
  return distance <= limit ? distance : undefined;
}
