import { join } from 'node:path'
import { timeOfDayMs } from '../clock.ts'
import { passedOverText } from '../config/find-file.ts'
import type { Config } from '../config.ts'
import { openParts, type Parts, worldOf } from '../daemon.ts'
import { Failure, formatProblem, toFailure } from '../errors.ts'
import type { Controlled } from '../http/controlled.ts'
import { type ControlSocket, serveControl } from '../http/socket.ts'
import type { TellUnwritten } from '../journal/store/insistent.ts'
import type { Log } from '../log.ts'
import { optional } from '../object.ts'
import { startLoop } from '../reconcile/loop/loop.ts'
import { createPassEnds } from '../reconcile/loop/pass-ends.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import type { World } from '../reconcile/world.ts'
import { shortCommit } from '../state/repository/revision.ts'
import { secondsText } from '../text/time.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import { every } from '../wait/timer.ts'
import type { EngineClaimsOptions } from '../writer/engine-claims.ts'
import { startCron } from './cron.ts'
import { createHeapGrowth } from './heap-growth.ts'
import { awaitLoss, whyOneIsGone } from './lost-files.ts'
import { newsOfPass } from './news-of-pass.ts'
import { createFilesWarning, extentOf, mostOpenFiles } from './open-files.ts'
import { createReread } from './reread.ts'
import { startWhenPossible } from './start.ts'
import { type Occasions, watchConfiguration } from './watch-configuration.ts'

/** How a daemon comes to the sites of a configuration that was changed. */
export type Rereading = Pick<Occasions, 'onAsked'> & {
  /** Reads the whole configuration again. Fails with `config-invalid`. */
  reread(): Config
}

/**
 * Runs the loops and the control socket until the signal aborts, and resolves when everything has ended. Waits for a
 * state directory that cannot be used for now. Any failure ends everything, so that nothing keeps the process alive.
 * Fails with `state-dir-gone` if the state directory is lost: whoever starts it again begins with what is there then.
 * @param lookMs how often it looks whether that is so
 */
export async function runDaemon(
  config: Config,
  log: Log,
  signal: AbortSignal,
  rereading?: Rereading,
  claiming?: EngineClaimsOptions,
  lookMs?: number,
): Promise<void> {
  const running: Controlled[] = []
  const open = () => openControlled(config, log, running, claiming)
  const opened = await startWhenPossible(open, log, signal)
  if (opened === undefined) return
  const { parts, control } = opened
  await using stack = new AsyncDisposableStack()
  stack.defer(() => parts.close())
  stack.defer(() => control.close())
  // Loading it keeps the event loop busy. Later, all that goes on at the first change would have to wait for that.
  await import('../docker/execute.ts')
  using ending = linkedAbort(signal)
  const stop = ending.signal
  const requestAll = (trigger: 'file-change' | 'poll') => () => {
    for (const { loop } of running) loop.request(trigger)
  }
  const looks: (() => Promise<void>)[] = []
  const onPoll: Occasions['onPoll'] = look => void looks.push(look)
  const lookAll = () => void Promise.all(looks.map(look => look()))
  if ('cron' in config.poll) {
    const requestPoll = requestAll('poll')
    const poll = () => {
      requestPoll()
      lookAll()
    }
    stack.defer(await startCron(config.poll.cron, poll))
  } else {
    const looking = every(config.poll.everyMs, lookAll)
    stack.defer(() => looking.cancel())
  }
  stack.defer(async () => void (await Promise.allSettled(running.map(({ loop }) => loop.ended))))
  stack.defer(() => ending.abort())
  const { passedOver } = config.origin
  if (passedOver !== undefined) log.warn(passedOverText(passedOver))
  for (const problem of config.wrongSites.flatMap(({ problems }) => problems))
    log.error(`a site cannot be used: ${formatProblem(problem)}`, { hint: problem.hint })
  log.info('tallyman watches', {
    configuration: config.origin.file ?? 'defaults',
    repository: parts.source.name,
    sites: parts.engines.map(({ site }) => site),
  })
  const { longestHealthyMs } = config
  if (longestHealthyMs !== undefined)
    log.warn(
      `longestHealthyTime: deployments wait ${secondsText(longestHealthyMs)} at most, whatever they ask for`,
    )
  const warnOfFiles = createFilesWarning(mostOpenFiles(), log.warn)
  const allowHeapGrowth = createHeapGrowth()
  const adjust = () => {
    warnOfFiles(extentOf(parts.config))
    allowHeapGrowth(parts.engines.length)
  }
  adjust()
  const names = config.environments.length === 0 ? [undefined] : config.environments
  for (const name of names) running.push(runEnvironment(worldOf(parts, name, log), stop))
  const watching = parts.source
    .watch?.(requestAll('file-change'), stop)
    .catch(error => tellOfWatch(log, toFailure(error)))
  const marks = [...parts.journal.files, control.mark]
  const loss = awaitLoss(() => whyOneIsGone(marks), stop, lookMs).then(gone => {
    if (gone === undefined) return undefined
    tellOfLoss(log, gone)
    ending.abort(new Failure('interrupted', gone.message))
    return gone
  })
  const onSites = () => {
    adjust()
    requestAll('file-change')()
  }
  const rereadingSites = rereading && keepSites(parts, rereading, onSites, log, stop, onPoll)
  await Promise.all(running.map(({ loop }) => loop.ended))
  ending.abort()
  const [gone] = await Promise.all([loss, watching, rereadingSites])
  if (gone !== undefined) throw gone
  log.info('stopped')
}

