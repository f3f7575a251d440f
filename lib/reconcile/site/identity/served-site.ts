import type { ServedAs } from '../../../journal/environments/served-engines.ts'

/** A site of the environment, in the order of the configuration, and how it is reached. */
type Configured = { readonly name: string; readonly endpoint?: string }

/**
 * Returns as which site an engine is served that several sites may lead to: as the one that it was served as before, so
 * that another name for it changes nothing; or else as the first one (G17, D17). A site that does not answer where it was
 * served still is that engine, as far as anybody knows. Pure.
 * @param met the sites that turned out to be this engine
 * @param isMet whether the engine of a site is known
 */
export function servedSite(
  sites: readonly Configured[],
  met: ReadonlySet<string>,
  before: ServedAs | undefined,
  isMet: (site: string) => boolean,
): string | undefined {
  const last = sites.find(({ name }) => name === before?.site)
  const isStill = last !== undefined && !isMet(last.name) && (last.endpoint ?? '') === before?.endpoint
  if (last !== undefined && (met.has(last.name) || isStill)) return last.name
  return sites.find(({ name }) => met.has(name))?.name
}
