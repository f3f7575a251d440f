/** Returns the temporary name of a container that has the name of another one, until it gets its own back. */
export function strayName(name: string, id: string): string {
  return `${name}.stray-${id.slice(0, 6)}`
}

/** Whether it is such a name, which belongs to no instance. */
export function isStrayName(engineName: string): boolean {
  return /\.stray-[0-9a-f]{6}$/.test(engineName)
}
