import { catalogue, type ErrorCode, hintOf } from '../errors.ts'

/**
 * An error with the hint for who reads it, with a daemon or without one. A hint of its own stays as it is: only the
 * catalogue has another for who is alone.
 */
export function hinted<E extends { readonly code: string; readonly hint: string }>(
  error: E,
  hasDaemon: boolean,
): E {
  const { code, hint } = error
  return isCode(code) && hint === catalogue[code].hint ? { ...error, hint: hintOf(code, hasDaemon) } : error
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}
