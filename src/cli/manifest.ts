import manifestFile from '../../oclif.manifest.json' with { type: 'json' };
import type { FlagShape } from './arguments.ts';

export interface ManifestFlag extends FlagShape {
  readonly summary?: string;
  readonly helpValue?: string;
  readonly helpGroup?: string;
  readonly hidden?: boolean;
  /** The values that it takes, if only some are allowed. */
  readonly options?: readonly string[];
  /** The same for an output format, which may also be a template. */
  readonly formats?: readonly string[];
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

/** The help of all commands, generated from their classes so that no class has to be loaded for it. */
export interface Manifest {
  readonly version: string;
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

export const manifest = manifestFile as unknown as Manifest;
