import type { Stand } from '../../../fleet/spread/stand.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { optional } from '../../../object.ts'
import { type DeploymentRun, type SiteFailed, unrecorded, type WordGiven } from '../../../state/fleet/run.ts'
import { firstAndMore } from '../../../text/first-and-more.ts'
import { isoText, optionalTime } from '../../../text/time.ts'
import { codeMeaning } from '../../fleet/findings/hold-meaning.ts'
import type { DeploymentStand } from './deployment-stand.ts'
import { isPersonAwaited, reasonOn, type SeenOnSites, whyOf } from './site-reasons.ts'

const noCanaryLeft =
  'none of its sites is a canary any more, and none has tried the version: correct "canary-sites", or bring a canary back'

/**
 * Returns where a deployment stands, by what it waits for.
 * @param asked the id under which a person is asked to let others follow; undefined: nobody is
 */
export function waitOf(
  run: DeploymentRun,
  stand: Stand,
  sites: PlacedSites['sites'],
  seen: SeenOnSites,
  asked?: string,
): DeploymentStand {
  const { wait, proving } = stand
  switch (wait.for) {
    case 'batch':
      return { state: 'progressing', reason: 'the next batch is due' }
    case 'changing':
      return {
        state: 'progressing',
        reason: `waits for ${named(wait.sites)}: what was begun there before comes to its end first`,
        ...sinceOf({}, run),
      }
    case 'sites':
      return {
        state: wait.sites.every(site => isPersonAwaited(site, seen)) ? 'waiting' : 'progressing',
        reason: `waits for ${named(wait.sites.map(site => whyAwaited(site, stand, seen)))}${wait.untilMs === undefined ? '' : '; the deployment fails if that lasts'}`,
        since: isoText(wait.sinceMs),
        ...optionalTime('until', wait.untilMs),
      }
    case 'healthy-time':
      return {
        state: 'proving',
        reason: `${healthyText(stand, sites, seen)}${restartText(proving)}`,
        since: isoText(wait.sinceMs),
        until: isoText(wait.untilMs),
      }
    case 'look':
      return {
        state: 'proving',
        reason: `the healthy time is over, and ${named(wait.sites)} is looked at once more`,
        since: isoText(wait.sinceMs),
      }
    case 'word':
      return {
        state: 'waiting',
        reason: 'the canaries are healthy, and the others follow when a person says so',
        since: isoText(wait.sinceMs),
        ...optional('approve', asked),
      }
    case 'return':
      return {
        state: 'waiting',
        reason: returnText(stand, wait.sites, sites, seen),
        since: isoText(wait.sinceMs),
        ...optional('approve', asked),
      }
    case 'resume':
      return {
        state: 'paused',
        reason: saidText('paused', wait.said),
        since: isoText(wait.said.atMs),
      }
    case 'nothing':
      return {
        state: 'aborted',
        reason: `${saidText('aborted', wait.said)}${pauseText(wait)}`,
        ...isPaused(wait),
        since: isoText(wait.said.atMs),
      }
    case 'correction':
      return {
        state: 'aborted',
        failedOn: wait.failed.site,
        reason: `failed on ${wait.failed.site}${stepText(wait.failed)}: ${wait.failed.reason}${pauseText(wait)}`,
        ...isPaused(wait),
        since: isoText(wait.failed.atMs),
      }
    case 'canaries':
      return {
        state: 'waiting',
        reason:
          wait.sites.length === 0
            ? noCanaryLeft
            : `no canary is ready: ${named(wait.sites.map(site => whyOf(site, seen)))}`,
        ...sinceOf(wait, run),
        ...firstOpening(wait.sites, seen),
        ...optional('approve', asked),
      }
    case 'unready':
      return {
        state: 'waiting',
        reason: `${wait.sites.length < sites.length ? 'all sites have it but' : 'waits for'} ${named(wait.sites.map(site => whyOf(site, seen)))}`,
        ...sinceOf(wait, run),
        ...firstOpening(wait.sites, seen),
      }
    case 'done':
      return wait.untilMs === undefined
        ? { state: 'done', reason: doneText(sites) }
        : {
            state: 'proving',
            reason: `all sites have it${restartText(proving)}`,
            ...sinceOf(wait),
            until: isoText(wait.untilMs),
          }
  }
}

/**
 * Says of a deployment that sites which have its version are to get another content of it, and which do not yet (A11).
 * What it waits for anyway is not said again.
 */
export function withChanging(
  told: DeploymentStand,
  atOnce: string,
  changing: readonly string[],
  { wait }: Stand,
  seen: SeenOnSites,
): DeploymentStand {
  if (changing.length === 0) return told
  const awaited = new Set('sites' in wait ? wait.sites : [])
  if (changing.every(site => awaited.has(site))) return { ...told, reason: `${told.reason}; ${atOnce}` }
  const waits = `waits for ${named(changing.map(site => whyOf(site, seen)))}`
  switch (told.state) {
    case 'done': {
      const isGoing = changing.some(
        site => reasonOn(site, seen).code === undefined && !isPersonAwaited(site, seen),
      )
      return { state: isGoing ? 'progressing' : 'waiting', reason: `${atOnce}: ${waits}` }
    }
    case 'paused':
      return { ...told, reason: `${told.reason}; once it goes on, ${atOnce}` }
    default:
      return { ...told, reason: `${told.reason}; ${atOnce}: ${waits}` }
  }
}

