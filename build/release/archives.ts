import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { nodeLicence } from './node-binaries.ts';
import { fileName } from './platforms.ts';
import type { Platform } from './platforms.ts';
import { programName } from './project.ts';
import { writeTar } from './tar.ts';
import type { ArchiveFile } from './tar.ts';
import { writeZip } from './zip.ts';

/** The earliest date that a zip archive can hold. SOURCE_DATE_EPOCH chooses another. */
const earliest = 315_532_800;

export function archiveDate(): Date {
  return new Date(1000 * Number(process.env['SOURCE_DATE_EPOCH'] ?? earliest));
}

/** kubectl starts this program to complete `kubectl csi …`; on Windows it finds it by the ending. */
const windowsCompletion = '@echo off\r\n"%~dp0kubectl-csi.exe" __complete %*\r\n';

/** What is packed for a platform, and in which order. */
export function archiveFiles(platform: Platform, executable: Buffer): readonly ArchiveFile[] {
  const completion: ArchiveFile =
    platform.os === 'windows'
      ? { name: 'kubectl_complete-csi.cmd', content: Buffer.from(windowsCompletion) }
      : { name: 'kubectl_complete-csi', content: readFileSync('bin/kubectl_complete-csi'), isExecutable: true };
  return [
    { name: fileName(platform, programName), content: executable, isExecutable: true },
    completion,
    { name: 'LICENSE', content: readFileSync('LICENSE') },
    { name: 'THIRD-PARTY-NOTICES', content: Buffer.from(thirdPartyNotices(platform)) },
  ];
}

export function packArchive(platform: Platform, files: readonly ArchiveFile[]): Buffer {
  if (platform.os === 'windows') return writeZip(files, archiveDate());
  return gzipSync(writeTar(files, archiveDate()), { level: 9 });
}

/** The licences of the bundled libraries, and those of a platform's Node and of the libraries inside it. */
function thirdPartyNotices({ node: { version } }: Platform): string {
  const bundled = readFileSync('dist/third-party-licences.txt', 'utf8');
  return `${bundled}\n----\n\nNode.js ${version}\n\n${nodeLicence(version)}`;
}
