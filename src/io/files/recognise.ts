import { BrokenInput } from './broken-input.ts';
import { readJsonDocuments } from './json-documents.ts';
import { readYamlDocuments } from './yaml-documents.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

/** What people pass by mistake, recognised by how it begins. */
const lookalikes: readonly { readonly begins: RegExp; readonly message: string }[] = [
  { begins: /^(?:NAMESPACE|NAME|LAST SEEN)\s{2,}\S/, message: 'is the table that kubectl get prints' },
  { begins: /^Names?(?:pace)?:[ \t]{2,}\S/, message: 'is the text that kubectl describe prints' },
  { begins: /^<(?:!doctype|html|\?xml)/i, message: 'is a web page' },
  {
    begins: /^(?:error:|Error from server|Unable to connect|The connection to the server)/,
    message: 'contains an error message of kubectl',
  },
  { begins: /^No resources found/, message: 'contains only "No resources found"' },
  { begins: /^[IWEF]\d{4} \d\d:\d\d:\d\d\.|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* [^:]/, message: 'is a log' },
];

/** The documents of a decoded file, or a BrokenInput that names what the file is instead. */
export async function readDocuments(bytes: Buffer, keeps: KeepsKind): Promise<ParsedDocument[]> {
  const opening = bytes.toString('utf8', 0, Math.min(bytes.length, 2000)).trimStart();
  if (opening === '' && bytes.length < 2000) throw new BrokenInput('notKubernetes', 'is empty');
  if (isBinary(bytes)) {
    const packer = packerOf(bytes);
    throw new BrokenInput('notKubernetes', packer === undefined ? 'is a binary file' : `is compressed with ${packer}`);
  }
  const lookalike = lookalikes.find(({ begins }) => begins.test(opening));
  if (lookalike) throw new BrokenInput('notKubernetes', lookalike.message);
  const first = opening[0];
  if (first !== '{' && first !== '[') return readYamlDocuments(bytes, keeps);
  try {
    return await readJsonDocuments(bytes, keeps);
  } catch (error) {
    // YAML may begin with a brace too, but a file that ends before the braces are closed was cut.
    if (
      !(error instanceof BrokenInput) ||
      error.problem === 'truncated' ||
      error.problem === 'tooLarge' ||
      bytes.length > 8_000_000
    )
      throw error;
    return readYamlDocuments(bytes, keeps).catch(() => {
      throw error;
    });
  }
}

/** Packed files that are not read here, by their first bytes. */
const packers: readonly (readonly [string, string])[] = [
  ['\xfd7zXZ', 'xz'],
  ['(\xb5/\xfd', 'zstd'],
  ['BZh', 'bzip2'],
  ['7z\xbc\xaf', '7-Zip'],
  ['Rar!', 'RAR'],
  ['\x04"M\x18', 'lz4'],
];

function packerOf(bytes: Buffer): string | undefined {
  const begin = bytes.toString('latin1', 0, 6);
  return packers.find(([mark]) => begin.startsWith(mark))?.[1];
}

function isBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, 4000);
  return sample.includes(0);
}
