import type { Signer } from '../../state/repository/revision.ts'

/** The result of verifying a signature. */
export type SignatureVerdict =
  | { readonly state: 'good'; readonly signer: Signer }
  /** The signature does not match the object, or cannot be read. */
  | { readonly state: 'bad'; readonly reason: string }
  /** The signature may be genuine, but its key is not trusted now. */
  | { readonly state: 'untrusted'; readonly reason: string }
