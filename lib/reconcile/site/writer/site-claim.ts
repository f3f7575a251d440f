import type { Failure } from '../../../errors.ts'

/**
 * Whether this process is the writer on a site, or nobody is, and it becomes that before it changes anything. `rival`:
 * another one is, whom the failure names, or nobody can tell, and this process only observes. `silent`: the site does not
 * answer.
 */
export type SiteClaim =
  | { readonly state: 'ours' }
  | { readonly state: 'rival' | 'silent'; readonly failure: Failure }

/**
 * How a site is claimed. `isPatient`: whoever claims it waits until another writer has said that it is alive, instead of
 * leaving that to a later pass. `begins`: when a claim is made on an engine where nobody has one: `at once`; `meanwhile`,
 * as a pass looks that is likely to change something; or `late`, when something is about to be changed.
 */
export type ClaimManner = { readonly isPatient: boolean; readonly begins: 'at once' | 'meanwhile' | 'late' }
