import { openEngines } from '../../daemon.ts'
import { Failure, toFailure } from '../../errors.ts'
import { linkedAbort } from '../../linked-abort.ts'
import {
  type SiteDocument,
  type SiteSight,
  siteDocument,
  withWrong,
} from '../../reconcile/status/site-document.ts'
import { createQueue } from '../../reconcile/turns/queue.ts'
import { timeout } from '../../timer.ts'
import { createClient } from '../client/client.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { configOfSites, controlSocketOf, localConfig } from '../options/state-dir.ts'
import { type Output, sayOrigin } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'
import { siteLines } from '../text/site-text.ts'

/** Prints all sites, as the daemon knows them. Without a daemon it asks each engine itself. Returns the exit code. */
export async function sites(output: Output, flags: CommonFlags): Promise<number> {
  const documents = await known(flags).catch((error: unknown) => {
    if (flags.server !== undefined || !(error instanceof Failure) || error.code !== 'daemon-unreachable')
      throw error
    return asked(flags)
  })
  if (flags.server === undefined) sayOrigin(output, localConfig(flags).origin)
  if (output.json) output.document(documents)
  else output.text(siteLines(documents))
  return documents.some(({ problems }) => problems !== undefined) ? exitCode.failed : exitCode.done
}

async function known(flags: CommonFlags): Promise<readonly SiteDocument[]> {
  return (await createClient(controlSocketOf(flags)).get('/api/v1/sites')) as readonly SiteDocument[]
}

/** How long an engine may take to say who it is. */
const limitMs = 8_000

async function asked(flags: CommonFlags): Promise<readonly SiteDocument[]> {
  const config = configOfSites(flags)
  const { look } = createQueue()
  const { signal, release } = stopSignal()
  const engines = openEngines(config)
  const sights = new Map(
    await Promise.all(
      engines.map(async engine => [engine.site, await look(engine.site, () => ask(engine, signal))] as const),
    ),
  )
  release()
  for (const engine of engines) engine.close()
  return withWrong(
    config.sites.map(site =>
      siteDocument({
        site,
        sight: sights.get(site.name),
        configuration: config.origin.file,
        env: process.env,
      }),
    ),
    config,
  )
}

async function ask(engine: ReturnType<typeof openEngines>[number], signal: AbortSignal): Promise<SiteSight> {
  try {
    using limit = linkedAbort(signal, timeout(limitMs))
    const { version } = await engine.info(limit.signal)
    return { engine: version, managesSwarm: engine.managesSwarm?.(), managers: engine.managers?.() }
  } catch (error) {
    const { code, message, hint } = toFailure(error)
    return { managers: engine.managers?.(), silent: { error: { code, message, hint } } }
  }
}
