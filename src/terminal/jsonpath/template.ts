/** A jsonpath template of kubectl, read (client-go v0.37, util/jsonpath): text, expressions in braces, and ranges. */
export type Template = readonly Piece[];

export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'expression'; readonly steps: Steps }
  /** `{range …}` up to its `{end}`, or to the end of the template. */
  | { readonly type: 'range'; readonly steps: Steps; readonly body: Template };

/** Each step takes the values of the step before. */
export type Steps = readonly Step[];

export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'children' }
  | { readonly type: 'descendants' }
  | { readonly type: 'slice'; readonly slice: Slice }
  | { readonly type: 'union'; readonly members: readonly Steps[] }
  | { readonly type: 'filter'; readonly left: Steps; readonly operator: FilterOperator; readonly right: Steps }
  /** A quoted text takes the place of all values before it; a number or boolean, the place of each of them. */
  | { readonly type: 'quote'; readonly text: string }
  | { readonly type: 'constant'; readonly value: number | boolean };

export interface Slice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** Written as one index, so that the end follows from the start. */
  readonly isIndex: boolean;
}

export const filterOperators = ['exists', '==', '!=', '<', '<=', '>', '>='] as const;
export type FilterOperator = (typeof filterOperators)[number];
