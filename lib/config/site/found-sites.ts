import type { Problem } from '../../errors.ts'
import { shareEnvironment } from './shared-site.ts'
import type { SiteFile, SiteFiles } from './site-files.ts'
import { engineOf } from './site-list.ts'
import type { Site } from './sites.ts'

/** A file of a site that cannot be used; without a name: the directory itself, so that no file is known. */
export type WrongSite = { readonly name?: string; readonly problems: readonly Problem[] }

/** The sites of the configuration, and the files that cannot be used. */
export type FoundSites = { readonly sites: readonly Site[]; readonly wrongSites: readonly WrongSite[] }

/**
 * Puts the sites of the list and those of files together. Of two files with one name, in whatever case, or with one
 * engine, neither is used, because nobody can tell which is meant. The list takes precedence over files, which must
 * not change what the configuration says itself.
 */
export function foundSites(listed: readonly Site[], { files, problem }: SiteFiles): FoundSites {
  const named = Map.groupBy(
    [...listed.map(site => ({ name: site.name, place: 'sites in the configuration' })), ...files.map(placed)],
    ({ name }) => name.toLowerCase(),
  )
  const right = files.flatMap(found => ('site' in found ? [found] : []))
  const engines = Map.groupBy(
    [...listed.map(site => ({ site, place: 'sites in the configuration' })), ...right.map(placed)],
    ({ site }) => engineOf(site),
  )
  const judged = files.map(found => {
    const { file, name } = found
    const twin = named.get(name.toLowerCase())?.find(({ place }) => place !== file)
    if (!('site' in found)) return { ...found, problems: [...found.problems, ...problemsOf(found, twin)] }
    const rival = engines
      .get(engineOf(found.site))
      ?.find(({ site, place }) => place !== file && shareEnvironment(site, found.site))
    const problems = problemsOf(found, twin, rival)
    return problems.length === 0 ? found : { name, problems }
  })
  return {
    sites: [...listed, ...judged.flatMap(one => ('site' in one ? [one.site] : []))],
    wrongSites: [
      ...(problem === undefined ? [] : [{ problems: [problem] }]),
      ...judged.flatMap(one => ('problems' in one ? [{ name: one.name, problems: one.problems }] : [])),
    ],
  }
}

function problemsOf(
  { file, name }: SiteFile,
  twin: { readonly name: string; readonly place: string } | undefined,
  rival?: { readonly site: Site; readonly place: string },
): readonly Problem[] {
  if (twin !== undefined)
    return [problemIn(file, `"${name}" is the name of two sites: ${twin.name} in ${twin.place}`)]
  if (rival === undefined) return []
  return [problemIn(file, `is the same engine as the site ${rival.site.name} in ${rival.place}`)]
}

function placed<T extends SiteFile>(found: T): T & { readonly place: string } {
  return { ...found, place: found.file }
}

function problemIn(file: string, message: string): Problem {
  const hint = 'Keep one of the two, or give the other one another name and the endpoint of another engine.'
  return { code: 'config-invalid', message, position: { file }, hint }
}
