import { Failure } from '../errors.ts'
import type { HeldVersion } from '../journal/fleet/held-versions.ts'
import type { Release } from '../journal/fleet/releases.ts'
import type { Journal } from '../journal/journal.ts'
import { optional } from '../object.ts'
import { applicationOf, subjectOf } from './names.ts'
import type { RollbackRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience } from './subject.ts'

export type RolledBack = {
  readonly environment: string
  readonly application: string
  /** The version at which it is held from now on, and the commit that says how it is. */
  readonly version: string
  readonly commit: string
  /** What held it before. */
  readonly replaced?: Pick<HeldVersion, 'version' | 'reason' | 'who'>
}

/**
 * Holds an application at a kept version, whatever newer commits want, until somebody resumes it. The next pass plans
 * it like everything else. Needs neither the git server nor the registry. Fails with `version-missing` if that version
 * is not kept.
 */
export async function rollback(
  audience: Audience,
  speaker: Speaker,
  given: RollbackRequest,
): Promise<RolledBack> {
  demandRight(speaker, 'rollback')
  const { journal, nowMs } = audience
  const { who, via } = speaker
  const { to, reason = '' } = given
  const subject = await subjectOf(audience, given.environment)
  const application = await applicationOf(audience, subject, given.application)
  if (application === undefined) throw new Failure('wrong-usage', 'rollback needs the name of an application')
  const environment = subject.name()
  const atMs = nowMs()
  const said = journal.atOnce(() => {
    const held = journal.heldVersions(environment).find(one => one.application === application)
    const { version, commit } = chosenOf(journal, { environment, application, to, held })
    journal.holdVersion({ environment, application, version, commit, reason, who, atMs })
    const message = `to version ${version}${reason === '' ? '' : `: ${reason}`}`
    journal.recordAnswer({ environment, verb: 'rollback', about: application, who, via, message, atMs })
    const replaced = held && { version: held.version, reason: held.reason, who: held.who }
    return { environment, application, version, commit, ...optional('replaced', replaced) }
  })
  subject.request()
  return said
}

/** What somebody asks to go back to. */
type Wish = {
  readonly environment: string
  readonly application: string
  readonly to: string | undefined
  readonly held: HeldVersion | undefined
}

function chosenOf(journal: Journal, wish: Wish): Release {
  const { environment, application, to } = wish
  const releases = journal.releases(environment, application)
  const found = to === undefined ? beforePresent(releases, wish) : meantBy(journal, releases, to)
  if (found !== undefined) return found
  const versions = releases.map(({ version }) => version).join(', ')
  const kept = versions === '' ? 'no version of it is kept' : `these versions are kept: ${versions}`
  throw new Failure(
    'version-missing',
    `${application}: there is no version ${to ?? 'before the present one'}; ${kept}`,
  )
}

/** The newest kept version is the one that the newest commit has, unless the application is held at another. */
function beforePresent(releases: readonly Release[], { held }: Wish): Release | undefined {
  const at = releases.findIndex(({ version }) => version === held?.version)
  return releases[Math.max(at, 0) + 1]
}

/** A version goes before a pass, and a pass before a commit. */
function meantBy(journal: Journal, releases: readonly Release[], to: string): Release | undefined {
  const ofVersion = releases.find(({ version }) => version === to)
  if (ofVersion !== undefined) return ofVersion
  const commit = /^\d{1,9}$/.test(to) ? journal.show(Number(to))?.revision?.commit : undefined
  const wanted = commit ?? (/^[0-9a-f]{7,40}$/.test(to) ? to : undefined)
  return wanted === undefined ? undefined : releases.find(one => one.commit.startsWith(wanted))
}
