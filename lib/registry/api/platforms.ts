import { isRecord } from '../../object.ts'
import { platformName } from '../../state/image/platform.ts'
import { isDigest } from '../../state/image/reference.ts'
import { parseObject } from './json.ts'

/** An image of one platform, as an index lists it; not every index says for which. */
export type PlatformManifest = { readonly digest: string; readonly platform?: string }

/**
 * Returns the platform manifests in an index; empty for any other document. Entries about other entries, such as
 * attestations, have the platform `unknown` and are left out, and so are entries whose digest is none.
 */
export function platformsIn(index: string): readonly PlatformManifest[] {
  const entries = parseObject(index)?.manifests
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown) =>
    isRecord(entry) && isDigest(entry.digest) && isPlatform(entry.platform)
      ? [{ digest: entry.digest, ...platformIn(entry.platform) }]
      : [],
  )
}

/** Returns the digest of the configuration that an image's manifest names; undefined for any other document. */
export function configIn(manifest: string): string | undefined {
  const config = parseObject(manifest)?.config
  const digest = isRecord(config) ? config.digest : undefined
  return isDigest(digest) ? digest : undefined
}

/** Returns the platform that an index says of an entry, or the configuration of an image of itself. */
export function platformIn(said: unknown): { readonly platform?: string } {
  const platform = isRecord(said) ? platformName(said.os, said.architecture, said.variant) : undefined
  return platform === undefined ? {} : { platform }
}

function isPlatform(platform: unknown): boolean {
  return !isRecord(platform) || platform.os !== 'unknown'
}
