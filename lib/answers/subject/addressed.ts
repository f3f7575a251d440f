import { Failure } from '../../errors.ts'
import type { AnswerVerb } from '../../journal/decisions/answers.ts'
import { optional } from '../../object.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { onceForSites } from '../../text/sites/once-for-sites.ts'
import { withoutSite } from '../../text/sites/without-site.ts'
import type { LeftOut } from './asked.ts'
import { deploymentMeant, deploymentsOf } from './deployments.ts'
import { applicationsOf, subjectOf } from './names.ts'
import { demandRight, type Right, type Speaker } from './speaker.ts'
import type { Audience, Subject } from './subject.ts'

/** What somebody says something about. */
export type About = {
  /** Absent: the only one, or the only one that has what is spoken about. */
  readonly environment?: string
  readonly application?: string
  /** Its name, or the name of its application. */
  readonly deployment?: string
  /** Absent: all of them. */
  readonly site?: string | readonly string[]
}

/** The environment that somebody speaks about, and those of its sites on which what is said has no effect. */
export type Addressed = { readonly subject: Subject; readonly left: readonly LeftOut[] }

/**
 * Everything that is said of one environment comes in here: whoever says it has to be allowed to, and this process has to
 * be the writer on at least one of the sites that are meant, because the one that writes instead never learns of it (D17).
 * That is judged before whether there is what is meant: who only observes may not know it. Fails with `control-forbidden`,
 * with `another-writer`, and as `subjectOf` does.
 */
export async function addressed(
  audience: Audience,
  speaker: Speaker,
  verb: AnswerVerb,
  about: About,
): Promise<Addressed> {
  demandRight(speaker, verb)
  const subject = await subjectOf(audience, about.environment, one => isIn(audience, one, about))
  const sites = sitesMeant(audience, subject, about)
  await lookForWriter(subject, sites)
  if (!isHeard(subject, sites)) throw unheard(subject, sites)
  return { subject, left: leftOut(subject, sites) }
}

/**
 * The same for what may be about several environments: an answer to a plan, which may be one of any, and the request for
 * passes. Returns those that this process writes on one site at least, and the sites of all that another one writes.
 * Fails with `another-writer` if it writes none.
 */
export async function addressedAmong(
  audience: Audience,
  speaker: Speaker,
  right: Right,
  { environment }: Pick<About, 'environment'>,
): Promise<{ readonly subjects: readonly Subject[]; readonly left: readonly LeftOut[] }> {
  demandRight(speaker, right)
  const subjects = environment === undefined ? audience.subjects : [await subjectOf(audience, environment)]
  await Promise.all(subjects.map(subject => lookForWriter(subject, subject.sites())))
  const heard = subjects.filter(subject => isHeard(subject, subject.sites()))
  const [first] = subjects
  if (heard.length === 0 && first !== undefined) throw unheard(first, first.sites())
  return { subjects: heard, left: subjects.flatMap(subject => leftOut(subject, subject.sites())) }
}

/** What is known of who writes on the sites of an environment. */
type WhoWrites = Pick<Subject, 'sites' | 'rivals' | 'unasked'>

/**
 * Whether this process may be the writer on one of these sites. Where no site says who writes there, nobody else is known
 * to; but if others write on all sites of the environment that say so, this process only observes them.
 */
export function isHeard(subject: WhoWrites, sites: readonly string[]): boolean {
  const [rivals, unasked] = [subject.rivals(), subject.unasked()]
  const isOurs = (site: string) => !rivals.has(site) && !unasked.has(site)
  if (sites.length === 0 || sites.some(isOurs)) return true
  return sites.some(site => !rivals.has(site)) && (rivals.size === 0 || subject.sites().some(isOurs))
}

/** Shorter than the time that a command waits for the answer. */
const limitMs = 8_000

/** The one that writes on all of these sites may have ended since the last pass. */
async function lookForWriter(subject: Subject, sites: readonly string[]): Promise<void> {
  if (isHeard(subject, sites)) return
  await subject.look(limitMs, () => isHeard(subject, sites) && leftOut(subject, sites).length === 0)
}

/** Returns those of some sites on which another process writes. */
export function leftOut(subject: Subject, sites: readonly string[]): readonly LeftOut[] {
  const rivals = subject.rivals()
  return sites.flatMap(site => {
    const reason = rivals.get(site)?.message
    return reason === undefined ? [] : [{ site, reason: withoutSite(reason, site) }]
  })
}

/** The most writers that one message names. */
const mostNamed = 3

/**
 * Returns the failure for what is about these sites only, on which another process writes: where it does of these, or
 * else where it does at all.
 */
export function unheard(subject: WhoWrites, sites: readonly string[]): Failure {
  const all = subject.rivals()
  const meant = sites.some(site => all.has(site)) ? sites : subject.sites()
  const rivals = meant.flatMap(site => {
    const rival = all.get(site)
    return rival === undefined ? [] : [{ site, message: rival.message, hint: rival.hint }]
  })
  const messages = onceForSites(rivals).map(({ message }) => message)
  return new Failure('another-writer', firstAndMore(messages, mostNamed, '; '), {
    ...optional('hint', rivals[0]?.hint),
  })
}

/** Whether an environment has the deployment or the application that is spoken about. */
function isIn(audience: Audience, subject: Subject, { application = '', deployment }: About): boolean {
  const named = deployment ?? application
  if (named === '') return false
  if (deploymentMeant(deploymentsOf(audience, subject.name()), named) !== undefined) return true
  return deployment === undefined && applicationsOf(audience, subject).includes(named)
}

/** An application without a deployment is for all sites, and so is a name that nobody knows. */
function sitesMeant(
  audience: Audience,
  subject: Subject,
  { application, deployment, site }: About,
): readonly string[] {
  if (site !== undefined) return [site].flat()
  const environment = subject.name()
  const all = deploymentsOf(audience, environment)
  const { name } =
    (deployment === undefined
      ? deploymentMeant(all, application, subject.applications())
      : deploymentMeant(all, deployment)) ?? {}
  const placed = name === undefined ? undefined : audience.journal.placements(environment).get(name)
  const here = subject.sites()
  const members = placed && new Set(placed.sites)
  const meant = here.filter(one => members?.has(one) ?? true)
  return meant.length === 0 ? here : meant
}
