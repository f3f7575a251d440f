import type { Parsed } from '../../../state/parsed.ts'
import { malformed, parsed } from '../../../state/parsed.ts'

/** What an image consists of: the digest that registries know, or that of an archive, which none of them does (X10). */
export type ImageId =
  | { readonly kind: 'digest'; readonly digest: string }
  | { readonly kind: 'archive'; readonly id: string }

/** Parses the `id` of an image (C3, D14). */
export function parseImageId(text: string): Parsed<ImageId> {
  const [, algorithm = '', hex = ''] = pattern.exec(text) ?? []
  if (algorithm === 'sha256' && hex.length === 64)
    return parsed({ kind: 'digest', digest: `sha256:${hex.toLowerCase()}` })
  if (algorithm === 'sha512' && hex !== '') return parsed({ kind: 'archive', id: text })
  return malformed(
    `"${text.slice(0, 40)}" is no image id; write sha256- and the 64 hex digits of the digest, or sha512- and those of an archive`,
  )
}

const pattern = /^(sha256|sha512)-([0-9a-fA-F]{1,128})$/
