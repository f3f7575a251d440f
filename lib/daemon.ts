import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { connect } from './docker/connect.ts'
import type { Engine } from './engine.ts'
import { Failure } from './errors.ts'
import { openSource, type Source } from './git/source.ts'
import { serveControl } from './http/control.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import type { Log } from './log.ts'
import { type Loop, startLoop } from './reconcile/loop.ts'
import type { PassResult } from './reconcile/pass-result.ts'
import { watchEngine } from './reconcile/watch.ts'
import type { World } from './reconcile/world.ts'
import { loginFor } from './registry/credentials.ts'
import { createPauses, type Pauses } from './registry/pause.ts'
import { createWriter, type Writer } from './writer.ts'

/** Everything one process works with. Given back with `close`. */
export type Parts = {
  readonly source: Source
  readonly engines: readonly Engine[]
  readonly journal: Journal
  readonly writer: Writer
  readonly pauses: Pauses
  close(): Promise<void>
}

/** Opens source, engines and journal as configured; used by the daemon and by the one-shot commands alike. */
export function openParts(config: Config): Parts {
  makeStateDir(config.stateDir)
  const journal = openJournal(join(config.stateDir, 'tallyman.sqlite'))
  const source = openSource(config.repository, join(config.stateDir, 'git'))
  const engines = config.sites.map(site =>
    connect(site, host => loginFor(config.registries, host), {
      hasExternalIngress: config.ingress?.isExternal === true,
    }),
  )
  const writer = createWriter()
  const close = async () => {
    await writer.release()
    journal.close()
  }
  return { source, engines, journal, writer, pauses: createPauses(), close }
}

function makeStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Failure('state-dir-unusable', `stateDir ${stateDir}: cannot be made`, { cause })
  }
}

/** What the passes over one environment work with. */
export function worldOf(config: Config, parts: Parts, environment: string | undefined, log: Log): World {
  const names = config.sites
    .filter(site => environment === undefined || (site.environments?.includes(environment) ?? true))
    .map(({ name }) => name)
  return {
    environment,
    config,
    source: parts.source,
    engines: parts.engines.filter(({ site }) => names.includes(site)),
    journal: parts.journal,
    writer: parts.writer,
    pauses: parts.pauses,
    log: environment === undefined ? log : log.with({ environment }),
    nowMs: Date.now,
    env: process.env,
    memory: {},
  }
}

/** Runs the loops and the control socket until the signal aborts; resolves when everything has ended. */
export async function runDaemon(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const parts = openParts(config)
  const ending = new AbortController()
  const stop = AbortSignal.any([signal, ending.signal])
  const running: Running[] = []
  try {
    // Before anything else: a second daemon with this state directory ends here.
    const control = await serveControl({
      file: join(config.stateDir, 'control.sock'),
      running,
      journal: parts.journal,
      nowMs: Date.now,
    })
    log.info('tallyman watches', {
      repository: parts.source.name,
      sites: parts.engines.map(({ site }) => site),
    })
    const names = config.environments.length === 0 ? [undefined] : config.environments
    running.push(...names.map(name => runEnvironment(worldOf(config, parts, name, log), stop)))
    const loops = running.map(({ loop }) => loop)
    const requestAll = (trigger: 'file-change' | 'poll') => () => {
      for (const loop of loops) loop.request(trigger)
    }
    const stopCron = await startCron(config, requestAll('poll'))
    const watching = parts.source.watch?.(requestAll('file-change'), stop)
    await Promise.all(running.map(({ ended }) => ended))
    stopCron()
    ending.abort()
    await watching
    await control.close()
    log.info('stopped')
  } finally {
    ending.abort()
    await Promise.allSettled(running.map(({ ended }) => ended))
    await parts.close()
  }
}

/** One environment of the daemon: its loop, and the engine events that wake it. */
export type Running = { readonly world: World; readonly loop: Loop; readonly ended: Promise<void> }

function runEnvironment(world: World, signal: AbortSignal): Running {
  const { poll } = world.config
  const watches: Promise<void>[] = []
  let told = ''
  const onResult = (result: PassResult) => {
    const news = newsOf(result)
    if (news !== told || result.results.length > 0) tell(world, result)
    told = news
    // The environment's name is known only once the repository was read.
    const { desired } = result
    if (desired === undefined || watches.length > 0) return
    watches.push(
      ...world.engines.map(engine =>
        watchEngine(engine, desired, () => loop.request('engine-event'), world.log, signal),
      ),
    )
  }
  const pollMs = 'everyMs' in poll ? poll.everyMs : undefined
  const loop = startLoop(world, { pollMs, signal, random: Math.random, onResult })
  return { world, loop, ended: loop.ended.then(() => Promise.all(watches)).then(() => undefined) }
}

/** What is worth a line: it changes when something a person would want to know changes. */
function newsOf({ outcome, sync, errors, plan }: PassResult): string {
  return JSON.stringify([
    outcome === 'applied' ? 'in-sync' : outcome,
    sync,
    errors.map(({ code, resource }) => [code, resource]),
    plan?.changes.length ? plan.id : '',
    plan?.revision.commit,
  ])
}

function tell(
  { log }: World,
  { outcome, sync, errors, plan, passId, waiting, results, desired }: PassResult,
): void {
  const lines = log.with({
    ...(passId === undefined ? {} : { pass: passId }),
    ...(desired === undefined
      ? {}
      : { environment: desired.environment, commit: desired.revision.commit.slice(0, 12) }),
  })
  const [rival] = errors.filter(({ code }) => code === 'another-writer')
  if (rival !== undefined) {
    lines.warn(rival.message)
    return
  }
  const message = `${outcome}${plan === undefined || plan.changes.length === 0 ? '' : ` (plan ${plan.id})`}`
  if (errors.length > 0) lines.warn(message, { sync })
  else lines.info(message, { sync })
  for (const { change, result } of results) {
    const { site, application, service, action, cause } = change
    lines.info(`${action} ${service}: ${result}`, { site, application, service, cause })
  }
  for (const { code, message: what, hint, resource } of errors)
    lines.error(what, { code, hint, ...(resource === undefined ? {} : { resource }) })
  if (outcome === 'needs-confirmation' && plan !== undefined)
    lines.info(`waits for confirmation: tallyman approve ${plan.id}`, { changes: waiting.length })
}

async function startCron({ poll }: Config, onTime: () => void): Promise<() => void> {
  if (!('cron' in poll)) return () => undefined
  const { schedule } = await import('node-cron')
  const task = schedule(poll.cron, onTime)
  return () => void task.destroy()
}
