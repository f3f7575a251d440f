import { isObject, parseObject } from './json.ts'

/**
 * Returns the digests of the platform manifests in an index; empty for any other document. Entries about other entries,
 * such as attestations, have the platform `unknown` and are left out.
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
