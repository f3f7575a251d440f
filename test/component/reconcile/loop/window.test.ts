import { once } from 'node:events'
import { expect } from 'chai'
import type { Windows } from '../../../../lib/state/fleet/window.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../support/memory/memory-engine.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** Saturdays from 02:00 to 05:00 in Stockholm. */
const windows: Windows = {
  provider: [
    { days: ['Saturday'], startMinutes: 120, zone: 'Europe/Stockholm', durationMs: 3 * 60 * 60 * 1000 },
  ],
  owner: [],
}
const opensMs = Date.parse('2026-11-28T01:00Z')

/** A daemon over a site with these windows, on which `web:1` runs, shortly before they open. */
async function shortlyBefore(skipConfirmation = true, engine = memoryEngine({ distribution: everyImage })) {
  const clock = { nowMs: opensMs - 20 }
  const daemon = await memoryDaemon({
    files: files('1'),
    engine,
    config: { sites: [{ name: 'local', windows }] },
    clock: { nowMs: () => clock.nowMs, steadyMs: () => performance.now() },
  })
  await daemon.pass()
  await until(daemon, ({ sync }) => sync === 'Synced')
  daemon.commit(files('2', skipConfirmation))
  await daemon.pass()
  return { daemon, engine, clock, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

const files = (tag: string, skipConfirmation = true) => manifestOf('prod', { web: tag }, { skipConfirmation })

const said = async (daemon: MemoryDaemon) => (await daemon.ask('GET /api/v1/environments'))[0]

async function until(daemon: MemoryDaemon, check: (status: ReturnType<typeof JSON.parse>) => boolean) {
  return waitUntil('the daemon says so', async () => {
    const status = await said(daemon)
    return check(status) && status
  })
}

function running({ has }: MemoryEngine): readonly string[] {
  return [...has().containers.keys()]
}

describe('the loop of a site with upgrade windows', () => {
  it('G13 says when an open window closes while an upgrade waits in it for a person', async () => {
    await using scene = await shortlyBefore(false)
    scene.clock.nowMs = opensMs + 60_000
    await scene.daemon.pass()
    const isDue = ({ applications }: ReturnType<typeof JSON.parse>) => applications[0].until === undefined
    const { applications, waiting } = await until(scene.daemon, isDue)
    expect(waiting).not.to.equal(undefined)
    expect(applications[0].windowEnds).to.equal('2026-11-28T04:00:00.000Z')
    scene.clock.nowMs = opensMs + 3 * 60 * 60 * 1000
    await scene.daemon.pass()
    const later = await until(scene.daemon, ({ applications }) => applications[0].until !== undefined)
    expect(later.applications[0].windowEnds).to.equal(undefined)
  })

  it('A60 G13 keeps what runs while they are closed, says when they open, and calls it no error', async () => {
    await using scene = await shortlyBefore()
    const { applications, errors = [], outcome } = await said(scene.daemon)
    expect(applications).to.have.length(1)
    expect(applications[0]).to.deep.include({
      sync: 'OutOfSync',
      version: '1',
      wantedVersion: '2',
      reason: 'waits for the upgrade window, which opens 2026-11-28 02:00 Europe/Stockholm',
      until: '2026-11-28T01:00:00.000Z',
      since: new Date(opensMs - 20).toISOString(),
    })
    expect([errors, outcome]).to.deep.equal([[], 'in-sync'])
    expect(running(scene.engine).join()).to.match(/web.*1/)
  })

  it('A60 makes a pass by itself when they open, without anybody asking', async () => {
    await using scene = await shortlyBefore()
    scene.clock.nowMs = opensMs
    const status = await until(scene.daemon, ({ sync }) => sync === 'Synced')
    expect(status.applications[0].version).to.equal('2')
    const { journal } = scene.daemon
    expect(journal.log({ environment: 'prod', limit: 10 }).map(({ trigger }) => trigger)).to.include('window')
  })

  it('X18 asks about another version while they are closed, and not a second time when they open', async () => {
    await using scene = await shortlyBefore(false)
    const { waiting } = await said(scene.daemon)
    await scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    await scene.daemon.pass()
    expect([(await said(scene.daemon)).waiting, (await said(scene.daemon)).sync]).to.deep.equal([
      undefined,
      'OutOfSync',
    ])
    scene.clock.nowMs = opensMs
    await until(scene.daemon, ({ sync }) => sync === 'Synced')
  })

  it('A62 G13 says of an upgrade that has begun that it runs to its end, also once they are closed', async () => {
    const memory = memoryEngine({ distribution: everyImage })
    const awaited = Promise.withResolvers<void>()
    let hangs = false
    const execute: typeof memory.execute = async (step, provenance, signal, note) => {
      if (!hangs || step.do !== 'await-healthy') return memory.execute(step, provenance, signal, note)
      awaited.resolve()
      await once(signal, 'abort')
      throw signal.reason
    }
    await using scene = await shortlyBefore(true, { ...memory, execute })
    const [before] = (await said(scene.daemon)).applications
    expect([before.code, before.queue]).to.deep.equal([
      'window-closed',
      [{ version: '2', state: 'next', reason: before.reason }],
    ])
    hangs = true
    scene.clock.nowMs = opensMs
    await awaited.promise
    scene.clock.nowMs = opensMs + 4 * 60 * 60 * 1000
    const [during] = (await said(scene.daemon)).applications
    expect(during).to.deep.include({
      reason: 'the rollout of version 2 has begun, and runs to its end',
      since: new Date(opensMs).toISOString(),
      queue: [{ version: '2', state: 'next' }],
    })
    expect([during.code, during.until]).to.deep.equal([undefined, undefined])
  })
})
