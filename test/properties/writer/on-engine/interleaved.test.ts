import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { claimWorld, machines } from './claim-world.ts'

type Act = keyof ReturnType<typeof claimWorld>['acts']

const weighted = fc.oneof(
  ...Object.entries({
    look: 5,
    glance: 5,
    prepare: 2,
    step: 5,
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
/** What the processes of a machine do, one after the other: they look, begin steps, and end, or are killed. */
const life = fc
  .tuple(
    fc.constantFrom<Act[]>(['look'], ['glance'], ['glance', 'prepare'], ['glance', 'glance']),
    fc.constantFrom<Act[]>([], ['step'], ['step', 'step'], ['step', 'stop', 'stop', 'step']),
    fc.constantFrom<Act>('end', 'end', 'kill'),
  )
  .map(([looks, steps, end]): Act[] => ['start', ...looks, ...steps, end])
const lifetimes = fc.array(
  fc.array(life, { minLength: 2, maxLength: 4 }).map(all => all.flat()),
  { minLength: machines, maxLength: machines },
)
/** Which machine does what comes next there, until such a call of it is about to arrive, and how much time passes before. */
const moments = fc.array(
  fc.record({
    machine: fc.nat(machines - 1),
    until: fc.option(fc.constantFrom('list', 'create', 'remove'), { freq: 2 }),
    passes: fc.option(fc.nat(2), { freq: 2 }),
  }),
  { minLength: 15, maxLength: 50 },
)

/**
 * Processes on machines, one after the other: how each looks, how often it writes if it may, and how it ends; otherwise
 * it stays.
 */
const lives = fc.array(
  fc.tuple(
    fc.nat(machines - 1),
    fc.constantFrom('look', 'glance'),
    fc.nat(2),
    fc.constantFrom('ends', 'dies', 'stays'),
  ),
  { minLength: 3, maxLength: 12 },
)

describe('the claim on an engine, however calls and deaths interleave', () => {
  it('D17 lets two processes never begin a step at the same time, none on a plan from before another one wrote, and somebody in the end', async () => {
    await fc.assert(
      fc.asyncProperty(history, async acts => {
        const { acts: act, wrong, writers, settle, processes } = claimWorld()
        for (let machine = 0; machine < machines; machine += 1) await act.start(machine)
        for (const [name, machine] of acts) {
          await act[name](machine)
          await turn()
          expect(writers().length, JSON.stringify([name, machine])).to.be.lessThan(2)
          expect(wrong).to.deep.equal([])
        }
        await settle()
        expect(writers().length).to.equal(processes.size === 0 ? 0 : 1)
      }),
      { numRuns: 150 },
    )
  })

  it('D17 lets none do so either if each gets some way before another one does something', async () => {
    await fc.assert(
      fc.asyncProperty(lifetimes, moments, async (lived, when) => {
        const { acts, wrong, writers, run } = claimWorld()
        const left = lived.map(all => [...all])
        for (const { machine, until, passes } of when) {
          if (passes !== null) await acts.pass(passes)
          const name = left[machine]?.shift()
          if (name !== undefined) await acts[name](machine)
          await run(machine, until ?? undefined)
          expect(writers().length, JSON.stringify([name, machine])).to.be.lessThan(2)
          expect(wrong).to.deep.equal([])
        }
      }),
      { numRuns: 400 },
    )
  })

  it('D17 tells whoever takes it, or finds nobody who has it, that somebody else wrote since its own journal did', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async lived => {
        const { acts, look, run, end, planned, writes, wrong } = claimWorld()
        for (const [machine, how, steps, then] of lived) {
          await acts.start(machine)
          for (const _ of ['asks', 'asks again', 'takes']) {
            await look(machine, undefined, how)
            await acts.pass(2)
          }
          await look(machine, undefined, how)
          expect(planned(machine)).to.equal(writes())
          for (let done = 0; done < steps; done += 1) {
            await acts.step(machine)
            await run(machine)
            expect(planned(machine)).to.equal(writes())
          }
          if (then === 'ends') await end(machine)
          if (then === 'dies') await acts.kill(machine)
          expect(wrong).to.deep.equal([])
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

  it('D17 is not removed from one who came later by one who was stopped as it gave its own up', async () => {
    const { acts, look, run, end, writers, volumes } = await heldOn0()
    await acts.step(0)
    await turn()
    await acts.lose(0)
    await acts.end(0)
    await run(0, 'create')
    await acts.arrive(0)
    await acts.stop(0)
    await look(1)
    await acts.pass(2)
    await acts.pass(2)
    await look(1)
    await end(1)
    await look(2)
    const claims = [...volumes.volumes.keys()]
    await acts.stop(0)
    await run(0)
    expect([...volumes.volumes.keys()]).to.include.members(claims)
    expect(writers()).to.deep.equal([2])
  })

  it('D17 is not held for longer by a look in which a question came and was not answered', async () => {
    const { acts, look, run, writers } = await heldOn0()
    await look(1)
    await look(0, 'list')
    await acts.arrive(0)
    await acts.answer(0)
    await run(0, 'list')
    await look(2)
    await acts.pass(1)
    await acts.pass(2)
    await run(0)
    await acts.pass(1)
    await acts.pass(1)
    await look(2)
    expect(writers()).to.deep.equal([2])
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
