import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { causeNames, readCausePage, readSentences } from '../cli/cause-pages.ts';
import { UserError } from '../core/kube/errors.ts';
import { nearNames } from '../core/kube/names.ts';

const prefix = 'csi://causes/';
const index = 'csi://causes';
const markdown = 'text/markdown';
const pageSize = 100;

/** The list of causes, then the page of each, a hundred at a time. */
export function listResources(cursor: string | undefined): ListResourcesResult {
  const from = cursor === undefined ? 0 : readCursor(cursor);
  const sentences = [...readSentences()];
  const pages = sentences.slice(from, from + pageSize).map(([cause, summary]) => ({
    uri: prefix + cause,
    name: cause,
    description: summary,
    mimeType: markdown,
  }));
  const first = { uri: index, name: 'causes', description: 'All causes with one sentence each.', mimeType: markdown };
  const next = from + pageSize;
  return {
    resources: from === 0 ? [first, ...pages] : pages,
    ...(next < sentences.length && { nextCursor: String(next) }),
  };
}

function readCursor(cursor: string): number {
  const from = /^\d{1,6}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(from) || from % pageSize !== 0) throw new UserError('the cursor is not one of this server');
  return from;
}

export function listResourceTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: `${prefix}{slug}`,
        name: 'cause',
        description: 'The page of one cause: what you see, why it happens, how to confirm, how to fix.',
        mimeType: markdown,
      },
    ],
  };
}

/** Only an id from the list ever becomes part of a path. */
export async function readResource(uri: string): Promise<ReadResourceResult> {
  if (uri === index) {
    const lines = [...readSentences()].map(([cause, summary]) => `- [${cause}](${prefix}${cause}): ${summary}`);
    return { contents: [{ uri, mimeType: markdown, text: `# Causes\n\n${lines.join('\n')}\n` }] };
  }
  const cause = uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
  const names = causeNames();
  if (cause === undefined || !names.includes(cause)) throw notFound(uri, cause, names);
  return { contents: [{ uri, mimeType: markdown, text: (await readCausePage(cause)).markdown }] };
}

function notFound(uri: string, cause: string | undefined, names: readonly string[]): ResourceNotFoundError {
  const shown = uri.slice(0, 200);
  if (cause === undefined)
    return new ResourceNotFoundError(shown, `There is no ${shown}. Resources begin with ${prefix}.`);
  const near = nearNames(cause.slice(0, 200), names).map((name) => prefix + name);
  const meant = near.length === 0 ? `Read ${index} for the list.` : `Did you mean ${near.join(' or ')}?`;
  return new ResourceNotFoundError(shown, `There is no ${shown}. ${meant}`);
}

const mostCompletions = 100;

/** The causes that begin with what was typed, then those that contain it. */
export function completeCause(typed: string): { values: string[]; total: number; hasMore: boolean } {
  const names = causeNames().filter((name) => name.includes(typed));
  const sorted = [
    ...names.filter((name) => name.startsWith(typed)),
    ...names.filter((name) => !name.startsWith(typed)),
  ];
  return {
    values: sorted.slice(0, mostCompletions),
    total: sorted.length,
    hasMore: sorted.length > mostCompletions,
  };
}
