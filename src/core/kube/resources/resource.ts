import type { Kind } from '../kinds.ts';

/** Where the API serves a kind, and how users name it. */
export interface Resource {
  readonly kind: Kind;
  /** The plural in the path, e.g. persistentvolumeclaims. */
  readonly name: string;
  readonly group: string;
  /** Served versions, the preferred one first. */
  readonly versions: readonly string[];
  readonly namespaced: boolean;
  /** Singular and short names, as kubectl accepts them. */
  readonly aliases: readonly string[];
  /** The contents never leave the server: only PartialObjectMetadata is requested. */
  readonly metadataOnly?: boolean;
  /** There is at least one for each node, claim or pod. */
  readonly isMany?: true;
  /**
   * Some servers do not have it: a custom resource, or an API that came late. Every other kind exists on every server.
   */
  readonly isOptional?: true;
  /** Few servers have its API group, so the list of groups is read before the kind is asked for. */
  readonly isRare?: true;
  /** Read where a file holds it; no server is asked for it. */
  readonly isOfFiles?: true;
  /** What this kind shows; printed when it could not be read. */
  readonly tells: string;
}
