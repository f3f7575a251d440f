import { isObject, parseObject } from './json.ts'

/**
 * The digests of the platform manifests that an index lists; empty for any other document. What an index says
 * about its entries, such as attestations, stands in it as platform `unknown` and is no platform.
 */
export function platformsIn(index: string): readonly string[] {
  const entries = parseObject(index)?.manifests
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry.digest === 'string' && isPlatform(entry.platform) ? [entry.digest] : [],
  )
}

function isPlatform(platform: unknown): boolean {
  return !isObject(platform) || platform.os !== 'unknown'
}
