import { brief } from '../../../plan/text/brief.ts'
import { alikeAmong, type SameReading, sitesAmong, sitesInWords } from '../../../plan/text/by-site.ts'
import { swarmMadeAnewWords } from '../../../plan/warning/swarm-made-anew.ts'
import { unusedSwarmWords } from '../../../plan/warning/unused-swarm.ts'
import type { StatusDocument } from '../../../reconcile/status/status-document.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import { knownSites, siteOfError } from './on-sites.ts'

/**
 * Returns the errors of an environment. `isSummary`: those that read the same on several sites but for the name of the
 * site are told once, with the words of the first.
 */
export function errorLines(environment: StatusDocument, isSummary: boolean): readonly string[] {
  const { unread, revision, errors } = environment
  const why = revision === undefined ? 'cannot be used' : 'is not the one that counts'
  const newest = unread === undefined ? [] : [`  the newest commit, ${shortCommit(unread)}, ${why}:`]
  const sites = knownSites(environment)
  const all = errors.map(error => ({ ...error, site: siteOfError(error, sites) ?? '' }))
  return [
    ...newest,
    ...alikeTroubles(all, isSummary, environment.sites).flatMap(alike => {
      const [{ code, message, hint }] = alike
      return [`  ${brief(message)} (${code})`, ...whereLine(alike), `    hint: ${hint}`]
    }),
  ]
}

/** Returns the sites that do not answer, and why. `isSummary`: as for `errorLines`. */
export function unreachableLines(
  { unreachable = [], sites }: StatusDocument,
  isSummary: boolean,
): readonly string[] {
  return alikeTroubles(unreachable, isSummary, sites).flatMap(alike => {
    const [{ code, message, hint }] = alike
    const since = earliest(alike.map(one => one.since))
    const next = earliest(alike.map(one => one.next))
    const is = alike.length === 1 ? 'is unreachable since' : 'are unreachable, the first since'
    return [
      `  ${sitesInWords(sitesAmong(alike))} ${is} ${since}${next === undefined ? '' : `, next try ${next}`}`,
      `    ${brief(message)} (${code})`,
      `    hint: ${hint}`,
    ]
  })
}

/** Returns whose files cannot be used, and why. Without a name it is the directory or the configuration itself. */
export function wrongFileLines({ sites = [] }: Pick<StatusDocument, 'sites'>): readonly string[] {
  return sites.flatMap(({ name, state, problems = [] }) => {
    if (problems.length === 0) return []
    const what = name === '' ? 'the configuration of sites' : `the file of the site ${name}`
    const then =
      name === ''
        ? 'sites that were there stay as they were'
        : state === 'wrong'
          ? 'what runs there stays, and is not looked after'
          : 'the site stays as it was'
    return [`  ${what} cannot be used: ${then}`, ...problems.map(problem => `    ${brief(problem)}`)]
  })
}

/** Returns which sites manage a Swarm of which the configuration does not say whether it is used. */
export function unusedSwarmLines({ sites = [] }: StatusDocument): readonly string[] {
  const unused = sites.filter(({ managesSwarm }) => managesSwarm === true)
  if (unused.length === 0) return []
  const [said, hint] = unusedSwarmWords(sitesInWords(unused.map(({ name }) => name)))
  return [`  ${said}`, `    hint: ${hint}`]
}

/** Returns which sites are another Swarm than the one on which something ran, and nothing runs there yet. */
export function swarmMadeAnewLines({ swarmsMadeAnew = [] }: StatusDocument): readonly string[] {
  if (swarmsMadeAnew.length === 0) return []
  const [said, hint] = swarmMadeAnewWords(sitesInWords(swarmsMadeAnew.map(({ site }) => site)))
  return [`  ${said}`, `    hint: ${hint}`]
}

/** Says where the same went wrong; nothing if that is only one site, which the message names. */
export function whereLine(alike: readonly Trouble[]): readonly string[] {
  const where = sitesAmong(alike).filter(site => site !== '')
  return where.length > 1 ? [`    on ${sitesInWords(where)}`] : []
}

/** Returns the earliest of times in ISO 8601. */
export function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter(time => time !== undefined).sort()[0]
}

type Trouble = {
  readonly site: string
  readonly code: string
  readonly message: string
  readonly hint: string
}

/**
 * Returns what went wrong on sites, in groups that are told once. On one site that is what reads the same. `isSummary`:
 * what reads the same but for the name and the host of its site is one group.
 */
export function alikeTroubles<One extends Trouble>(
  all: readonly One[],
  isSummary: boolean,
  sites: StatusDocument['sites'] = [],
): readonly SameReading<One>[] {
  // Each application that one mistake blocks has it as an error of its own.
  if (!isSummary) return alikeAmong(all, ({ site, code, message, hint }) => [site, code, message, hint])
  const hosts = new Map(sites.map(({ name, endpoint = '' }) => [name, hostOf(endpoint)]))
  return alikeAmong(all, ({ site, code, message, hint }) => {
    const nameless = (text: string) => withoutNames(text, site, hosts.get(site) ?? '')
    return [code, nameless(message), nameless(hint)]
  })
}

function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : ''
}

/** Only what is said of a site is compared, and not what it is called. */
function withoutNames(text: string, site: string, host: string): string {
  const hostless = host === '' ? text : text.replaceAll(host, '…')
  return hostless.replaceAll(/[\w-]+/g, word => (word === site ? '…' : word))
}
