import pinned from './node-packages.json' with { type: 'json' };

/** One platform that a release has an executable for. */
export interface Platform {
  /** As Node names it: `process.platform` and `process.arch`. */
  readonly name: string;
  /** As Go, krew and most release pages name them. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** The npm package with Node for this platform, and the checksum of its archive. */
  readonly nodePackage: string;
  readonly integrity: string;
}

export const nodeVersion = pinned.version;

const systems: Readonly<Record<string, Platform['os']>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const processors: Readonly<Record<string, Platform['arch']>> = { x64: 'amd64', arm64: 'arm64' };

export const platforms: readonly Platform[] = Object.entries(pinned.packages).map(
  ([name, { package: nodePackage, integrity }]) => {
    const [system = '', processor = ''] = name.split('-');
    const [os, arch] = [systems[system], processors[processor]];
    if (os === undefined || arch === undefined)
      throw new Error(`node-packages.json names an unknown platform: ${name}`);
    return { name, os, arch, nodePackage, integrity };
  },
);

export function fileName({ os }: Platform, base: string): string {
  return os === 'windows' ? `${base}.exe` : base;
}

export function archiveName({ os, arch }: Platform, version: string): string {
  return `kubectl-csi_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
}
