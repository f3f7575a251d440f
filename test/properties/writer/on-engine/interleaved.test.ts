import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { claimWorld, machines } from './claim-world.ts'

type Act = keyof ReturnType<typeof claimWorld>['acts']

const weighted = fc.oneof(
  ...Object.entries({
    look: 8,
    arrive: 14,
    answer: 14,
    lose: 1,
    pass: 6,
    stop: 2,
    kill: 1,
    start: 3,
    end: 1,
  }).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Act) })),
)
const history = fc.array(fc.tuple(weighted, fc.nat(machines - 1)), { minLength: 40, maxLength: 400 })
/** Processes on machines, one after the other: whether each writes if it may, and how it ends; otherwise it stays. */
const lives = fc.array(
  fc.tuple(fc.nat(machines - 1), fc.boolean(), fc.constantFrom('ends', 'dies', 'stays')),
  { minLength: 3, maxLength: 12 },
)

describe('the claim on an engine, however calls and deaths interleave', () => {
  it('D17 lets two processes never begin a step at the same time, and somebody in the end', async () => {
    await fc.assert(
      fc.asyncProperty(history, async acts => {
        const { acts: act, writers, settle, processes } = claimWorld()
        for (let machine = 0; machine < machines; machine += 1) await act.start(machine)
        for (const [name, machine] of acts) {
          await act[name](machine)
          await turn()
          expect(writers().length, JSON.stringify([name, machine])).to.be.lessThan(2)
        }
        await settle()
        expect(writers().length).to.equal(processes.size === 0 ? 0 : 1)
      }),
      { numRuns: 150 },
    )
  })

  it('D17 tells whoever takes it that somebody else wrote since its own journal did', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async lived => {
        const { acts, look, end, write } = claimWorld()
        for (const [machine, writes, how] of lived) {
          await acts.start(machine)
          for (const _ of ['asks', 'asks again', 'takes']) {
            await look(machine)
            await acts.pass(2)
          }
          await look(machine)
          if (writes) expect(write(machine), JSON.stringify(machine)).to.equal(undefined)
          if (how === 'ends') await end(machine)
          if (how === 'dies') await acts.kill(machine)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('D17 is not taken from a holder that answers while it is about to be taken', async () => {
    const { acts, look, run, writers } = await heldOn0()
    await look(1)
    await acts.pass(2)
    await acts.pass(2)
    await look(1, 'create')
    await look(0)
    await run(1)
    expect(writers()).to.deep.equal([0])
  })

  it('D17 is not taken from one who came after the dead one that it is taken from', async () => {
    const { acts, look, run, end, writers } = await heldOn0()
    await look(1)
    await acts.pass(2)
    await acts.pass(2)
    await look(1, 'create')
    await acts.kill(0)
    await acts.start(0)
    await look(0, 'create')
    await run(1)
    expect(writers()).to.deep.equal([1])
    await end(1)
    await look(2)
    await run(0)
    expect(writers()).to.deep.equal([2])
  })

  it('D17 is not taken under a number that was held before without seeing whether that still counts', async () => {
    const { acts, look, run, writers, volumes } = await heldOn0()
    await acts.kill(0)
    await acts.start(0)
    await look(0)
    volumes.volumes.clear()
    await acts.pass(2)
    await look(1)
    await look(0)
    expect(writers()).to.deep.equal([1])
    await acts.pass(2)
    await acts.pass(2)
    await look(0, 'create')
    await look(1)
    await run(0)
    expect(writers()).to.deep.equal([1])
  })

  it('D17 is not acted on as it was before the process was stopped', async () => {
    const { acts, look, run, end, writers } = await heldOn0()
    await acts.kill(0)
    await look(1)
    await acts.pass(2)
    await acts.pass(2)
    await look(1, 'create')
    await acts.arrive(1)
    await acts.answer(1)
    await turn()
    await acts.arrive(1)
    await acts.stop(1)
    await look(2)
    await acts.pass(2)
    await acts.pass(2)
    await look(2)
    expect(writers()).to.deep.equal([2])
    await end(2)
    await acts.start(0)
    await look(0)
    await acts.stop(1)
    await run(1)
    expect(writers()).to.deep.equal([0])
  })
})

/** A world in which the process on the first machine has the claim. */
async function heldOn0(): Promise<ReturnType<typeof claimWorld>> {
  const world = claimWorld()
  for (let machine = 0; machine < machines; machine += 1) await world.acts.start(machine)
  await world.look(0)
  expect(world.writers()).to.deep.equal([0])
  return world
}
