import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import { itemsOf } from '../../../../../lib/reconcile/site/decision/needs-approval.ts'
import type { RoundRequest } from '../../../../../lib/reconcile/site/pass-request.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { keptJournal, memoryJournal } from '../../../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const look: RoundRequest = {
  ...{ trigger: 'poll', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false } },
  isRepeated: true,
}
const apply: RoundRequest = { ...look, answer: { who: 'ann', via: 'flag' } }
const [two, four] = ['2', '4'].map(version => manifestOf('prod', { web: version })) as [Files, Files]
type Files = ReturnType<typeof manifestOf>

/** Daemons that come and go on one engine. Each has a process id, a machine and a state directory. */
function daemons() {
  let ms = 1_000_000
  const engine = memoryEngine({ distribution: everyImage })
  const start = (
    id: string,
    files: Files,
    journal = memoryJournal(),
    rivalOn: readonly string[] = [],
    machine = `machine of ${id}`,
  ) => {
    const me = { id, machine, who: `pid 1 on ${id}` }
    const pace = { lookMs: 1e9, waitMs: 1e9 }
    const claiming = { me, pace, random: () => 1, sinceBootMs: () => ms }
    const { worlds, close, commit } = memoryWorlds({ files, engine, journal, claiming, rivalOn })
    return { world: worlds[0] as World, journal, close, commit }
  }
  /** One starts, applies what it finds, and ends. */
  const write = async (id: string, files: Files) => {
    const daemon = start(id, files)
    expect((await round(daemon.world, apply, signal)).outcome).to.equal('applied')
    await daemon.close()
    return daemon
  }
  const wait = (byMs: number) => {
    ms += byMs
  }
  /** One looks, and is killed as soon as the engine has carried out such a call about a claim. */
  const diesAfter = async (what: 'create' | 'remove', { world }: { readonly world: World }) => {
    const { create, remove } = engine.claims
    const killed = () => {
      throw new Failure('interrupted', 'it is killed')
    }
    Object.assign(engine.claims, {
      [what]: async (...asked: Parameters<typeof create>) => {
        await (what === 'create' ? create(...asked) : remove(asked[0], asked[2]))
        return killed()
      },
    })
    await round(world, look, signal)
    Object.assign(engine.claims, { create, remove })
  }
  return { engine, start, write, diesAfter, wait }
}

/** What a pass that nobody answers ended with, and what it plans. Whoever only plans before it is shown the same. */
async function planned(world: World) {
  const shown = await round(world, { ...look, until: 'plan' }, signal)
  const { outcome, plan } = await round(world, look, signal)
  const causes = plan?.changes.map(({ cause }) => cause)
  expect([shown.plan?.changes.map(({ cause }) => cause), shown.plan?.id]).to.deep.equal([causes, plan?.id])
  return [outcome, causes]
}

describe('a daemon that writes again after another one', () => {
  it('D17 asks before it changes what the other one deployed', async () => {
    const { start, write } = daemons()
    const first = await write('a', two)
    const second = start('b', four)
    expect((await round(second.world, apply, signal)).outcome).to.equal('applied')
    const again = start('c', two, first.journal)
    expect((await round(again.world, look, signal)).errors[0]?.code).to.equal('another-writer')
    await second.close()
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 asks when the other one died without an answer', async () => {
    const { start, write, wait } = daemons()
    const first = await write('a', two)
    await round(start('b', four).world, apply, signal)
    const again = start('c', two, first.journal)
    await round(again.world, look, signal)
    wait(60_001)
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 asks when the other one wrote on the same machine', async () => {
    const { start, write, engine } = daemons()
    const first = await write('a', two)
    const second = start('b', four)
    await round(second.world, apply, signal)
    const { id } = await engine.info(signal)
    const standby = start('c', two, first.journal, [id])
    expect((await round(standby.world, look, signal)).errors[0]?.code).to.equal('another-writer')
    await second.close()
    const again = start('d', two, first.journal)
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 asks when it was off while the other one wrote and ended', async () => {
    const { start, write } = daemons()
    const first = await write('a', two)
    await write('b', four)
    expect(await planned(start('c', two, first.journal).world)).to.deep.equal([
      'needs-confirmation',
      ['diverged'],
    ])
  })

  it('D17 asks when it was off while the other one removed a service', async () => {
    const { start, write } = daemons()
    const both = manifestOf('prod', { web: '2', api: '1' })
    const first = await write('a', both)
    await write('b', two)
    expect(await planned(start('c', both, first.journal).world)).to.deep.equal([
      'needs-confirmation',
      ['missing'],
    ])
  })

  it('D17 asks when the other one was killed, and a third ended after it without writing', async () => {
    const { start, write, wait } = daemons()
    const first = await write('a', two)
    await round(start('b', four).world, apply, signal)
    const third = start('c', four)
    await round(third.world, look, signal)
    wait(60_001)
    expect((await round(third.world, look, signal)).outcome).to.equal('in-sync')
    await third.close()
    expect(await planned(start('d', two, first.journal).world)).to.deep.equal([
      'needs-confirmation',
      ['diverged'],
    ])
  })

  it('D17 asks when it was killed in the moment in which it took over from the other one', async () => {
    const { start, write, diesAfter } = daemons()
    const first = await write('a', two)
    await round(start('b', four).world, apply, signal)
    await diesAfter('remove', start('c', two, first.journal, [], 'machine of b'))
    const again = start('d', two, first.journal, [], 'machine of b')
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 X18 asks again about what somebody approved before the other one wrote, and shows so before', async () => {
    const { start, write } = daemons()
    const first = start('a', two)
    await round(first.world, apply, signal)
    first.commit(four)
    const { plan, waiting } = await round(first.world, look, signal)
    if (plan === undefined) throw new Error('there is a plan')
    const { id: planId, environment, revision } = plan
    const { commit } = revision
    const parts = [{ site: 'local', planId, commit, items: itemsOf(waiting) }]
    const atMs = first.world.nowMs()
    const said = { environment, planId, commit, who: 'ann', via: 'control', parts } as const
    first.journal.approve({ ...said, atMs, expiresAtMs: atMs + 60_000 })
    const show = (world: World) => round(world, { ...look, until: 'plan' }, signal)
    expect((await show(start('b', four, first.journal).world)).waiting.length).to.equal(0)
    await first.close()
    await write('c', manifestOf('prod', { web: '3' }))
    const again = start('d', four, first.journal)
    expect((await show(again.world)).waiting.length).to.equal(1)
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 repairs without asking if the other one wrote nothing', async () => {
    const { start, write, engine } = daemons()
    const first = await write('a', two)
    const second = start('b', two)
    expect((await round(second.world, look, signal)).outcome).to.equal('in-sync')
    await second.close()
    engine.lose()
    expect(await planned(start('c', two, first.journal).world)).to.deep.equal(['applied', ['drifted']])
  })

  it('D17 asks once about what another one wrote, however often it is started again', async () => {
    const { start, write, engine } = daemons()
    const first = await write('a', two)
    await write('b', four)
    const again = start('c', four, first.journal)
    expect((await round(again.world, look, signal)).outcome).to.equal('in-sync')
    await again.close()
    const later = start('d', four, first.journal)
    engine.lose()
    expect(await planned(later.world)).to.deep.equal(['applied', ['drifted']])
  })

  it('D17 repairs without asking again once it has seen the site as wanted', async () => {
    const { start, write, engine } = daemons()
    const first = await write('a', two)
    const second = start('b', two)
    await round(second.world, apply, signal)
    const again = start('c', two, first.journal)
    await round(again.world, look, signal)
    await second.close()
    expect(await planned(again.world)).to.deep.equal(['in-sync', []])
    engine.lose()
    expect(await planned(again.world)).to.deep.equal(['applied', ['drifted']])
  })
})

