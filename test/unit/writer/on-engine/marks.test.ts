import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { claimName, markName } from '../../../../lib/writer/on-engine/claim.ts'
import type { Keeper } from '../../../../lib/writer/on-engine/keeper.ts'
import { type MemoryClaims, memoryClaims } from '../../../support/memory/memory-claims.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { claim, isTaken, machine, signal } from './machines.ts'

const ownMark = (keeper: Keeper) => markName(claim, keeper.marks().at(-1) ?? '')
const namesOn = ({ volumes }: MemoryClaims) => [...volumes.keys()]

describe('the mark of who writes', () => {
  it('D17 is made as soon as it may write, in place of older ones, so that only the claim is left to remove', async () => {
    const engine = memoryClaims()
    for (const name of ['a', 'b']) {
      const { keeper } = machine(name, engine)
      await isTaken(keeper)
      await keeper.hold()
      await waitUntil('it is alone', () => engine.volumes.size === 2)
      expect(namesOn(engine)).to.have.members([claimName(claim, 1), ownMark(keeper)])
      engine.calls.length = 0
      await keeper.release()
      expect([engine.calls, namesOn(engine)]).to.deep.equal([['remove 1'], [ownMark(keeper)]])
    }
  })

  it('D17 is not made by who only makes sure that the claim is its own', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    await isTaken(keeper)
    await keeper.secure()
    await keeper.release()
    expect([engine.calls, namesOn(engine)]).to.deep.equal([['list', 'create 1', 'list', 'remove 1'], []])
  })

  it('D17 is there before the claim is gone, also if that is given up while it is being made', async () => {
    const engine = memoryClaims()
    const made = Promise.withResolvers<void>()
    const create: MemoryClaims['create'] = async (name, labels, ...asked) => {
      if (name.includes('-wrote-')) await made.promise
      return engine.create(name, labels, ...asked)
    }
    const { keeper } = machine('a', { ...engine, create })
    await isTaken(keeper)
    await keeper.hold()
    const released = keeper.release()
    await new Promise(resolve => setImmediate(resolve))
    expect(namesOn(engine)).to.deep.equal([claimName(claim, 1)])
    made.resolve()
    await released
    expect(engine.calls.slice(3)).to.deep.equal(['create wrote', 'remove 1'])
  })

  it('D17 is made at the end if that failed before, and the claim stays if it fails again', async () => {
    const engine = memoryClaims()
    let failures = 1
    const create: MemoryClaims['create'] = async (name, labels, ...asked) => {
      if (name.includes('-wrote-') && failures > 0) {
        failures -= 1
        throw new Failure('disk-full', 'no space')
      }
      return engine.create(name, labels, ...asked)
    }
    const a = machine('a', { ...engine, create })
    await isTaken(a.keeper)
    await a.keeper.hold()
    await a.keeper.release()
    expect(namesOn(engine)).to.deep.equal([ownMark(a.keeper)])
    failures = 2
    const b = machine('b', { ...engine, create })
    await isTaken(b.keeper)
    await b.keeper.hold()
    await b.keeper.release()
    expect(namesOn(engine)).to.deep.equal([ownMark(a.keeper), claimName(claim, 1)])
  })

  it('D17 is made again at the end if somebody has removed it', async () => {
    const engine = memoryClaims()
    const { keeper } = machine('a', engine)
    await isTaken(keeper)
    await keeper.hold()
    await waitUntil('it is there', () => engine.volumes.size === 2)
    await engine.remove(ownMark(keeper), signal)
    await isTaken(keeper)
    await keeper.release()
    expect(namesOn(engine)).to.deep.equal([ownMark(keeper)])
  })

  it('D17 is none of another one when its own process sees it', async () => {
    const engine = memoryClaims()
    const { keeper, pass } = machine('a', engine)
    await isTaken(keeper)
    await keeper.hold()
    await waitUntil('it is there', () => engine.volumes.size === 2)
    pass(10_001)
    await keeper.hold()
    expect([...keeper.traces.marks]).to.deep.equal([])
    await keeper.release()
  })
})
