import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { archiveDate } from './archives.ts';
import { programName, repository } from './project.ts';
import { writeTar } from './tar.ts';

const directory = 'build/chart';

/** The Helm chart as `helm package` would write it, with the version of the release, and the same bytes each time. */
export function packChart(version: string): Buffer {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile())
    .toSorted()
    .map((name) => ({
      name: `${programName}/${name}`,
      content: name === 'Chart.yaml' ? chartFile(version) : readFileSync(join(directory, name)),
    }));
  return gzipSync(writeTar(files, archiveDate()), { level: 9 });
}

function chartFile(version: string): Buffer {
  const text = readFileSync(join(directory, 'Chart.yaml'), 'utf8');
  if (!text.includes(`home: ${repository}\n`)) throw new Error(`Chart.yaml does not name ${repository} as its home.`);
  return Buffer.from(text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}
