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
    message: 'holds an error message of kubectl',
  },
  { begins: /^No resources found/, message: 'holds only "No resources found"' },
  { begins: /^[IWEF]\d{4} \d\d:\d\d:\d\d\.|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* [^:]/, message: 'is a log' },
];

/** The documents of a decoded file, or a BrokenInput that says what the file is instead. */
export async function readDocuments(bytes: Buffer, keeps: KeepsKind): Promise<ParsedDocument[]> {
  const opening = bytes.toString('utf8', 0, Math.min(bytes.length, 2000)).trimStart();
  if (opening === '' && bytes.length < 2000) throw new BrokenInput('notKubernetes', 'is empty');
  if (isBinary(bytes)) throw new BrokenInput('notKubernetes', 'is a binary file');
  const lookalike = lookalikes.find(({ begins }) => begins.test(opening));
  if (lookalike) throw new BrokenInput('notKubernetes', lookalike.message);
  const first = opening[0];
  if (first !== '{' && first !== '[') return readYamlDocuments(bytes, keeps);
  try {
    return await readJsonDocuments(bytes, keeps);
  } catch (error) {
    // YAML may begin with a brace too, but a file that ends before the braces are closed was cut.
    if (!(error instanceof BrokenInput) || error.problem === 'truncated' || bytes.length > 8_000_000) throw error;
    return readYamlDocuments(bytes, keeps).catch(() => {
      throw error;
    });
  }
}

function isBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, 4000);
  return sample.includes(0);
}
