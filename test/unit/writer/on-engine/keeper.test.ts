import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { createEngineClaims, paceFor } from '../../../../lib/writer/engine-claims.ts'
import { askName, claimName, markName } from '../../../../lib/writer/on-engine/claim.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { type MemoryClaims, memoryClaims } from '../../../support/memory/memory-claims.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { claim, isTaken, machine, never, prod, signal } from './machines.ts'

const deaf = { onNews: () => undefined, onMark: () => undefined }

describe('a keeper of the claim on an engine', () => {
  it('D17 has it alone of two that begin at the same time', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    const taken = await Promise.all([isTaken(a.keeper), isTaken(b.keeper)])
    expect([...taken].sort()).to.deep.equal(['ours', 'theirs'])
  })

  it('G3 asks the engine nothing between two looks while it is the holder', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    await isTaken(keeper)
    expect(engine.calls).to.deep.equal(['list', 'create 1', 'list'])
    expect(keeper.isOurs()).to.equal(true)
    await keeper.release()
    expect(engine.calls.slice(3)).to.deep.equal(['remove 1'])
  })

  it('G17 looks at many engines less often, and well within the minute after which a holder counts as dead', () => {
    const everyS = (claims: number) => {
      const { lookMs, waitMs } = paceFor(claims)
      return [lookMs / 1_000, waitMs / 1_000]
    }
    expect([1, 100, 500, 1_000, 1_500, 10_000].map(everyS)).to.deep.equal([
      [20, 2],
      [20, 2],
      [20, 10],
      [20, 20],
      [30, 20],
      [40, 20],
    ])
    expect(paceFor(1).deadMs).to.equal(60_000)
  })

  it('D17 leaves a mark in place of the claim if it wrote, and only the last one', async () => {
    const engine = memoryClaims()
    for (const name of ['a', 'b']) {
      const { keeper } = machine(name, engine)
      await isTaken(keeper)
      await keeper.hold()
      await keeper.release()
      expect([...engine.volumes.keys()]).to.deep.equal([markName(claim, keeper.marks().at(-1) ?? '')])
    }
  })

  it('D17 leaves nothing behind when it gives up, and the next one takes it at once', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await isTaken(a.keeper)
    expect(await isTaken(b.keeper)).to.equal('theirs')
    await a.claims.release()
    expect([...engine.volumes.keys()]).to.deep.equal([askName(claim, 'b')])
    expect(await isTaken(b.keeper)).to.equal('ours')
    await b.claims.release()
    expect([...engine.volumes.keys()]).to.deep.equal([])
  })

  it('D17 takes it from a holder that leaves a question unanswered for a minute', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await isTaken(a.keeper)
    await isTaken(b.keeper)
    b.pass(59_999)
    expect(await isTaken(b.keeper)).to.equal('theirs')
    b.pass(1)
    expect(await isTaken(b.keeper)).to.equal('ours')
    expect([...engine.volumes.keys()]).to.deep.equal([claimName(claim, 2)])
  })

  it('D17 takes it at once from a dead process of its own machine', async () => {
    const engine = memoryClaims()
    const killed = createEngineClaims({ pace: never }).keep({ site: 'local', claims: engine }, prod, deaf)
    await isTaken(killed)
    const next = createEngineClaims({ pace: never }).keep({ site: 'local', claims: engine }, prod, deaf)
    expect(await isTaken(next)).to.equal('ours')
    expect([...engine.volumes.keys()]).to.deep.equal([claimName(claim, 2)])
  })

  it('D17 is certain only for some seconds, also after its machine slept, and is told who took it', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await isTaken(a.keeper)
    a.pass(10_001)
    const before = engine.calls.length
    await a.keeper.secure()
    expect(engine.calls.slice(before)).to.deep.equal(['list'])
    await isTaken(b.keeper)
    b.pass(60_000)
    await isTaken(b.keeper)
    a.pass(60_000)
    const { code, message } = await failureOf(a.keeper.hold())
    expect(code).to.equal('another-writer')
    expect(message).to.equal(
      'local: another tallyman runs environments/prod of ops/manifests (https://git.example.com/ops/manifests), pid 1 on b since 2026-03-01T11:00:00.000Z; this one only observes',
    )
    expect([a.keeper.isOurs(), a.news()]).to.deep.equal([false, 1])
  })

  it('D17 makes it again when it was pruned', async () => {
    const engine = memoryClaims()
    const { keeper, pass } = machine('a', engine)
    await isTaken(keeper)
    engine.volumes.clear()
    pass(10_001)
    await keeper.secure()
    expect([...engine.volumes.keys()]).to.deep.equal([claimName(claim, 1)])
  })

  it('D17 refuses a volume that imitates a claim, names it, and leaves it alone', async () => {
    const engine = memoryClaims()
    const name = claimName(claim, 1)
    await engine.create(name, {}, signal)
    const { code, message, hint } = await failureOf(machine('a', engine).keeper.take(false, signal))
    expect([code, hint]).to.deep.equal([
      'name-taken',
      `Remove it unless somebody needs it: docker volume rm ${name}`,
    ])
    expect(message).to.include(`volume ${name} has the name of a claim`)
    expect([...engine.volumes.keys()]).to.deep.equal([name])
  })

  it('D17 lets a command wait until the holder has answered, and then refuses', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine, { ...never, waitMs: 1 })]
    await isTaken(a.keeper)
    const taken = b.keeper.take(true, signal)
    await waitUntil('it is asked', () => engine.volumes.has(askName(claim, 'b')))
    await isTaken(a.keeper)
    expect((await taken).is).to.equal('theirs')
    await b.claims.release()
  })

  it('D17 lets a command wait until the holder counts as dead, and then takes it', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine, { ...never, waitMs: 1 })]
    await isTaken(a.keeper)
    const taken = b.keeper.take(true, signal)
    await waitUntil('it is asked', () => engine.volumes.has(askName(claim, 'b')))
    b.pass(60_000)
    expect((await taken).is).to.equal('ours')
    await b.claims.release()
  })

  it('D17 takes over by itself, and tells it', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine, { ...never, waitMs: 1 })]
    await isTaken(a.keeper)
    await isTaken(b.keeper)
    await a.claims.release()
    await waitUntil('it is told', () => b.news() === 1)
    expect(b.keeper.isOurs()).to.equal(true)
    await b.claims.release()
  })

  it('G17 leaves an engine alone that does not answer, until the next pass asks', async () => {
    const engine = memoryClaims()
    const down = async () => {
      throw new Failure('engine-unreachable', 'local: no answer')
    }
    let list: MemoryClaims['list'] = engine.list
    const { keeper, news } = machine(
      'a',
      { ...engine, list: (...asked) => list(...asked) },
      { ...never, lookMs: 1 },
    )
    await isTaken(keeper)
    list = down
    await waitUntil('it is told', () => news() === 1)
    const before = engine.calls.length
    expect(keeper.isOurs()).to.equal(false)
    list = engine.list
    expect([await isTaken(keeper), engine.calls.slice(before)]).to.deep.equal(['ours', ['list']])
    await keeper.release()
  })

  it('D17 looks again by itself when the engine once did not answer, so that a long step does not lose the claim', async () => {
    const engine = memoryClaims()
    let failures = 1
    const list: MemoryClaims['list'] = async (...asked) => {
      if (engine.calls.length > 3 && failures > 0) {
        failures -= 1
        throw new Failure('engine-unreachable', 'local: no answer')
      }
      return engine.list(...asked)
    }
    const a = machine('a', { ...engine, list }, { ...never, lookMs: 1, waitMs: 1 })
    const b = machine('b', engine)
    await isTaken(a.keeper)
    await isTaken(b.keeper)
    await waitUntil('it is told', () => a.news() === 1)
    await waitUntil('the question is answered', () => !engine.volumes.has(askName(claim, 'b')))
    expect(a.keeper.isOurs()).to.equal(true)
    await a.claims.release()
  })

  it('G17 leaves an engine alone that has not answered for as long as others wait for an answer', async () => {
    const engine = memoryClaims()
    let failures = 0
    const list: MemoryClaims['list'] = async (...asked) => {
      if (engine.calls.length < 3) return engine.list(...asked)
      a.pass(25_000)
      failures += 1
      throw new Failure('engine-unreachable', 'local: no answer')
    }
    const a = machine('a', { ...engine, list }, { ...never, lookMs: 1, waitMs: 1 })
    await isTaken(a.keeper)
    await waitUntil('it has asked for 75 seconds', () => failures >= 3)
    expect(failures).to.equal(3)
  })
})
