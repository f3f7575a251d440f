import type { NamedText } from '../state/application/pod/pod.ts'

/** Returns the annotations of an image with those of its app: the app's win in place, and new ones follow (C55). */
export function mergeAnnotations(
  image: readonly NamedText[],
  app: readonly NamedText[],
): readonly NamedText[] {
  const merged = new Map([...image, ...app].map(({ name, value }) => [name, value]))
  return [...merged].map(([name, value]) => ({ name, value }))
}
