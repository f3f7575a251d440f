/** What a container of ours is called that bears the name of another one, until it gets its own back. */
export function strayName(name: string, id: string): string {
  return `${name}.stray-${id.slice(0, 6)}`
}
