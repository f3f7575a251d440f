import { timeOfDayMs } from '../../clock.ts'
import { openEngines } from '../../daemon.ts'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import { unusableSites } from '../../reconcile/status/site/site-document.ts'
import type { LogSpan } from '../../state/running/logged.ts'
import { knownSite } from '../../text/suggestion/unknown-name.ts'
import { optionalTime } from '../../text/time.ts'
import { repositoryOf } from '../configured-repository.ts'
import { exitCode } from '../exit.ts'
import { createSink } from '../logs/log-sink.ts'
import { ownedBy } from '../logs/log-sites.ts'
import { readLogs } from '../logs/read-logs.ts'
import type { CommonFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import { configOfSites } from '../options/state-dir.ts'
import type { Output } from '../output/output.ts'
import { onceUnread } from '../output/streams.ts'
import { stopSignal } from '../stop-signal.ts'
import { parseTime } from '../text/time.ts'

export type LogsFlags = {
  readonly site?: readonly string[]
  readonly follow?: boolean
  readonly since?: string
  readonly tail?: string
  readonly timestamps?: boolean
}

/**
 * Prints what the containers of an application wrote. Asks the engines itself, so that it makes no difference whether a
 * daemon runs. Returns the exit code: 1 if not everything could be read. Fails with `wrong-usage`.
 */
export async function logs(output: Output, flags: CommonFlags & LogsFlags, address = ''): Promise<number> {
  const span = spanOf(flags)
  const config = configOfSites(flags)
  const all = config.sites.map(({ name }) => name)
  const names = flags.site?.map(name => knownSite(name, all, unusableSites(config))) ?? all
  const [only, ...others] = config.environments
  const environment = oneEnvironment(flags) ?? (others.length === 0 ? only : undefined)
  const engines = openEngines({ ...config, sites: config.sites.filter(({ name }) => names.includes(name)) })
  const sites = engines.map(engine => ownedBy(repositoryOf(config), engine))
  const { signal, stop, release } = stopSignal()
  let isUnread = false
  onceUnread(() => {
    isUnread = true
    stop()
  })
  const form = { hasSites: engines.length > 1, hasTimes: flags.timestamps === true }
  try {
    const isWhole = await readLogs(
      { sites, address, environment, span },
      hasNames => createSink(output, { ...form, hasNames }, signal),
      signal,
    )
    return isWhole ? exitCode.done : exitCode.failed
  } catch (error) {
    if (isUnread || (span.follow && signal.aborted)) return exitCode.done
    throw error
  } finally {
    release()
    for (const engine of engines) engine.close()
  }
}

function spanOf({ since, tail, follow = false }: LogsFlags): LogSpan {
  if (tail !== undefined && !/^\d{1,9}$/.test(tail))
    throw new Failure('wrong-usage', `--tail ${JSON.stringify(tail)} is not a whole number, such as 50`)
  const from = since === undefined ? undefined : parseTime(since, timeOfDayMs(), 'back')
  return {
    follow,
    ...optionalTime('since', from),
    ...optional('tail', tail === undefined ? undefined : Number(tail)),
  }
}
