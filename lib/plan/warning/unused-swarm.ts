import { catalogue } from '../../errors/catalogue.ts'
import { formatProblem, type Problem } from '../../errors.ts'

/**
 * Returns what is to be said of a site whose engine manages a Swarm, where the configuration does not say what the site
 * is. It stays one host: what runs there must not change its meaning by what somebody did on the engine. Pure.
 */
export function unusedSwarm(site: string): Problem {
  const message = `${site}: the engine manages a Swarm, and is taken for one host: nothing is done on the Swarm`
  return { code: 'swarm-unused', message }
}

/** Returns the same of sites for people, and what to do about it. */
export function unusedSwarmWords(sites: string): readonly [said: string, hint: string] {
  const problem = unusedSwarm(sites)
  return [formatProblem(problem), catalogue[problem.code].hint]
}
