import manifestFile from '../../oclif.manifest.json' with { type: 'json' };
import type { FlagShape } from './arguments.ts';

export interface ManifestFlag extends FlagShape {
  readonly summary?: string;
  readonly helpValue?: string;
  readonly helpGroup?: string;
  readonly hidden?: boolean;
  /** The values that it takes, where they are few. */
  readonly options?: readonly string[];
  readonly default?: unknown;
}

export interface ManifestCommand {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly usage?: string;
  readonly examples: readonly { readonly description: string; readonly command: string }[];
  readonly flags: Readonly<Record<string, ManifestFlag>>;
}

/** What the commands say of themselves, written down at build time so that help loads none of them. */
export interface Manifest {
  readonly version: string;
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

export const manifest = manifestFile as unknown as Manifest;
