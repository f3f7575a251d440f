import { posix } from 'node:path'

/**
 * Whether a path, or a JSON pointer, is the one above or lies below it, compared by whole components. The root is the
 * empty text.
 */
export function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`)
}

/** Returns the innermost of these directories that is the path or contains it, compared by whole components. */
export function directoryAround(path: string, directories: readonly string[]): string | undefined {
  const around = directories
    .map(directory => posix.resolve('/', directory))
    .filter(directory => isInDirectory(path, directory))
  return around.sort((one, other) => other.length - one.length)[0]
}

/** Whether a path of a host is a directory or lies below it, compared by whole components. */
export function isInDirectory(path: string, directory: string): boolean {
  return isWithin(path, directory === '/' ? '' : directory)
}
