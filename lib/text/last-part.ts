/** Returns what follows the last slash of a path, of the name of an image or of an address; all of it without a slash. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
