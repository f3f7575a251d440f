import { join } from 'node:path'
import { releaseBefore } from '../answers/before.ts'
import { commitMeant } from '../answers/meant.ts'
import { Failure } from '../errors.ts'
import { openSource } from '../git/source.ts'
import type { World } from '../reconcile/world.ts'
import type { Goal } from '../revert/propose.ts'
import { type EnvironmentPlace, isSource } from '../state/identity.ts'
import { isOfDirectory } from '../state/repository/revision.ts'
import { knownName } from '../text/unknown-name.ts'
import type { Session } from './session.ts'

/** What a person asks to go back to. */
export type GoalAsked = {
  readonly to: string | undefined
  readonly application: string | undefined
  readonly place: EnvironmentPlace
  /** The version that is wanted now. */
  readonly present: string | undefined
}

/**
 * Returns the commit that is meant: a version goes before a pass, and a pass before a commit. Without one, it is the
 * version before the one that is wanted now, and never one that somebody went back from. Fails with `version-missing`.
 */
export async function goalOf(
  session: Session,
  world: World,
  { to, application, place, present }: GoalAsked,
): Promise<Goal> {
  const { journal } = world
  const environment = nameInJournal(world, place)
  if (to === undefined && application === undefined)
    throw new Failure(
      'wrong-usage',
      'a whole environment needs to know where to go back to: --to COMMIT|PASS',
    )
  const releases = application === undefined ? [] : journal.releases(environment, application)
  if (to === undefined && releases.length === 0 && application !== undefined) {
    const known = journal.allReleases(environment).map(one => one.application)
    if (known.length > 0) knownName('application', application, known)
  }
  const found =
    to === undefined && application !== undefined
      ? releaseBefore(journal, environment, application, present ?? '')
      : releases.find(({ version }) => version === to)
  if (found !== undefined) return { commit: found.commit, version: found.version }
  const meant = to === undefined ? undefined : commitMeant(journal, environment, to)
  if (meant !== undefined && !isOfDirectory(meant)) {
    const passed = journal
      .log({ environment, limit: mostPasses })
      .flatMap(({ revision }) => revision?.commit ?? [])
    const known = [...releases.map(({ commit }) => commit), ...passed].find(one => one.startsWith(meant))
    return { commit: known ?? (await lookUp(session, meant)) }
  }
  const versions = releases.map(({ version }) => version).join(', ')
  const kept = versions === '' ? 'no version of it is kept here' : `these versions are kept: ${versions}`
  const what = application ?? place.name
  throw new Failure(
    'version-missing',
    application === undefined
      ? `${what}: "${to}" is neither a commit nor a pass over it`
      : `${what}: there is no version ${to ?? 'before the present one'}; ${kept}`,
  )
}

/** How many passes are looked through for a commit of which only the beginning is given. */
const mostPasses = 10_000

/** The beginning of a commit is found as far as the repository is known here. */
function lookUp({ config, parts: { journal }, signal }: Session, commit: string): Promise<string> {
  const { verify: _, ...repository } = config.repository
  const storeDir = join(config.stateDir, 'git')
  return openSource({ ...repository, ref: commit }, storeDir, journal.releaseCommits).lookUp(signal)
}

/** Returns what the environment is called where things are recorded. */
export function nameInJournal({ journal, source }: World, { name, directory }: EnvironmentPlace): string {
  const repository = { source: source.name, address: source.address }
  const known = journal
    .environments()
    .find(one => one.directory === directory && isSource(one.source, repository))
  return known?.environment ?? name
}
