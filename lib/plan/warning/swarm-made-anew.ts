import { catalogue } from '../../errors/catalogue.ts'
import { formatProblem, type Problem } from '../../errors.ts'

/** Returns what is to be said of a site that is another Swarm than the one on which something ran. Pure. */
export function swarmMadeAnew(site: string): Problem {
  const message = `${site}: this is another Swarm than before: what ran on the former is gone with it`
  return { code: 'swarm-made-anew', message }
}

/** Returns the same of a site for people, and what to do about it. */
export function swarmMadeAnewWords(site: string): readonly [said: string, hint: string] {
  const problem = swarmMadeAnew(site)
  return [formatProblem(problem), catalogue[problem.code].hint]
}