function tellOfLoss(log: Log, { message, code, hint }: Failure): void {
  log.error(`${message}; begins nothing more, and ends once what is under way has ended`, { code, hint })
}

/** Takes over sites that come, change and go, until the signal aborts. Each environment then looks at its sites. */
function keepSites(
  parts: Parts,
  { reread, onAsked }: Rereading,
  onNews: () => void,
  log: Log,
  signal: AbortSignal,
  onPoll: Occasions['onPoll'],
): Promise<void> {
  const read = createReread(parts, reread, log, onNews)
  const tell = (failure: Failure) => tellOfWatch(log, failure)
  return watchConfiguration(parts.config, read, { ...optional('onAsked', onAsked), onPoll }, tell, signal)
}

/** Without the watch, changes are seen later but not lost: with a poll. */
function tellOfWatch(log: Log, { message, code, hint }: Failure): void {
  log.error(message, { code, hint })
}

function runEnvironment(world: World, signal: AbortSignal): Controlled {
  const { poll } = world.config
  const told = new Map<string | undefined, string>()
  const ends = createPassEnds()
  const onResult = (result: PassResult) => {
    ends.tell(result)
    const { site } = result
    const news = newsOfPass(result)
    if (news !== told.get(site) || result.results.length > 0) tell(world, result)
    told.set(site, news)
  }
  const pollMs = 'everyMs' in poll ? poll.everyMs : undefined
  const onBeside = (result: PassResult) => tell(world, result)
  const loop = startLoop(world, {
    ...{ pollMs, signal, random: Math.random },
    ...{ onResult, onBeside, onKnown: ends.look, onDone: ends.done },
  })
  return { world, loop, ends }
}

function tell(
  { log, engines }: World,
  { site, outcome, sync, errors, unreachable = [], plan, passId, waiting, results, desired }: PassResult,
): void {
  const lines = log.with({
    ...(passId === undefined ? {} : { pass: passId }),
    ...(site === undefined || engines.length < 2 ? {} : { site }),
    ...(desired === undefined
      ? {}
      : { environment: desired.environment, commit: shortCommit(desired.revision.commit) }),
  })
  const [rival] = errors.filter(({ code }) => code === 'another-writer')
  if (rival !== undefined) {
    lines.warn(rival.message)
    return
  }
  const message = `${outcome}${plan === undefined || plan.changes.length === 0 ? '' : ` (plan ${plan.id})`}`
  if (errors.length + unreachable.length > 0) lines.warn(message, { sync })
  else lines.info(message, { sync })
  for (const done of results) {
    const { site, application, service, action, cause } = done.change
    const how = done.result === 'interrupted' ? done.reason : done.result
    lines.info(`${action} ${service}: ${how}`, { site, application, service, cause })
  }
  for (const { code, message: what, hint } of unreachable) {
    // A site that is offline comes back by itself. One that is not trusted needs a person.
    if (code === 'engine-unreachable') lines.warn(what, { code, hint })
    else lines.error(what, { code, hint })
  }
  for (const { code, message: what, hint, resource } of errors)
    lines.error(what, { code, hint, ...(resource === undefined ? {} : { resource }) })
  // After changes another plan waits, which the next pass finds and names.
  if (waiting.length > 0 && results.length === 0 && plan !== undefined)
    lines.info(`waits for confirmation: ${howToApprove(plan.id, engines.length)}`, {
      changes: waiting.length,
    })
}

/** What waits on several sites is approved under one id. No pass over one of them knows it. */
function howToApprove(planId: string, sites: number): string {
  return sites < 2 ? `tallyman approve ${planId}` : 'tallyman status shows the ID for all sites'
}

/**
 * Opens what the daemon works with, and its control socket. A second daemon with the same state directory fails here.
 */
async function openControlled(
  config: Config,
  log: Log,
  running: readonly Controlled[],
  claiming: EngineClaimsOptions | undefined,
): Promise<{ readonly parts: Parts; readonly control: ControlSocket }> {
  const parts = openParts(config, (news, why) => tellOfJournal(log, news, why), claiming)
  try {
    const file = join(config.stateDir, 'control.sock')
    const control = await serveControl({
      ...{ file, running, journal: parts.journal, nowMs: timeOfDayMs },
      removedSites: parts.removedSites,
    })
    return { parts, control }
  } catch (error) {
    await parts.close()
    throw error
  }
}

function tellOfJournal(log: Log, news: Parameters<TellUnwritten>[0], { code, message, hint }: Failure): void {
  switch (news) {
    case 'kept':
      log.error(`${message}; the records of it are kept in memory until they can be written`, { code, hint })
      return
    case 'written':
      log.info('the records kept in memory are written now')
      return
    case 'lost':
      log.error(`${message}; the records kept in memory are lost`, { code, hint })
  }
}
