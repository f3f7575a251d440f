import { printable } from '../printable.ts'

/** Safe to print, and with digests as short as people compare them; the JSON forms have them whole. */
export function brief(value: string): string {
  return printable(value).replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1')
}
