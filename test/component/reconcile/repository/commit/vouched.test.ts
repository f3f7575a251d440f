import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../../lib/cli/text/status/status-text.ts'
import type { ErrorCode } from '../../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../../lib/errors.ts'
import type { Source } from '../../../../../lib/git/source.ts'
import type { Journal } from '../../../../../lib/journal/journal.ts'
import { isKept, lastGood } from '../../../../../lib/reconcile/repository/commit/vouched.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import type { Signer } from '../../../../../lib/state/repository/revision.ts'
import { digest } from '../../../../support/builders/builders.ts'
import {
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
  memoryWorlds,
} from '../../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const ada = { name: 'ada@example.com', key: 'SHA256:abc' }
const [first, second] = ['1'.repeat(40), '2'.repeat(40)]
const one = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
const two = manifestOf('prod', { web: '2' }, { skipConfirmation: true })

/** An engine that knows every image. */
function registered(): MemoryEngine {
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  return Object.assign(memoryEngine(), {
    distribution: async () => ({ digest: digest('a'), mediaType }),
  })
}

/** Removes the only container behind the back of the daemon, and tells its name. */
async function lose(engine: MemoryEngine): Promise<string> {
  const [container = ''] = engine.has().containers.keys()
  await engine.execute({ do: 'remove-container', container }, provenance, new AbortController().signal)
  return container
}

/** Who signed what, as it is now; what nobody signed is refused. */
function signatures(given: Record<string, Signer | ErrorCode>) {
  return async (commit: string): Promise<Signer> => {
    const found = given[commit] ?? 'signature-missing'
    if (typeof found === 'string') throw new Failure(found, `commit ${commit}: ${found}`)
    return found
  }
}

/** The status in a few words. */
async function status(daemon: MemoryDaemon) {
  const [{ outcome, sync, revision, unread, errors }] = await daemon.ask('GET /api/v1/environments')
  const codes = errors.map(({ code }: { code: string }) => code)
  return { outcome, sync, at: revision?.commit?.[0], unread: unread?.[0], by: revision?.signedBy, codes }
}

describe('a repository whose commits have to be signed', () => {
  it('G24 is followed, and plan, log and status say who signed', async () => {
    await using daemon = await memoryDaemon({ files: one, verify: signatures({ [first]: ada }) })
    await daemon.pass()
    await daemon.pass()
    expect(await status(daemon)).to.deep.equal({
      outcome: 'in-sync',
      sync: 'Synced',
      at: '1',
      unread: undefined,
      by: ada,
      codes: [],
    })
    const [shown] = await daemon.ask('GET /api/v1/environments')
    expect(printed(statusLines({ ...shown, ingress: [] }, Date.now()), false).split('\n')[0]).to.include(
      '"Deploy", signed by ada@example.com (SHA256:abc)',
    )
    const [entry] = daemon.journal.log({ limit: 5 }).slice(-1)
    expect(entry?.revision?.signedBy).to.deep.equal(ada)
  })

  it('G13 G24 is told that its first commit cannot be used, and not that another one counts', async () => {
    await using daemon = await memoryDaemon({ files: one, verify: signatures({}) })
    await daemon.pass()
    const [shown] = await daemon.ask('GET /api/v1/environments')
    expect(printed(statusLines({ ...shown, ingress: [] }, Date.now()), false)).to.include(
      '  the newest commit, 111111111111, cannot be used:\n',
    )
  })

  it('G24 takes nothing of an unsigned commit above a signed one, and keeps what that one wants in force', async () => {
    const given: Record<string, Signer | ErrorCode> = { [first]: ada }
    const engine = registered()
    await using daemon = await memoryDaemon({ files: one, verify: signatures(given), engine })
    await daemon.pass()
    await daemon.pass()
    const done = engine.done.length
    daemon.commit(two)
    await daemon.pass()
    expect(await status(daemon)).to.include({ outcome: 'failed', at: '1', unread: '2' })
    expect((await status(daemon)).codes).to.deep.equal(['signature-missing'])
    expect(engine.done.slice(done)).to.deep.equal([])
    const container = await lose(engine)
    await daemon.pass()
    expect([...engine.has().containers.keys()], 'is made again as the signed commit has it').to.deep.equal([
      container,
    ])
    given[second] = ada
    await daemon.pass()
    await daemon.pass()
    expect(await status(daemon)).to.include({ outcome: 'in-sync', at: '2', unread: undefined })
  })

  it('G24 goes on looking after what serves when the key of what was taken is withdrawn, and begins nothing', async () => {
    const given: Record<string, Signer | ErrorCode> = { [first]: ada }
    const engine = registered()
    await using daemon = await memoryDaemon({ files: one, verify: signatures(given), engine })
    await daemon.pass()
    for (const code of ['signature-untrusted', 'signing-keys-unusable', 'program-missing'] as const) {
      // The pass that verifies what the one before applied has ended then.
      await daemon.pass()
      given[first] = code
      const container = await lose(engine)
      await daemon.pass()
      expect([...engine.has().containers.keys()], 'is made again').to.deep.equal([container])
      expect(await status(daemon), code).to.include({ outcome: 'partially-applied', at: '1' })
      expect((await status(daemon)).codes).to.deep.equal([code])
    }
    given[first] = ada
    await daemon.pass()
    expect(await status(daemon)).to.include({ outcome: 'in-sync', at: '1' })
  })

  it('G24 takes nothing that was taken before anybody had to sign, and makes nothing at all of it', async () => {
    const journal = memoryJournal()
    const engine = registered()
    {
      await using before = await memoryDaemon({ files: one, journal, engine })
      await before.pass()
    }
    await lose(engine)
    const done = engine.done.length
    expect(done).to.be.greaterThan(0)
    await using daemon = await memoryDaemon({ files: one, journal, engine, verify: signatures({}) })
    await daemon.pass()
    expect((await status(daemon)).codes).to.deep.equal(['signature-missing'])
    expect(engine.done.slice(done)).to.deep.equal([])
    await using alone = await memoryDaemon({ files: one, verify: signatures({}), engine })
    await alone.pass()
    expect(engine.done.slice(done)).to.deep.equal([])
  })
})

