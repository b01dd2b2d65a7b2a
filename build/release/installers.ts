import { readFileSync } from 'node:fs';
import { archiveName, platforms } from './platforms.ts';
import type { Platform } from './platforms.ts';
import { downloadAddress, programName, repository, shortDescription } from './project.ts';

/** The checksum of each file of a release, by its name. */
export type Checksums = ReadonlyMap<string, string>;

const installScript = new URL('install.sh', import.meta.url);

/** The installation script with this release's version and the checksums of its archives in it. */
export function releasedInstallScript(version: string, sums: Checksums): string {
  const archives = [...sums].filter(([name]) => name.endsWith('.tar.gz')).map(([name, sum]) => `${sum}  ${name}`);
  const script = readFileSync(installScript, 'utf8');
  if (!script.includes(`\nrepository='${repository}'\n`)) throw new Error(`install.sh does not name ${repository}.`);
  const places = [
    ["version=''", `version='${version}'`],
    ["checksums=''", `checksums='${archives.join('\n')}'`],
  ] as const;
  return places.reduce((text, [empty, filled]) => {
    if (!text.includes(`\n${empty}\n`)) throw new Error(`install.sh has no line ${empty}.`);
    return text.replace(`\n${empty}\n`, () => `\n${filled}\n`);
  }, script);
}

/** A formula for Homebrew, on macOS and Linux. */
export function homebrewFormula(version: string, sums: Checksums): string {
  const systems = [
    ['darwin', 'macos'],
    ['linux', 'linux'],
  ] as const;
  return [
    'class KubectlCsi < Formula',
    `  desc "${shortDescription} in a Kubernetes cluster"`,
    `  homepage "${repository}"`,
    `  version "${version}"`,
    '  license "Apache-2.0"',
    ...systems.flatMap(([os, block]) => ['', `  on_${block} do`, ...formulaArchives(os, version, sums), '  end']),
    '',
    '  def install',
    `    bin.install "${programName}", "kubectl_complete-csi"`,
    '    prefix.install "THIRD-PARTY-NOTICES"',
    '  end',
    '',
    '  test do',
    `    assert_match version.to_s, shell_output("#{bin}/${programName} --version")`,
    '  end',
    'end',
    '',
  ].join('\n');
}

function formulaArchives(os: Platform['os'], version: string, sums: Checksums): string[] {
  const processors = { amd64: 'on_intel', arm64: 'on_arm' } as const;
  return platforms
    .filter((platform) => platform.os === os)
    .flatMap((platform) => {
      const name = archiveName(platform, version);
      return [
        `    ${processors[platform.arch]} do`,
        `      url "${downloadAddress(version, name)}"`,
        `      sha256 "${sumOf(sums, name)}"`,
        '    end',
      ];
    });
}

/** A manifest for Scoop, which installs on Windows. */
export function scoopManifest(version: string, sums: Checksums): string {
  const entries = platforms.filter(({ os }) => os === 'windows');
  const names = { amd64: '64bit', arm64: 'arm64' } as const;
  const manifest = {
    version,
    description: `${shortDescription} in a Kubernetes cluster`,
    homepage: repository,
    license: 'Apache-2.0',
    architecture: Object.fromEntries(
      entries.map((platform) => {
        const name = archiveName(platform, version);
        return [names[platform.arch], { url: downloadAddress(version, name), hash: sumOf(sums, name) }];
      }),
    ),
    bin: [`${programName}.exe`, 'kubectl_complete-csi.cmd'],
    checkver: { github: repository },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * A Nix flake of the npm package, which has no dependencies, on the Node of nixpkgs: an executable that was built elsewhere would not
 * find its libraries on NixOS.
 */
export function nixFlake(version: string, sums: Checksums): string {
  const name = packageName(version);
  return `{
  description = "${shortDescription} in a Kubernetes cluster";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = nixpkgs.lib.genAttrs systems;
      build = pkgs: pkgs.stdenvNoCC.mkDerivation {
        pname = "${programName}";
        version = "${version}";
        src = pkgs.fetchurl {
          url = "${downloadAddress(version, name)}";
          sha256 = "${sumOf(sums, name)}";
        };
        nativeBuildInputs = [ pkgs.makeWrapper ];
        dontBuild = true;
        installPhase = ''
          mkdir -p $out/lib/${programName} $out/bin
          cp -r . $out/lib/${programName}
          for name in kubectl-csi kubectl_complete-csi; do
            makeWrapper $out/lib/${programName}/bin/$name $out/bin/$name --prefix PATH : \${pkgs.nodejs_24}/bin
          done
        '';
        meta = {
          homepage = "${repository}";
          license = pkgs.lib.licenses.asl20;
          mainProgram = "${programName}";
        };
      };
    in
    {
      packages = forAll (system: { default = build nixpkgs.legacyPackages.\${system}; });
      apps = forAll (system: {
        default = { type = "app"; program = "\${self.packages.\${system}.default}/bin/${programName}"; };
      });
    };
}
`;
}

/** The file that npm pack writes. */
export function packageName(version: string): string {
  return `${programName}-${version}.tgz`;
}

function sumOf(sums: Checksums, name: string): string {
  const sum = sums.get(name);
  if (sum === undefined) throw new Error(`The release has no ${name}, so nothing can install it.`);
  return sum;
}
