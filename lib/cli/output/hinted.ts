import { catalogue, hintOf, isErrorCode } from '../../errors/catalogue.ts'

/**
 * Returns an error with the hint for its reader, with or without a daemon. A hint that was given where the error arose
 * stays as it is: only the catalogue has a second hint for use without a daemon.
 */
export function hinted<E extends { readonly code: string; readonly hint: string }>(
  error: E,
  hasDaemon: boolean,
): E {
  const { code, hint } = error
  return isErrorCode(code) && hint === catalogue[code].hint
    ? { ...error, hint: hintOf(code, hasDaemon) }
    : error
}