/** What is found once more on a site that had reached the version, by why that is needed. */
const againTexts = {
  failure: 'has to be found healthy again',
  silence: 'answers again, and has to be found healthy',
  stop: 'did not run, and has to be found healthy again',
} as const

/**
 * Returns the name of a site that is on its way, and what it waits for there. What failed before a person said to go on
 * is tried again: if it failed once more, the deployment would have ended.
 */
function whyAwaited(site: string, { recheck }: Stand, seen: SeenOnSites): string {
  const again = recheck.get(site)
  if (codeMeaning(reasonOn(site, seen).code) === 'failure') return `${site} (is tried again)`
  const said = whyOf(site, seen)
  if (said !== site) return said
  return `${site} (${again === undefined ? 'gets the version, and has to be found healthy with it' : againTexts[again]})`
}

/** Returns when the first of these sites goes on by itself; nothing if none does. */
export function firstOpening(sites: readonly string[], { on }: SeenOnSites): Pick<DeploymentStand, 'until'> {
  const [first] = sites.flatMap(site => on.get(site)?.until ?? []).sort()
  return optional('until', first)
}

/** `run`: if nothing has happened in it yet, it has waited since it began. */
function sinceOf(
  { sinceMs }: { readonly sinceMs?: number },
  run?: DeploymentRun,
): Pick<DeploymentStand, 'since'> {
  const begunMs = run === undefined || run.id === unrecorded ? undefined : run.atMs
  return optionalTime('since', sinceMs ?? begunMs)
}

/** Nothing is to come, which needs a reason only if nothing ever was. */
export function doneText({ length }: PlacedSites['sites']): string {
  return length === 0 ? 'means no site' : ''
}

/** Which sites prove the version now, and what comes of it. */
function healthyText(
  { reached, lost, batches }: Stand,
  sites: PlacedSites['sites'],
  seen: SeenOnSites,
): string {
  const members = new Set(sites)
  const isThere = (site: string) => reached.has(site) && !lost.has(site)
  const absent = (batches.at(-1)?.sites ?? []).filter(site => members.has(site) && !isThere(site))
  const isAll = absent.length === 0
  const who = isAll ? 'the last batch is healthy' : 'the sites of the last batch that have it are healthy'
  const next = `, and the next one follows if ${isAll ? 'it stays' : 'they stay'} so`
  const without = isAll ? '' : `; not among them: ${named(absent.map(site => whyOf(site, seen)))}`
  return `${who}${sites.every(site => reached.has(site)) ? '' : next}${without}`
}

/** What has to happen where nobody can tell how the version does, and where. */
function returnText(
  { batches, reached }: Stand,
  awaited: readonly string[],
  sites: PlacedSites['sites'],
  seen: SeenOnSites,
): string {
  const unless = 'unless a person lets the others follow'
  if (!awaited.some(site => sites.includes(site)))
    return `no site is left that proves the last batch, so none follows until one is back, ${unless}: ${named(awaited)} (not among the sites any more, or a wrong file: see "tallyman sites")`
  const where = named(awaited.map(site => whyOf(site, seen)))
  if (batches.at(-1)?.isCanary === true && awaited.some(site => reached.has(site)))
    return `the healthy time begins anew once all canaries answer, ${unless}: ${where}`
  return `nobody has seen the last batch healthy, so none follows until a site of it is back, ${unless}: ${where}`
}

/** Why the healthy time ends later than one would think. */
function restartText(proving: Stand['proving']): string {
  const restarted = [...proving].filter(([, { isRestarted }]) => isRestarted).map(([site]) => site)
  return restarted.length === 0
    ? ''
    : `; its time began anew, because it was started again on ${named(restarted)}`
}

function stepText({ step }: SiteFailed): string {
  return step === undefined ? '' : `, on the way by ${step}`
}

function isPaused({ paused }: { readonly paused?: WordGiven }): { readonly isPaused?: true } {
  return paused === undefined ? {} : { isPaused: true }
}

function pauseText({ paused }: { readonly paused?: WordGiven }): string {
  return paused === undefined ? '' : `; paused by ${paused.who}, so that no other version begins`
}

function saidText(
  what: string,
  { who, message }: { readonly who: string; readonly message?: string },
): string {
  return `${what} by ${who}${message === undefined ? '' : `: ${message}`}`
}

/** The most names in one reason. */
const mostNames = 3

export function named(names: readonly string[]): string {
  return firstAndMore(names, mostNames)
}
