import type { Signer } from '../../state/revision.ts'

/** What a signature is worth. */
export type Verdict =
  | { readonly state: 'good'; readonly signer: Signer }
  /** It does not fit what it stands on, or is none that can be read. */
  | { readonly state: 'bad'; readonly reason: string }
  /** It may be genuine, but nobody vouches for its key now. */
  | { readonly state: 'untrusted'; readonly reason: string }