describe('what is kept while the newest commit is not taken', () => {
  const good = { commit: first }

  it('G24 is the last good commit, whatever became of one that nobody vouched for', () => {
    for (const commit of [first, second]) expect(isKept(undefined, commit, good)).to.equal(true)
  })

  it('D15 is the last good commit where another one was vouched for and cannot be read', () => {
    expect(isKept({ commit: second }, second, good)).to.equal(true)
  })

  it('G17 is nothing where the last good commit itself cannot be read: that is tried again', () => {
    expect(isKept({ commit: first }, first, good)).to.equal(false)
  })
})

describe('the last good commit', () => {
  it('G19 is of the journal until one was read, and then the one that was', async () => {
    const journal = memoryJournal()
    expect(lastGood(worldOver(journal))).to.equal(undefined)
    journal.setLastGood('prod', { commit: second, revision })
    expect(lastGood(worldOver(journal))).to.deep.equal({ commit: second })
    const world = worldOver(journal)
    const freshness = { maxAgeMs: 0, lastGood: false }
    await round(world, { trigger: 'start', until: 'plan', freshness }, new AbortController().signal)
    journal.setLastGood('prod', { commit: second, revision })
    expect(lastGood(world)).to.deep.equal({ commit: first })
  })

  it('G24 counts only with who signed it, where somebody has to', () => {
    const journal = memoryJournal()
    const verify = signatures({})
    journal.setLastGood('prod', { commit: second, revision })
    expect(lastGood(worldOver(journal, verify))).to.equal(undefined)
    journal.setLastGood('prod', { commit: second, revision: { ...revision, signedBy: ada } })
    expect(lastGood(worldOver(journal, verify))).to.deep.equal({ commit: second, signedBy: ada })
    expect(lastGood(worldOver(journal)), 'nobody has to').to.deep.equal({ commit: second })
  })
})

const revision = {
  ref: 'main',
  commit: second,
  author: 'Ann',
  subject: 'Ship it',
  time: '2026-01-01T00:00:00Z',
}

/** A world over `prod` that knows nothing but what is in this journal. */
function worldOver(journal: Journal, verify?: Source['verify']): World {
  const [world] = memoryWorlds({ environments: ['prod'], files: one, journal, verify }).worlds
  if (world === undefined) throw new Error('there is one')
  return world
}

const provenance = {
  environment: 'prod',
  source: 'ops/manifests',
  address: 'https://git.example.com/ops/manifests',
  directory: 'environments/prod',
  commit: first,
}
