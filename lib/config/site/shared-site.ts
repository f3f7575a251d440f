import { isSpelled, type Spellings, spellingsAs } from '../spellings.ts'

/** A site, and which environments may run there; absent: all of them may. */
export type Placing = { readonly name: string; readonly environments?: readonly string[] | undefined }

/** Returns the name of a site on which both environments run. */
export function sharedSite(
  sites: readonly Placing[],
  ...both: readonly [Spellings, Spellings]
): string | undefined {
  const mayRun = (environments: Placing['environments'], spellings: Spellings) =>
    environments?.some(written => isSpelled(spellings, written)) ?? true
  return sites.find(({ environments }) => both.every(one => mayRun(environments, one)))?.name
}

/** Whether there may be an environment that both sites run. */
export function shareEnvironment(one: Placing, other: Placing): boolean {
  if (one.environments === undefined || other.environments === undefined) return true
  const spelled = other.environments.map(spellingsAs)
  return one.environments.some(written => spelled.some(spellings => isSpelled(spellings, written)))
}
