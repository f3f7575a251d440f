/**
 * Returns how files import themselves through others, each circle once, as a chain that ends where it began.
 * @param imports what each file imports; files that are no key import nothing
 */
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const found: string[] = []
  const follow = (file: string, chain: readonly string[]): void => {
    const at = chain.indexOf(file)
    if (at >= 0) found.push([...chain.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) follow(next, [...chain, file])
    done.add(file)
  }
  for (const file of imports.keys()) follow(file, [])
  return found
}
