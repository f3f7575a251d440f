import type { Journal } from '../journal/journal.ts'

/**
 * Returns the commit that a person means by the number of a pass over an environment, or by a commit or its beginning;
 * undefined if it is neither. What begins a commit need not be one that exists.
 */
export function commitMeant(
  journal: Pick<Journal, 'show'>,
  environment: string,
  written: string,
): string | undefined {
  const pass = /^\d{1,9}$/.test(written) ? journal.show(Number(written)) : undefined
  const commit = pass?.environment === environment ? pass.revision?.commit : undefined
  return commit ?? (/^[0-9a-f]{7,40}$/.test(written) ? written : undefined)
}
