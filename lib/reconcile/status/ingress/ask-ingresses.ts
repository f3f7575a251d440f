import { X509Certificate } from 'node:crypto'
import type { Config } from '../../../config.ts'
import type { Engine } from '../../../engine.ts'
import { Failure, toFailure } from '../../../errors.ts'
import { requestFigures } from '../../../ingress/figures.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { ingressName, type Route } from '../../../state/application/ingress/route.ts'
import { routesOf, routingOf } from '../../../state/application/ingress/traffic.ts'
import { secondsText } from '../../../text/time.ts'
import { abortable } from '../../../wait/abortable.ts'
import { timeout as abortAfter } from '../../../wait/timer.ts'
import { inPieces } from '../../concurrency/in-pieces.ts'
import type { Pools } from '../../concurrency/pools.ts'
import type { Memory } from '../../memory.ts'
import { ownCertificates } from '../../repository/ingress/read-ingress-settings.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import type { World } from '../../world.ts'
import { certificateStatus } from './certificates.ts'
import type { IngressStatus } from './ingress-status.ts'

/** However many requests come, an ingress is asked once in this time. */
const keptMs = 5_000
/** A person at a terminal does not wait longer than this. */
const limitMs = 5_000
/** Nor longer than this until it is the turn of all. */
const patienceMs = 8_000

type Known = Pick<World, 'engines' | 'nowMs' | 'steadyMs'> & {
  readonly pools: Pick<Pools, 'ask'>
  readonly pacing: Pick<World['pacing'], 'tell'>
  readonly config: Pick<Config, 'ingress'>
  readonly memory: Pick<Memory, 'ingresses'>
}
type Last = Pick<PassResult, 'desired' | 'status' | 'parts'>

/**
 * Asks the ingresses that ran in the last pass, many at a time: those of hosts, as nothing can be run in a task of a
 * Swarm. Says of one whose turn does not come in time that nobody asked it. Never rejects.
 */
export function askIngresses(known: Known, last: Last): Promise<readonly IngressStatus[]> {
  const { engines, memory, steadyMs } = known
  const { desired, status, parts = [] } = last
  const recent = memory.ingresses.since(steadyMs(), keptMs)
  if (recent !== undefined) return recent
  const running = new Set(
    status.flatMap(({ site, application, running }) =>
      application === ingressName && running > 0 ? [site] : [],
    ),
  )
  const sites = engines.filter(({ site, swarm }) => swarm === undefined && running.has(site))
  if (desired === undefined || sites.length === 0) return Promise.resolve([])
  const wanted = new Map(parts.map(part => [part.site, part.desired]))
  const answers = Promise.all(
    sites.map(engine => askIngress(engine, known, wanted.get(engine.site) ?? desired)),
  )
  memory.ingresses.keep(steadyMs(), answers)
  return answers
}

async function askIngress(
  engine: Engine,
  { config, nowMs, pools, pacing: { tell } }: Known,
  desired: DesiredState,
): Promise<IngressStatus> {
  const { site } = engine
  const over = abortAfter(patienceMs)
  /** Set once it is asked: then it is silent itself if it says nothing. */
  let limit: AbortSignal | undefined
  const failureOf = (error: unknown) => {
    const silent = (words: string) => new Failure('ingress-unreachable', `${site}: ${words}`)
    if (limit?.aborted === true)
      return silent(`the ingress said nothing of itself within ${secondsText(limitMs)}`)
    return over.aborted
      ? silent(
          `nobody has asked the ingress within ${secondsText(patienceMs)}, because too many others say nothing`,
        )
      : toFailure(error)
  }
  try {
    const asked = pools.ask(site, () => {
      over.throwIfAborted()
      limit = abortAfter(limitMs)
      return engine.ingress(desired, limit)
    })
    const [report, own] = await Promise.all([abortable(asked, over), ownCertificates(config.ingress)])
    if (report === undefined) throw new Failure('ingress-unreachable', `${site}: no ingress runs`)
    const obtained = await inPieces(
      report.obtained,
      ({ isInternal, pem }) => ({ isInternal, certificate: new X509Certificate(pem) }),
      tell,
    )
    return {
      site,
      isDraining: report.isDraining,
      certificates: certificateStatus(everyRoute(desired), { own, obtained }, nowMs()),
      figures:
        typeof report.metrics === 'string'
          ? await requestFigures(report.metrics, tell)
          : failureOf(report.metrics),
    }
  } catch (error) {
    return { site, failure: failureOf(error) }
  }
}

/** Returns the routes of the ingress. While the ingress is blocked, only those of the other applications are known. */
function everyRoute({ applications }: DesiredState): readonly Route[] {
  const services = applications.flatMap(({ services }) => services)
  return services.flatMap(service => routingOf(service)?.routes ?? routesOf(service))
}
