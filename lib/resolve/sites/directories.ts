import { posix } from 'node:path'
import { type Problem, upTo } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { PlacingSites } from '../../spec/claims/whereabouts.ts'
import { isNearly } from '../../state/repository/layout.ts'
import type { Entry, Snapshot } from '../../state/repository/snapshot.ts'
import { guessing } from '../../text/suggestion/guess.ts'

/** The sites of the operator, as an environment sees them. */
export type KnownSites = PlacingSites & {
  /** Those of `here` that are Swarms; absent: none. */
  readonly swarms?: ReadonlySet<string>
  /** The names of all others. */
  readonly elsewhere: ReadonlySet<string>
  /** What is for none of the first is read too: somebody looks for all mistakes. */
  readonly areAllRead?: true
}

/** What stands under the name of a site in `sites/`. It need not be a directory. */
export type SiteDirectory = Pick<Entry, 'kind'> & { readonly site: string; readonly directory: string }

/**
 * Returns what an environment holds for single sites (A70), and warnings about what is for no site that runs it. Fails
 * as a snapshot does if something else is in place of `sites/`, because then it is unknown which sites differ.
 * @param known absent: nobody knows, and every directory is taken for that of a site
 */
export async function siteDirectories(
  snapshot: Snapshot,
  environmentDirectory: string,
  known?: KnownSites,
): Promise<{ readonly directories: readonly SiteDirectory[]; readonly warnings: readonly Problem[] }> {
  const parent = posix.join(environmentDirectory, 'sites')
  const beside = await snapshot.list(environmentDirectory)
  const entries = beside.some(({ name }) => name === 'sites') ? await snapshot.list(parent) : []
  const placed = entries.map(({ name, kind }) => ({ site: name, kind, directory: posix.join(parent, name) }))
  const isHere = ({ site }: SiteDirectory) => known?.here.has(site) === true
  const others = placed.filter(one => one.kind !== 'file' && !isHere(one))
  const strangers = known === undefined ? [] : strangersOf(others, known)
  const isAnyRead = known === undefined || known.areAllRead === true
  return {
    directories: placed.filter(one => isHere(one) || (isAnyRead && one.kind !== 'file')),
    warnings: [...misspelled(environmentDirectory, beside), ...upTo(strangers, limits.problemsOfFile)],
  }
}

function strangersOf(others: readonly SiteDirectory[], { here, elsewhere }: KnownSites): readonly Problem[] {
  const guess = guessing(() => [...here.keys(), ...elsewhere])
  return others.map(({ site, directory: file }) => {
    const meant = guess(site)
    const message = elsewhere.has(site)
      ? `has no effect, because the site "${site}" does not run this environment`
      : `has no effect, because no site is named "${site}"${meant}`
    return { code: 'site-misnamed', message, position: { file } }
  })
}

function misspelled(parent: string, entries: readonly Entry[]): readonly Problem[] {
  const hasOne = entries.some(({ name }) => name === 'sites')
  return entries
    .filter(({ name, kind }) => kind === 'directory' && isNearly(name, 'sites'))
    .filter(({ name }) => !hasOne || name.toLowerCase() === 'sites')
    .map(({ name }) => ({
      code: 'site-misnamed',
      message: 'is not looked into: what single sites get stands in a directory named sites',
      position: { file: posix.join(parent, name) },
    }))
}
