import { isSpelled, type Spellings, spellingsAs } from '../spellings.ts'

/** A site, and which environments may run there; absent: all of them may. */
export type Placing = { readonly name: string; readonly environments?: readonly string[] | undefined }

/** Returns the names of the sites on which both environments may run. */
export function sharedSites(
  sites: readonly Placing[],
  ...both: readonly [Spellings, Spellings]
): readonly string[] {
  const mayRun = (environments: Placing['environments'], spellings: Spellings) =>
    environments?.some(written => isSpelled(spellings, written)) ?? true
  return sites.flatMap(({ name, environments }) =>
    both.every(one => mayRun(environments, one)) ? [name] : [],
  )
}

/** Whether there may be an environment that both sites run. */
export function shareEnvironment(one: Placing, other: Placing): boolean {
  if (one.environments === undefined || other.environments === undefined) return true
  const spelled = other.environments.map(spellingsAs)
  return one.environments.some(written => spelled.some(spellings => isSpelled(spellings, written)))
}
