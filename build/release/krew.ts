import { stringify } from 'yaml';
import { archiveName, fileName } from './platforms.ts';
import type { Platform } from './platforms.ts';
import { downloadAddress, krewNames, programName, repository, shortDescription } from './project.ts';

const description = `Explains why claims are Pending, pods wait for their volumes, and volumes do not
attach, resize or go away: the root cause, the evidence and the fix. It only reads.
`;

/** The manifest for krew's index. `sums` has the checksum of each archive; a platform without one is left out. */
export function krewManifest(
  version: string,
  platforms: readonly Platform[],
  sums: ReadonlyMap<string, string>,
): string {
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: krewNames.wanted },
    spec: {
      version: `v${version}`,
      homepage: repository,
      shortDescription,
      description,
      platforms: platforms.flatMap((platform) => {
        const archive = archiveName(platform, version);
        const sha256 = sums.get(archive);
        return sha256 === undefined ? [] : [platformEntry(platform, downloadAddress(version, archive), sha256)];
      }),
    },
  });
}

function platformEntry(platform: Platform, uri: string, sha256: string): object {
  const { os, arch } = platform;
  return { selector: { matchLabels: { os, arch } }, uri, sha256, bin: fileName(platform, programName) };
}
