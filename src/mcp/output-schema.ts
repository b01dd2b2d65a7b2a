import checkSchema from '../../docs/check.schema.json' with { type: 'json' };
import explainSchema from '../../docs/explain.schema.json' with { type: 'json' };
import getSchema from '../../docs/get.schema.json' with { type: 'json' };
import preflightSchema from '../../docs/preflight.schema.json' with { type: 'json' };
import reportSchema from '../../docs/report.schema.json' with { type: 'json' };
import statusSchema from '../../docs/status.schema.json' with { type: 'json' };
import traceSchema from '../../docs/trace.schema.json' with { type: 'json' };
import whatIfSchema from '../../docs/what-if.schema.json' with { type: 'json' };

const documents = {
  report: reportSchema,
  status: statusSchema,
  get: getSchema,
  check: checkSchema,
  trace: traceSchema,
  preflight: preflightSchema,
  'what-if': whatIfSchema,
  explain: explainSchema,
} as const;
export type DocumentName = keyof typeof documents;

type Schema = Readonly<Record<string, unknown>>;
export type OutputSchema = { type: 'object'; [keyword: string]: unknown };

/** What every answer has next to the document. */
const ownProperties = {
  exitCode: {
    description: 'As of the command: 0 nothing blocked, 1 blocked, 2 usage, 3 inconclusive, 4 could not run.',
    enum: [0, 1, 2, 3, 4],
  },
  leftOut: {
    description: 'What did not fit: for each list, how many entries are shown, of how many.',
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'shown', 'total'],
      additionalProperties: false,
      properties: { path: { type: 'string' }, shown: { type: 'integer' }, total: { type: 'integer' } },
    },
  },
  narrower: { description: 'How to ask for less, where something was left out.', type: 'string' },
} as const;

/**
 * The schema of a document in docs, with what every answer has next to it. Agents read it, so it comes without the
 * prose.
 */
export function outputSchemaOf(name: DocumentName): OutputSchema {
  const {
    $defs: definitions,
    oneOf,
    ...root
  } = withoutProse(documents[name]) as Schema & {
    readonly $defs?: Readonly<Record<string, Schema>>;
    readonly oneOf?: readonly Reference[];
  };
  if (oneOf === undefined) return { ...withOwn(root), type: 'object', ...(definitions && { $defs: definitions }) };
  const answers = new Set(oneOf.map(({ $ref }) => $ref.slice('#/$defs/'.length)));
  return {
    type: 'object',
    oneOf,
    $defs: Object.fromEntries(
      Object.entries(definitions ?? {}).map(([key, schema]) => [key, answers.has(key) ? withOwn(schema) : schema]),
    ),
  };
}

interface Reference {
  readonly $ref: string;
}

function withOwn(schema: Schema): Schema {
  return {
    ...schema,
    required: [...((schema['required'] as readonly string[] | undefined) ?? []), 'exitCode'],
    properties: { ...(schema['properties'] as object), ...ownProperties },
  };
}

/** Descriptions are for people; the names of the fields and the text of an answer are enough here. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      if (key === 'properties' || key === '$defs')
        return [
          [key, Object.fromEntries(Object.entries(entry as object).map(([name, one]) => [name, withoutProse(one)]))],
        ];
      const isProse = ['description', 'title', '$schema', '$id'].includes(key) && typeof entry === 'string';
      return isProse ? [] : [[key, withoutProse(entry)]];
    }),
  );
}
