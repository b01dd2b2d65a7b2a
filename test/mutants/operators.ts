/** One way to break a rule, wherever its pattern matches in src/core/causes. */
export interface Operator {
  readonly name: string;
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
  /** How many of the places are tried. */
  readonly take: number;
  /** Only files whose path matches. */
  readonly files?: RegExp;
}

export const operators: readonly Operator[] = [
  {
    name: 'drop the namespace of every command',
    pattern: /namespace === undefined \|\| !resourceOf\(kind\)\.namespaced/g,
    replace: () => 'namespace !== undefined || !resourceOf(kind).namespaced',
    take: 1,
    files: /lib\/steps\.ts$/,
  },
  {
    name: 'remove all fixes of a cause',
    pattern: /^( +)fix: (?!\[\]).*,$/gm,
    replace: (_match, indent = '') => `${indent}fix: [],`,
    take: 5,
  },
  { name: 'call a loss of data safe', pattern: /'data-loss'/g, replace: () => "'safe'", take: 4 },
  { name: 'call a disruption safe', pattern: /'disruptive'/g, replace: () => "'safe'", take: 5 },
  {
    name: 'let the old and the new pod run at once',
    pattern: /type: 'Recreate'/g,
    replace: () => "type: 'RollingUpdate'",
    take: 2,
  },
  { name: 'delete instead of keeping', pattern: /'Retain'/g, replace: () => "'Delete'", take: 3 },
  {
    name: 'remove a piece of evidence',
    pattern: /^( +)(?:field|absent|note|eventSaid)\([^\n]*\),\n/gm,
    replace: () => '',
    take: 5,
  },
  {
    name: 'do not save before deleting',
    pattern: /\bsaveCommand\((\w+)\), /g,
    replace: () => '',
    take: 3,
  },
  { name: 'scale to nothing', pattern: /--replicas=1/g, replace: () => '--replicas=0', take: 2 },
  {
    name: 'turn certainty into a guess',
    pattern: /confidence: 'likely'/g,
    replace: () => "confidence: 'certain'",
    take: 3,
  },
  { name: 'turn a fault into a remark', pattern: /severity: 'blocking'/g, replace: () => "severity: 'info'", take: 3 },
  { name: 'keep the uid of an old claim', pattern: /uid: null/g, replace: () => 'uid: undefined', take: 2 },
  { name: 'use the wrong verb', pattern: /kubectl\('delete'/g, replace: () => "kubectl('describe'", take: 3 },
];
