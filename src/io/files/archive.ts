/** A file in an archive. Nothing is ever written to disk, so a path such as `../../etc/passwd` is only a name. */
export interface ArchiveEntry {
  readonly name: string;
  readonly segments: readonly string[];
  /** The packed size is known to be sound when this is called; it may throw a BrokenInput. */
  readonly read: () => Promise<Buffer>;
  /** Why its contents cannot be read: it is encrypted, a link, a device. */
  readonly problem?: string;
  /** When the file was changed, in milliseconds. */
  readonly changed?: number;
}

/** The parts of a path below the root of the archive, without those that lead elsewhere. */
export function segmentsOf(path: string): string[] {
  return path
    .replace(/^[A-Za-z]:/, '')
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..');
}

export type ArchiveForm = 'tar' | 'zip';

/** The form of an archive by its first bytes, unpacked if it was packed with gzip. */
export function archiveForm(bytes: Buffer): ArchiveForm | undefined {
  if (bytes.toString('latin1', 257, 262) === 'ustar') return 'tar';
  const begin = bytes.toString('latin1', 0, 4);
  return begin === 'PK\x03\x04' || begin === 'PK\x05\x06' ? 'zip' : undefined;
}
