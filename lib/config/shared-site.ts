import { posix } from 'node:path'
import { asDirectory } from '../state/identity.ts'

/** A site, and which environments may run there; absent: all of them may. */
export type Placing = { readonly name: string; readonly environments?: readonly string[] | undefined }

/**
 * Returns the name of a site on which both environments run. A site may list an environment by its directory, which
 * ends in the environment's name.
 */
export function sharedSite(
  sites: readonly Placing[],
  ...names: readonly [string, string]
): string | undefined {
  const mayRun = (environments: Placing['environments'], name: string) =>
    environments?.some(written => nameIn(written) === nameIn(name)) ?? true
  return sites.find(({ environments }) => names.every(name => mayRun(environments, name)))?.name
}

/** Whether there may be an environment that both sites run. */
export function shareEnvironment(one: Placing, other: Placing): boolean {
  if (one.environments === undefined || other.environments === undefined) return true
  const names = new Set(other.environments.map(nameIn))
  return one.environments.some(written => names.has(nameIn(written)))
}

function nameIn(written: string): string {
  return posix.basename(asDirectory(written))
}
