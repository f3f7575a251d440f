import { join } from 'node:path'
import { hintFor, hintToName, type Meant, missingText, targetMeant } from '../../../answers/version/meant.ts'
import { keptVersionBefore } from '../../../answers/version/way-back.ts'
import { Failure } from '../../../errors.ts'
import { openSource } from '../../../git/source.ts'
import type { KeptVersion } from '../../../journal/fleet/kept-versions.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { World } from '../../../reconcile/world.ts'
import type { Goal } from '../../../revert-commit/propose.ts'
import { type EnvironmentPlace, isSource } from '../../../state/identity.ts'
import { isOfDirectory } from '../../../state/repository/revision.ts'
import { knownName } from '../../../text/suggestion/unknown-name.ts'
import type { Session } from '../../session.ts'

/** What a person asks to go back to. */
export type GoalAsked = {
  readonly to: string | undefined
  readonly application: string | undefined
  readonly place: EnvironmentPlace
  /** The version that is wanted now. */
  readonly present: string | undefined
}

/**
 * Returns the commit that is meant. If none is named, it is the version before the one that is wanted now, and never one
 * that somebody went back from. Fails with `version-missing`, or as `targetMeant` does.
 */
export async function goalOf(session: Session, world: World, asked: GoalAsked): Promise<Goal> {
  const { to, application, place, present } = asked
  const { journal } = world
  const environment = nameInJournal(world, place)
  const keptVersions = application === undefined ? [] : journal.keptVersions(environment, application)
  const meant =
    to === undefined
      ? beforePresent(journal, environment, application, present)
      : targetMeant({ journal, environment, keptVersions }, to)
  if (meant === undefined || ('commit' in meant && isOfDirectory(meant.commit))) {
    if (application !== undefined) demandKnown(journal, environment, application)
    throw missing(asked, keptVersions)
  }
  if ('keptVersion' in meant) return { commit: meant.keptVersion.commit, version: meant.keptVersion.version }
  const passed = journal
    .log({ environment, limit: mostPasses })
    .flatMap(({ revision }) => revision?.commit ?? [])
  const all = [...keptVersions.map(({ commit }) => commit), ...passed]
  return { commit: all.find(one => one.startsWith(meant.commit)) ?? (await lookUp(session, meant.commit)) }
}

/** Returns the version before the present one. Fails with `wrong-usage` if it is not said of what. */
function beforePresent(
  journal: Journal,
  environment: string,
  application: string | undefined,
  present = '',
): Meant | undefined {
  if (application === undefined)
    throw new Failure(
      'wrong-usage',
      'a whole environment needs to know where to go back to: --to COMMIT or --to pass:NUMBER',
    )
  demandKnown(journal, environment, application)
  const keptVersion = keptVersionBefore(journal, environment, application, present)
  return keptVersion && { keptVersion }
}

/** Fails with `wrong-usage` if versions are kept, and none of an application with this name. */
function demandKnown(journal: Journal, environment: string, application: string): void {
  const known = journal.allKeptVersions(environment).map(one => one.application)
  if (known.length > 0) knownName('application', application, known)
}

function missing(
  { to, application, place, present }: GoalAsked,
  keptVersions: readonly KeptVersion[],
): Failure {
  const versions = keptVersions.map(({ version }) => version).join(', ')
  const kept = versions === '' ? 'no version of it is kept here' : `these versions are kept: ${versions}`
  return new Failure(
    'version-missing',
    application === undefined
      ? `${place.name}: "${to}" is neither a commit nor a pass over it`
      : `${application}: there is no ${missingText(to, keptVersions, present)}; ${kept}`,
    to === undefined ? hintToName(keptVersions, present) : hintFor(to),
  )
}

/** How many passes are looked through for a commit of which only the beginning is given. */
const mostPasses = 10_000

/** The beginning of a commit is found as far as the repository is known here. */
function lookUp({ config, parts: { journal }, signal }: Session, commit: string): Promise<string> {
  const { verify: _, ...repository } = config.repository
  const storeDir = join(config.stateDir, 'git')
  return openSource({ ...repository, ref: commit }, storeDir, journal.keptCommits).lookUp(signal)
}

/** Returns what the environment is called where things are recorded. */
export function nameInJournal({ journal, source }: World, { name, directory }: EnvironmentPlace): string {
  const repository = { source: source.name, address: source.address }
  const known = journal
    .environments()
    .find(one => one.directory === directory && isSource(one.source, repository))
  return known?.environment ?? name
}
