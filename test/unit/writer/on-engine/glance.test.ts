import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { askName, claimName } from '../../../../lib/writer/on-engine/claim.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { type MemoryClaims, memoryClaims } from '../../../support/memory/memory-claims.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { claim, isTaken, machine, never, signal } from './machines.ts'

describe('a claim on an engine that is made late', () => {
  it('D17 G2 is not made by who has nothing to change, and nothing is given up', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    expect(await keeper.glance(false, signal)).to.deep.equal({ is: 'free' })
    expect(keeper.isOurs()).to.equal(false)
    await keeper.release()
    expect(engine.calls).to.deep.equal(['list'])
  })

  it('D17 is made once it is to be certain, and is certain then', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    await keeper.glance(false, signal)
    await Promise.all([keeper.secure(), keeper.secure()])
    expect(engine.calls).to.deep.equal(['list', 'list', 'create 1', 'list'])
    await keeper.secure()
    expect([keeper.isOurs(), engine.calls.length]).to.deep.equal([true, 4])
    await keeper.release()
  })

  it('D17 is made beforehand where a change is likely', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    await keeper.glance(false, signal)
    keeper.prepare()
    await keeper.secure()
    expect(engine.calls).to.deep.equal(['list', 'list', 'create 1', 'list'])
    await keeper.release()
    expect([...engine.volumes.keys()]).to.deep.equal([])
  })

  it('D17 is removed by who gives it up while it is being made, however late the engine makes it', async () => {
    const engine = memoryClaims()
    const [asked, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const create: MemoryClaims['create'] = async (name, labels, ending) => {
      asked.resolve()
      const made = arrived.promise.then(() => engine.create(name, labels, ending))
      const ended = new Promise<never>((_, reject) =>
        ending.addEventListener('abort', () => reject(new Failure('interrupted', 'the wait was ended'))),
      )
      return Promise.race([made, ended])
    }
    const { keeper } = machine('a', { ...engine, create })
    await keeper.glance(false, signal)
    keeper.prepare()
    await asked.promise
    const released = keeper.release()
    await turn()
    arrived.resolve()
    await released
    await turn()
    expect([...engine.volumes.keys()]).to.deep.equal([])
  })

  it('D17 is asked for as ever where another process has it', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await isTaken(a.keeper)
    expect((await b.keeper.glance(false, signal)).is).to.equal('theirs')
    expect([...engine.volumes.keys()]).to.deep.equal([claimName(claim, 1), askName(claim, 'b')])
    b.pass(60_000)
    expect((await b.keeper.glance(false, signal)).is).to.equal('ours')
    expect([...engine.volumes.keys()]).to.deep.equal([claimName(claim, 2)])
  })

  it('D17 is had by one of two that found nobody, and the other one is told who that is', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await Promise.all([a, b].map(({ keeper }) => keeper.glance(false, signal)))
    const [first, second] = await Promise.allSettled([a.keeper.secure(), b.keeper.secure()])
    expect([first.status, second.status]).to.deep.equal(['fulfilled', 'rejected'])
    expect((await failureOf(b.keeper.secure())).message).to.include(', pid 1 on a since ')
  })

  it('D17 is void for good once another one wrote, until it is asked again whose it is', async () => {
    const engine = memoryClaims()
    const [a, b] = [machine('a', engine), machine('b', engine)]
    await a.keeper.glance(false, signal)
    await isTaken(b.keeper)
    await b.keeper.hold()
    await b.claims.release()
    engine.calls.length = 0
    for (const _ of ['at once', 'again'])
      expect((await failureOf(a.keeper.secure())).message).to.include('wrote to environments/prod')
    expect(engine.calls).to.deep.equal(['list'])
    await a.keeper.glance(false, signal)
    await a.keeper.secure()
  })

  it('D17 is void too if its holder lost it to one that wrote, and has it again', async () => {
    const engine = memoryClaims()
    const { a, b, secured } = await takenAway(engine)
    expect((await secured).message).to.include('wrote to environments/prod')
    expect((await failureOf(a.keeper.secure())).message).to.include('wrote to environments/prod')
    expect((await failureOf(a.keeper.hold())).code).to.equal('another-writer')
    await b.claims.release()
    await isTaken(a.keeper)
    await a.keeper.hold()
    await a.claims.release()
  })

  it('D17 takes no mark away that its process has not heeded', async () => {
    const engine = memoryClaims()
    const { a, b, secured } = await takenAway(engine)
    await secured
    const theirs = [...engine.volumes.keys()].filter(name => name.includes('-wrote-'))
    await a.claims.release()
    expect([...engine.volumes.keys()]).to.include.members(theirs)
    await b.claims.release()
  })
})

/**
 * Of two machines, the first one wrote, then did not reach the engine while the second one wrote and ended, and has it
 * again. `secured`: it was asked to be certain while it looked and did not know yet.
 */
async function takenAway(engine: MemoryClaims) {
  const seen = Promise.withResolvers<void>()
  let [isReached, looks] = [true, 0]
  const list: MemoryClaims['list'] = async (...asked) => {
    if (!isReached) throw new Failure('engine-unreachable', 'local: no answer')
    looks += 1
    if (looks > 2) await seen.promise
    return engine.list(...asked)
  }
  const a = machine('a', { ...engine, list }, { ...never, lookMs: 1, waitMs: 1 })
  const b = machine('b', engine)
  await isTaken(a.keeper)
  isReached = false
  await a.keeper.hold()
  await waitUntil('it is not reached', () => !a.keeper.isOurs())
  await isTaken(b.keeper)
  b.pass(60_000)
  await isTaken(b.keeper)
  await b.keeper.hold()
  await b.keeper.release()
  a.pass(50_000)
  isReached = true
  await waitUntil('it looks', () => looks > 2)
  const secured = failureOf(a.keeper.secure())
  seen.resolve()
  await waitUntil('it is had again', () => a.keeper.isOurs())
  return { a, b, secured }
}
