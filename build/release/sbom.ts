import { createHash } from 'node:crypto';
import { platforms } from './platforms.ts';
import type { Library } from './libraries.ts';
import { programName, repository } from './project.ts';

/** The bill of materials in CycloneDX's JSON: the bundled libraries, and the Node of each platform with its checksum. */
export function softwareBill(version: string, libraries: readonly Library[]): string {
  const components = [...libraries.map(libraryComponent), ...platforms.map(nodeComponent)];
  const root = `pkg:npm/${programName}@${version}`;
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, components]))}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: programName,
        version,
        purl: root,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        externalReferences: [{ type: 'vcs', url: repository }],
      },
    },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function libraryComponent({ name, version, license }: Library) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [licenceOf(license)] }),
  };
}

/** An SPDX identifier, or an expression of several. */
function licenceOf(license: string): object {
  return /[ (]/.test(license) ? { expression: license } : { license: { id: license } };
}

function nodeComponent({ node: { name, version, integrity } }: (typeof platforms)[number]) {
  const purl = `pkg:npm/${name}@${version}`;
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type: 'platform',
    'bom-ref': purl,
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: 'MIT' } }],
  };
}

/** A UUID (version 8, RFC 9562) made from the content, so that the same release always has the same. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
