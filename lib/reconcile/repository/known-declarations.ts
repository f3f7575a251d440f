import type { KnownDeclarations } from '../../registry/declarations.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'

/** As many images as the apps of all pods of an environment have, and more. */
const most = 1_000

/** Creates the memory of what images say of themselves. Losing it costs only time. */
export function createKnownDeclarations(): KnownDeclarations {
  const known = new Map<string, ImageDeclaration>()
  return {
    find: content => known.get(content),
    remember(content, declaration) {
      for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - most + 1)))
        known.delete(oldest)
      known.set(content, declaration)
    },
  }
}
