/** A condition that the labels of a site meet or not, as plain data (A21). */
export type LabelExpression =
  /** The site has the label, whatever its value. */
  | { readonly kind: 'present'; readonly label: string }
  | { readonly kind: 'equal'; readonly label: string; readonly value: string }
  /** The label's value has a part that the regular expression matches. */
  | { readonly kind: 'match'; readonly label: string; readonly pattern: string }
  /** The site has no label at all: `{}`. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'not'; readonly of: LabelExpression }
  | { readonly kind: 'and' | 'or'; readonly of: readonly LabelExpression[] }
