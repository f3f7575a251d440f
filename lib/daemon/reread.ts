import type { FoundSites } from '../config/site/found-sites.ts'
import type { Config } from '../config.ts'
import { type Failure, formatProblem, InvalidInput, type Problem, toFailure } from '../errors.ts'
import type { Log } from '../log.ts'
import { defaultSite } from '../state/site.ts'
import { disconnects, type SiteNews, withLastGood } from './connected-sites.ts'

/** The parts of a process whose sites change. */
type Changing = { readonly config: Config; adopt(found: FoundSites): SiteNews }

/**
 * Returns what reads the configuration again and takes over its sites. What is wrong leaves the site, or all of them,
 * as they were, and is logged once. `onNews` is called if a site came, changed or went.
 *
 * It returns whether what was read counts. That a site went, or has another engine, counts once it is read twice: files
 * that are being replaced can be missed by whoever lists them, and with its site a daemon would give up its claim.
 */
export function createReread(
  parts: Changing,
  reread: () => Config,
  log: Log,
  onNews: () => void,
): () => boolean {
  let told = problemsOf(parts.config)
  let others = withoutSites(parts.config)
  let doubted: string | undefined
  return () => {
    const now = found(parts.config, reread)
    const text = textOf(now)
    if (text !== doubted && disconnects(parts.config, now)) {
      doubted = text
      return false
    }
    doubted = undefined
    const news = parts.adopt(now)
    const problems = problemsOf(parts.config)
    for (const problem of problems.filter(one => !told.includes(one)))
      log.error(`the configuration of sites is wrong, and stays as it was: ${problem}`)
    if (problems.length === 0 && told.length > 0) log.info('the configuration of sites is right again')
    told = problems
    if (isNothing(news)) return true
    log.info('the sites changed', { ...news })
    onNews()
    return true
  }

  function found(before: Config, read: () => Config): FoundSites {
    try {
      const now = read()
      if (losesAllSites(before, now))
        return { sites: before.sites, wrongSites: [{ problems: [sitesGone(now)] }, ...now.wrongSites] }
      if (others !== withoutSites(now))
        log.warn('what changed in the configuration besides sites takes effect at the next start')
      others = withoutSites(now)
      return now
    } catch (error) {
      const failure = toFailure(error)
      const problems = failure instanceof InvalidInput ? failure.problems : [problemOf(failure)]
      return { sites: before.sites, wrongSites: [{ problems }] }
    }
  }
}

/** Whether the engine of this machine is the only one, as where no site is named. */
function hasUsualSite({ sites: [only, ...others] }: Config): boolean {
  return others.length === 0 && only?.name === defaultSite && only.endpoint === undefined
}

/** Whether a daemon would be left without the sites that it has. */
function losesAllSites(before: Config, now: Config): boolean {
  if (now.namesNoSite === true) return !hasUsualSite(before)
  return before.sites.length > 0 && withLastGood(before, now).length === 0
}

/**
 * A file that lost its sites, half written perhaps, does not send a daemon to the engine of this machine, and a
 * directory that is empty for now, such as one that is not mounted, takes no site away (G4).
 */
function sitesGone({ origin, sitesDirectory }: Config): Problem {
  const file = sitesDirectory ?? origin.file
  const hint =
    sitesDirectory === undefined
      ? 'Write them again. If the engine of this machine is meant, name it: "sites: [{name: local}]".'
      : 'Put their files back. If no site is meant to be left, stop the daemon.'
  return {
    code: 'config-invalid',
    message: 'the configuration names no sites any more',
    hint,
    ...(file === undefined ? {} : { position: { file } }),
  }
}

function problemOf({ code, message, hint }: Failure) {
  return { code, message, hint }
}

function problemsOf({ wrongSites }: Config): readonly string[] {
  return wrongSites.flatMap(({ problems }) => problems.map(formatProblem))
}

/** Returns a text that changes with everything that a running daemon does not take over. */
function withoutSites({ sites: _, wrongSites: __, namesNoSite: ___, ...others }: Config): string {
  return JSON.stringify(others)
}

function textOf({ sites, wrongSites }: FoundSites): string {
  return JSON.stringify([sites, wrongSites])
}

function isNothing({ added, changed, removed }: SiteNews): boolean {
  return added.length + changed.length + removed.length === 0
}
