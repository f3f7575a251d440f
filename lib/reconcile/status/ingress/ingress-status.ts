import type { Failure } from '../../../errors.ts'
import type { RequestFigures } from '../../../ingress/figures.ts'
import type { CertificateStatus } from './certificates.ts'

/** The report of the ingress of one site, or why there is none. */
export type IngressStatus =
  | {
      readonly site: string
      /** Whether load balancers are told to send no more requests. */
      readonly isDraining: boolean
      readonly certificates: readonly CertificateStatus[]
      /** Or why they are not known. */
      readonly figures: RequestFigures | Failure
    }
  | { readonly site: string; readonly failure: Failure }
