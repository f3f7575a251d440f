import type { Problem } from '../errors.ts'
import type { IngressSettings } from '../state/application/ingress/ingress-settings.ts'

/** The operator's settings, or the problem of a file that they name. With a problem, the desired ingress is unknown. */
export type ReadSettings =
  | { readonly state: 'usable'; readonly settings: IngressSettings }
  | { readonly state: 'unusable'; readonly problem: Problem }
