import { keepUsed } from '../../memo/keep-used.ts'
import type { KnownDeclarations } from '../../registry/declarations.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'

/** As many images as the apps of all pods of an environment have, and more. */
const most = 1_000

/** Creates the memory of what images say of themselves. Losing it costs only time. */
export function createKnownDeclarations(): KnownDeclarations {
  const known = keepUsed<string, ImageDeclaration>({ most, unusedMs: Number.POSITIVE_INFINITY })
  return { find: known.get, remember: known.set }
}
