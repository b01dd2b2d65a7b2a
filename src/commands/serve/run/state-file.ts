import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../../core/kube/errors.ts';
import type { Announced, Memory } from '../notice.ts';

/** What was announced, as text for a file or an annotation. */
export function encodeMemory(memory: readonly Announced[], withNames: boolean): string {
  const causes = memory.map(({ key, cause, summary, targets }) =>
    withNames ? { key, cause, summary, targets } : { key, cause },
  );
  return JSON.stringify({ apiVersion: 'csi.kubectl.dev/v1', kind: 'AnnouncedCauses', causes });
}

/** Undefined for a text that this program has not written. */
export function decodeMemory(text: string | undefined): Memory {
  if (text === undefined || text === '') return undefined;
  try {
    const { kind, causes } = JSON.parse(text) as { readonly kind?: unknown; readonly causes?: unknown };
    if (kind !== 'AnnouncedCauses' || !Array.isArray(causes)) return undefined;
    return causes.flatMap((entry: Partial<Announced>): Announced[] => {
      const { key, cause, summary, targets } = entry;
      if (typeof key !== 'string' || typeof cause !== 'string') return [];
      return [
        {
          key,
          cause,
          ...(typeof summary === 'string' && { summary }),
          targets: Array.isArray(targets) ? targets.filter((target) => typeof target === 'string') : [],
        },
      ];
    });
  } catch {
    return undefined;
  }
}

/**
 * A state that cannot be read is as good as none; one that cannot be written would announce everything again, so it is
 * refused at the start.
 */
export function openStateFile(path: string): {
  readonly read: () => string | undefined;
  readonly write: (text: string) => void;
} {
  const write = (text: string): void => {
    const unfinished = `${path}.${process.pid}.tmp`;
    try {
      writeFileSync(unfinished, `${text}\n`, { mode: 0o600 });
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  };
  const read = (): string | undefined => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new UserError(`the state file ${path} cannot be read: ${(error as Error).message}`);
    }
  };
  try {
    mkdirSync(dirname(path), { recursive: true });
    const probe = `${path}.${process.pid}.tmp`;
    writeFileSync(probe, '', { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    throw new UserError(
      `the state file ${path} cannot be written: ${(error as Error).message}`,
      'Choose a --state in a directory that can be written',
    );
  }
  read();
  return { read, write };
}
