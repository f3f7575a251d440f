import { formatProblem } from '../../errors.ts'
import type { Renaming } from '../../journal/environments/renamed-sites.ts'
import { sitesNow } from '../site/site.ts'
import type { World } from '../world.ts'
import { renamingsIn } from './renamed-sites.ts'

/**
 * Hands on what is on record of sites that have other names now, and forgets how sites were that are no longer
 * configured, or whose files cannot be used. What runs there stays. Writes nothing if there is nothing to do. What still
 * ends under one of the names may have more to record: nothing is done about that name, and about those that wait for it,
 * until it is asked again. Returns the names that wait for one another. Fails if names cannot be handed on now: nothing of
 * that has happened then.
 * @param isEnding whether something still ends that records what it did under that name
 */
export function recordGone(
  world: World,
  environment: string,
  isEnding: (site: string) => boolean,
): readonly (readonly string[])[] {
  const { config, journal, engines, log } = world
  const here = new Set(engines.map(({ site }) => site))
  const renamings = () => renamingsIn(journal.servedEngines(environment), sitesNow(world))
  const mayMove = (group: readonly Renaming[]) => !siteNames(group).some(isEnding)
  let groups = renamings()
  if (groups.some(mayMove)) {
    const moved = journal.atOnce(() => {
      // What was done meanwhile, and what else was kept until it could be written, is on record by now.
      const movable = renamings().filter(mayMove)
      for (const group of movable) {
        journal.renameSites(environment, group)
        for (const { from } of group) journal.forgetSite(environment, from)
      }
      return movable.flat()
    })
    groups = renamings()
    for (const { from, to } of moved) log.info(`a site is called ${to} now`, { environment, site: from })
  }
  const waiting = groups.filter(group => !mayMove(group)).map(siteNames)
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

function siteNames(group: readonly Renaming[]): readonly string[] {
  return [...new Set(group.flatMap(({ from, to }) => [from, to]))]
}