describe('a daemon that is started again with its state directory', () => {
  for (const [how, ends] of [
    ['after a clean end', true],
    ['after it was killed', false],
  ] as const)
    it(`D17 repairs without asking ${how}`, async () => {
      const { start, engine, wait } = daemons()
      const first = start('a', two)
      await round(first.world, apply, signal)
      if (ends) await first.close()
      engine.lose()
      const again = start('b', two, first.journal)
      if (!ends) await round(again.world, look, signal)
      wait(60_001)
      expect(await planned(again.world)).to.deep.equal(['applied', ['drifted']])
    })

  it('D17 repairs without asking after it was killed in the moment in which it got the claim', async () => {
    const { start, write, diesAfter, engine, wait } = daemons()
    const first = await write('a', two)
    await diesAfter('create', start('b', two, first.journal))
    engine.lose()
    const again = start('c', two, first.journal)
    expect((await round(again.world, look, signal)).errors[0]?.code).to.equal('another-writer')
    wait(60_001)
    expect(await planned(again.world)).to.deep.equal(['applied', ['drifted']])
  })
})

describe('a daemon that is started with a backup of its state directory', () => {
  /** Version 2 is deployed, a backup is made, and the same process does more. */
  async function backedUp() {
    const all = daemons()
    const { journal, backUp } = keptJournal()
    const first = all.start('a', two, journal)
    await round(first.world, apply, signal)
    return { ...all, first, backup: backUp() }
  }

  it('D17 G25 asks before it changes what was deployed after the backup', async () => {
    const { start, first, backup } = await backedUp()
    first.commit(four)
    expect((await round(first.world, apply, signal)).outcome).to.equal('applied')
    await first.close()
    const again = start('b', two, backup.restored().journal)
    const said: string[] = []
    const world = {
      ...again.world,
      log: { ...again.world.log, warn: (text: string) => void said.push(text) },
    }
    expect(await planned(world)).to.deep.equal(['needs-confirmation', ['diverged']])
    expect(await planned(world)).to.deep.equal(['needs-confirmation', ['diverged']])
    expect(said).to.deep.equal([
      'local: something there was made after the last that this state directory has on record, as if it was restored from a backup. What runs is not taken for drift',
    ])
  })

  it('D17 G25 asks too where a version came back that ran before the backup', async () => {
    const { start, engine } = daemons()
    const { journal, backUp } = keptJournal()
    const first = start('a', two, journal)
    await round(first.world, apply, signal)
    first.commit(four, '4'.repeat(40))
    await round(first.world, apply, signal)
    const backup = backUp()
    first.commit(two, '5'.repeat(40))
    expect((await round(first.world, apply, signal)).outcome).to.equal('applied')
    await first.close()
    expect([...engine.has().containers.values()].map(({ image }) => image.split(':')[1])).to.deep.equal(['2'])
    const again = start('b', four, backup.restored().journal)
    expect(await planned(again.world)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 repairs without asking if nothing was made since, and once the site was as wanted', async () => {
    const { start, first, backup, engine } = await backedUp()
    await first.close()
    engine.lose()
    const again = start('b', two, backup.restored().journal)
    expect(await planned(again.world)).to.deep.equal(['applied', ['drifted']])
    await again.close()
    const older = start('c', two, backup.restored().journal)
    expect(await planned(older.world)).to.deep.equal(['in-sync', []])
    engine.lose()
    expect(await planned(older.world)).to.deep.equal(['applied', ['drifted']])
  })
})
