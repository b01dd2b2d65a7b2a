import type { Manifest } from '../../core/report/preflight.ts';

/** The line of a field, or of the nearest field around it that is written down; undefined where not even its first step is. */
export function lineOf({ lines }: Manifest, path: string): number | undefined {
  for (let at = path; at !== ''; at = at.replace(/(?:\.[^.[\]]*|\[[^\]]*\]|^[^.[\]]*)$/, ''))
    if (lines[at] !== undefined) return lines[at];
  return undefined;
}
