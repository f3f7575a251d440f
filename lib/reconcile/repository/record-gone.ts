import { formatProblem } from '../../errors.ts'
import { sitesNow } from '../site/site.ts'
import type { World } from '../world.ts'
import { renamingsIn } from './renamed-sites.ts'

/**
 * Hands on what is on record of sites that have other names now, and forgets how sites were that are no longer
 * configured, or whose files cannot be used. What runs there stays. Writes nothing if there is nothing to do. What still
 * ends under one of the names may have more to record: nothing is done about that name, and about those that wait for it,
 * until it is asked again. Returns the names that wait for one another.
 * @param isEnding whether something still ends that records what it did under that name
 */
export function recordGone(
  world: World,
  environment: string,
  isEnding: (site: string) => boolean,
): readonly (readonly string[])[] {
  const { config, journal, engines, log } = world
  const here = new Set(engines.map(({ site }) => site))
  const waiting: (readonly string[])[] = []
  for (const renamings of renamingsIn(journal.servedEngines(environment), sitesNow(world))) {
    const names = [...new Set(renamings.flatMap(({ from, to }) => [from, to]))]
    if (names.some(isEnding)) {
      waiting.push(names)
      continue
    }
    journal.insist(() => {
      journal.handOn(environment, renamings)
      for (const { from } of renamings) journal.forgetSite(environment, from)
    })
    for (const { from, to } of renamings) log.info(`a site is called ${to} now`, { environment, site: from })
  }
  const stays = new Set([...here, ...waiting.flat()])
  for (const site of journal.keptSites(environment).filter(name => !stays.has(name) && !isEnding(name))) {
    const problems = config.wrongSites.flatMap(({ name, problems }) => (name === site ? problems : []))
    journal.insist(() => journal.forgetSite(environment, site))
    const why =
      problems.length === 0
        ? 'a site is no longer configured'
        : `the file of a site cannot be used, ${problems.map(formatProblem).join('; ')}`
    log.warn(`${why}: what runs there stays, and is no longer looked after`, { environment, site })
  }
  return waiting
}
