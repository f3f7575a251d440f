import type { Failure } from '../errors.ts'
import type { RequestFigures } from '../ingress/figures.ts'
import type { CertificateStatus } from './certificates.ts'

/** What the ingress of one site says of itself, besides what a pass sees; or why that is not known. */
export type IngressStatus =
  | {
      readonly site: string
      /** Load balancers are told to send nothing more. */
      readonly isDraining: boolean
      readonly certificates: readonly CertificateStatus[]
      readonly figures: RequestFigures
    }
  | { readonly site: string; readonly failure: Failure }
