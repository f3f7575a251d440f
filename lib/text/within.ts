/**
 * Whether a path, or a JSON pointer, is the one above or lies below it, compared by whole components. The root is the
 * empty text.
 */
export function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`)
}
