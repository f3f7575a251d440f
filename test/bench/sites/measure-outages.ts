import { setTimeout as pause } from 'node:timers/promises'
import { httpCall } from '../../support/network/http-call.ts'
import type { SimulatedEngine } from '../../support/simulated/engine.ts'
import { enginesHere } from '../engine/engines-here.ts'
import { comparison } from '../report/comparison.ts'
import { median, timed } from '../report/statistics.ts'
import { duration, type Row } from '../report/table.ts'
import { type ManySites, manySites } from './many-sites.ts'

const services = 20
/** So few that the processors have time to spare: what one site costs by itself would count as waiting otherwise. */
const others = 4
const mostMs = 1_000
const goal = { most: 1.05, why: 'a pass over one site waits for nothing of another one' }

/** What is wrong with a site, from when it is called until the returned function is. */
const outages: Readonly<Record<string, (engine: SimulatedEngine) => Promise<() => unknown>>> = {
  'hangs at every call': async ({ faults }) => faults.set(/./, 'hangs'),
  'dies in the middle of every answer': async ({ faults }) => faults.set(/./, 'dies'),
  'refuses connections': async engine => {
    await engine.off()
    return engine.on
  },
}

/** About as long as a real engine on two processors takes, in ms. */
const late: readonly (readonly [call: RegExp, lateMs: number])[] = [
  [/^POST \/containers\/create$/, 15],
  [/^POST \/containers\/[^/]+\/start$/, 100],
  [/^POST \/containers\/[^/]+\/stop$/, 50],
]

/**
 * What sites take alone, and beside one that is out of order (G17): a rollout of all services on all of them, in turns
 * with a daemon that has no such site, and the repair of a container that was removed by hand.
 */
export async function measureOutages({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  await using alone = await manySites({ engines: enginesHere, sites: others, services, asks: false })
  await using beside = await manySites({ engines: enginesHere, sites: others + 1, services, asks: false })
  const broken = beside.engines.at(-1)
  if (broken === undefined) throw new Error('no site is out of order')
  for (const { faults } of [...alone.engines, ...beside.engines])
    for (const [call, lateMs] of late) faults.set(call, { lateMs })
  for (const one of [alone, beside])
    await one.daemon.during(() => one.daemon.ask('POST /api/v1/reconcile'), one.passed())
  const rows: Row[] = []
  for (const [what, begin] of Object.entries(outages)) {
    const end = await begin(broken)
    const times = { alone: [] as number[], beside: [] as number[], repair: [] as number[] }
    for (let round = 0; round < rounds * 2; round++) {
      const tag = round % 2 === 0 ? '2' : '1'
      const pair = [
        { daemon: alone, took: times.alone },
        { daemon: beside, took: times.beside },
      ]
      for (const { daemon, took } of round % 4 < 2 ? pair : pair.reverse())
        took.push(await rollout(daemon, tag))
      times.repair.push(await repair(beside))
    }
    await end()
    const repaired = median(times.repair)
    rows.push(
      comparison(
        `${services} services anew on ${others} sites, beside one that ${what}`,
        times.beside,
        times.alone,
        'without it',
        goal,
      ),
      {
        what: `repair of a container beside a site that ${what}`,
        measured: duration(repaired),
        goal: `≤ ${mostMs / 1_000} s`,
        reached: repaired <= mostMs,
      },
    )
  }
  return rows
}

/**
 * How long it takes from the request to look for the commit until the sites that answer have it. What other daemons do
 * after a rollout has ended by then.
 */
async function rollout({ engines, commit }: ManySites<SimulatedEngine>, tag: '1' | '2'): Promise<number> {
  await pause(mostMs)
  return timed(async () => {
    await commit(tag === '2' ? services : 0)
    await until(() => engines.slice(0, others).every(engine => running(engine, tag) === services))
  })
}

/** How long it takes until a container that is removed by hand is there again. */
async function repair({ engines }: ManySites<SimulatedEngine>): Promise<number> {
  const [engine] = engines
  const [container] = engine?.containers() ?? []
  if (engine === undefined || container === undefined) throw new Error('nothing runs')
  await pause(mostMs)
  return timed(async () => {
    await httpCall({
      socketPath: engine.socket,
      method: 'DELETE',
      path: `/containers/${container.id}?force=1`,
    })
    await until(() => engine.container(container.name)?.state.status === 'running')
  })
}

function running(engine: SimulatedEngine, tag: string): number {
  const all = engine.containers()
  const wanted = all.filter(
    ({ state, config }) => state.status === 'running' && config.Labels['tallyman.image']?.endsWith(`:${tag}`),
  )
  return all.length === wanted.length ? wanted.length : 0
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5)
}
