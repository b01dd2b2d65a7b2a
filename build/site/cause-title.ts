import { matchText } from '../../src/core/causes/messages/match.ts';
import { cutWords } from '../../src/core/kube/cut-words.ts';

interface Known {
  readonly id: string;
  readonly markdown: string;
  readonly messages: readonly string[];
  readonly sentence: string;
}

interface Title {
  readonly text: string;
  readonly isMessage: boolean;
}

/** A quotation of fewer words is the name of a field, a state or a reason. */
const fewestWords = 4;
const longestTitle = 120;
/** Shown on pages, but no message: a command, a path, a field, an introduction. */
const noMessage = /^(?:kubectl|spec\.|status\.|metadata\.|--|\/|code = )|^[\w.]+:? ?[\w"]*$/;
/** What the kubelet and the controllers put before the words that decide. */
const wrapping =
  /^(?:(?:AttachVolume|DetachVolume|MountVolume|MapVolume|NodeExpandVolume)\.\w+ failed for volume "[^"]*" : |Unable to attach or mount volumes: .*? failed to process volumes=\[[^\]]*\]: |error getting handle for DataSource Type \S+ by Name \S+: |failed to provision volume with StorageClass "[^"]*": )/;

/** Where the first candidate is not what people see first: a part of the better one, or nothing where only a sentence fits. */
const chosen: Readonly<Record<string, string>> = {
  'bucket-class-missing': 'bucketclasses.objectstorage.k8s.io',
  'bucketaccess-class-missing': 'bucketaccessclasses.objectstorage.k8s.io',
  'driver-name-mismatch': 'timed out waiting for external-attacher',
  'in-progress': '',
  'mount-rpc-timeout': 'code = DeadlineExceeded desc = context deadline exceeded',
  'pv-accessmodes-mismatch': '',
  'pv-capacity-too-small': '',
  'provisioner-not-running': 'Waiting for a volume to be created either by the external provisioner',
  'wffc-allowed-topologies': '',
  'wffc-no-provisioner-no-pv': "didn't find available persistent volumes to bind",
};

/** What people see of a cause and paste into a search: the message that leads to it, or a sentence where there is none. */
export function titleOf(known: Known, taken: ReadonlySet<string>): Title {
  const part = chosen[known.id];
  const candidates = part === '' ? [] : candidatesOf(known).filter((text) => text.includes(part ?? ''));
  const free = candidates.find((text) => !taken.has(text));
  if (free !== undefined) return { text: free, isMessage: true };
  return { text: known.sentence.replace(/\.$/, ''), isMessage: false };
}

/** All messages that could be the title, best first: those that the matcher reads as this cause, then what the page quotes. */
export function candidatesOf({ id, markdown, messages }: Omit<Known, 'sentence'>): string[] {
  const quoted = quotedIn(markdown);
  const own = quoted.filter((text) => isOf(id, text));
  const long = (texts: readonly string[]): string[] => texts.filter((text) => text.split(' ').length >= fewestWords);
  const reported = messages.filter((text) => isOf(id, text)).flatMap((text) => [withoutWrapping(text), text]);
  const also = long(quoted).filter((text) => mayMean(id, text));
  return [...long(own), ...reported, ...own, ...also].map((text) => cutWords(text, longestTitle));
}

/** Quotations on the page under "What you see". */
function quotedIn(markdown: string): string[] {
  const seen = /## What you see\n([^]*?)\n## /.exec(markdown)?.[1] ?? '';
  const blocks = [...seen.matchAll(/^```[^\n]*\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  const spans = [...seen.replaceAll(/^```[^\n]*\n[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...spans, ...blocks]
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text.includes(' ') && !noMessage.test(text));
}

/** Pages leave out names: `N` and `…` stand for a number and for a name. */
function filledIn(text: string): string {
  return text
    .replaceAll(/\b[NM]\b/g, '3')
    .replaceAll(/(?<=["/:'])(?:…|\.\.\.)/g, 'x')
    .replaceAll(/…|\.\.\./g, '"x"');
}

function isOf(id: string, text: string): boolean {
  return matchText(filledIn(text))[0]?.cause === id;
}

/** A message that the matcher knows to mean other causes only is the title of those. */
function mayMean(id: string, text: string): boolean {
  const causes = matchText(filledIn(text)).map(({ cause }) => cause);
  return causes.length === 0 || causes.includes(id);
}

function withoutWrapping(text: string): string {
  const rest = text.replace(wrapping, '');
  return rest.split(' ').length >= fewestWords ? rest : text;
}
