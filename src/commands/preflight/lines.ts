import type { Manifest } from '../../core/report/preflight.ts';

/** The line of a field in the file, or of the closest parent that is written there; undefined if none is. */
export function lineOf({ lines }: Manifest, path: string): number | undefined {
  for (let at = path; at !== ''; at = at.replace(/(?:\.[^.[\]]*|\[[^\]]*\]|^[^.[\]]*)$/, ''))
    if (lines[at] !== undefined) return lines[at];
  return undefined;
}
