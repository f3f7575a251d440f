import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../../lib/reconcile/site/pass-request.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { leaveEngines } from '../../../../../lib/reconcile/site/writer/leave-engines.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import { claimLabels, claimName, claimOn } from '../../../../../lib/writer/on-engine/claim.ts'
import { type MemoryClaims, memoryClaims } from '../../../../support/memory/memory-claims.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine, runningOn } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const look: RoundRequest = {
  ...{ trigger: 'command', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false } },
}
const apply: RoundRequest = { ...look, answer: { who: 'ann', via: 'flag' } }
const likely: RoundRequest = { ...apply, likelyOn: new Set(['local']) }
const [one, two, three] = ['1', '2', '3'].map(version => manifestOf('prod', { web: version })) as [
  Files,
  Files,
  Files,
]
type Files = ReturnType<typeof manifestOf>

const claim = claimOn({ source: 'ops/manifests', environment: 'prod' })
const nodeThree = { id: 'z', machine: 'machine of z', who: 'pid 71 on node-3' }

/** When another machine acts: once the first one has seen that nobody writes, or when its claim is about to be made. */
type Moment = 'list' | 'create'

/** One engine, and commands on machines of their own, each with a state directory of its own. */
function machines() {
  const claims = memoryClaims()
  const { list, create } = claims
  const base = memoryEngine({ distribution: everyImage })
  let observe = base.observe
  const engine: MemoryEngine = { ...base, claims, observe: (...asked) => observe(...asked) }
  const command = (name: string, files: Files, journal = memoryJournal()) => {
    const me = { id: name, machine: `machine of ${name}`, who: `pid 1 on ${name}` }
    const claiming = { me, pace: { lookMs: 1e9, waitMs: 1e9 }, random: () => 1 }
    const { worlds, close } = memoryWorlds({ files, engine, journal, claiming })
    return { world: worlds[0] as World, journal, close }
  }
  /** One starts, applies what it finds, and ends. */
  const write = async (name: string, files: Files) => {
    const { world, journal, close } = command(name, files)
    expect((await round(world, apply, signal)).outcome).to.equal('applied')
    await close()
    return journal
  }
  /** Has something happen once, at the next look at what runs. */
  const atObserve = (
    happens: (look: () => ReturnType<Engine['observe']>) => ReturnType<Engine['observe']>,
  ) => {
    observe = (...asked) => {
      observe = base.observe
      return happens(() => base.observe(...asked))
    }
  }
  /** Has something happen once, before such a call about claims; the first one of the next process lists them. */
  const justBefore = (moment: Moment, happens: () => Promise<unknown>) => {
    let isFirst = moment === 'list'
    const call = { list, create }[moment]
    const waiting = async (...asked: [never, never, never]) => {
      if (isFirst) {
        isFirst = false
      } else {
        Object.assign(claims, { list, create })
        await happens()
      }
      return call(...asked)
    }
    Object.assign(claims, { [moment]: waiting })
  }
  return { engine, claims, command, write, atObserve, justBefore }
}

/** How a pass ended, why, and the message of that. */
const ended = ({ outcome, errors: [error] }: PassResult) => [outcome, error?.code, error?.message]

/** How a pass ended that nobody answered, and what it plans. */
const asked = ({ outcome, plan }: PassResult) => [outcome, plan?.changes.map(({ cause }) => cause)]

/** The calls about claims, since they were looked at last. */
function callsOf({ calls }: MemoryClaims): readonly string[] {
  return calls.splice(0)
}

const namesOf = ({ volumes }: MemoryClaims) => [...volumes.keys()].map(name => name.split('-')[3])

describe('a command that finds nobody who writes', () => {
  it('D17 G2 asks once, and makes no claim where it changes nothing', async () => {
    const { claims, command, write } = machines()
    const journal = await write('a', one)
    callsOf(claims)
    const { world, close } = command('b', one, journal)
    expect((await round(world, look, signal)).outcome).to.equal('in-sync')
    await close()
    expect([callsOf(claims), namesOf(claims)]).to.deep.equal([['list'], ['wrote']])
  })

  it('D17 makes none either where what it would change waits for a person', async () => {
    const { claims, command } = machines()
    const { world, close } = command('a', one)
    expect((await round(world, { ...look, onlyAsks: true }, signal)).outcome).to.equal('needs-confirmation')
    await close()
    expect(callsOf(claims)).to.deep.equal(['list'])
  })

  it('D17 makes the claim before the first change, its mark beside that, and at the end removes the claim alone', async () => {
    const {
      claims,
      command,
      engine: { done },
    } = machines()
    const { world, close } = command('a', one)
    const atFirst: (readonly string[])[] = []
    const onApply = () => void atFirst.push(callsOf(claims), [...done])
    expect((await round(world, { ...apply, onApply }, signal)).outcome).to.equal('applied')
    expect(atFirst).to.deep.equal([['list', 'list', 'create 1', 'list'], []])
    expect([callsOf(claims), namesOf(claims)]).to.deep.equal([['create wrote'], ['1', 'wrote']])
    await close()
    expect([callsOf(claims), namesOf(claims)]).to.deep.equal([['remove 1'], ['wrote']])
  })

  it('D17 makes the claim while it looks, if it is likely to change something', async () => {
    const { claims, command, atObserve } = machines()
    const { world, close } = command('a', one)
    let seen: readonly string[] = []
    atObserve(async observe => {
      await turn()
      seen = callsOf(claims)
      return observe()
    })
    expect((await round(world, likely, signal)).outcome).to.equal('applied')
    expect([seen, callsOf(claims)]).to.deep.equal([['list', 'list', 'create 1', 'list'], ['create wrote']])
    await close()
  })

  it('D17 removes such a claim again if there is nothing to change after all', async () => {
    const { claims, command, write } = machines()
    const journal = await write('a', one)
    const { world, close } = command('b', one, journal)
    expect((await round(world, likely, signal)).outcome).to.equal('in-sync')
    await close()
    expect(namesOf(claims)).to.deep.equal(['wrote'])
  })

  it('D17 gives its claim up once it changes nothing more, and makes another one for what comes then', async () => {
    const { claims, command } = machines()
    const { world, close } = command('a', one)
    await round(world, apply, signal)
    await leaveEngines(world)
    expect(namesOf(claims)).to.deep.equal(['wrote'])
    callsOf(claims)
    expect((await round(world, look, signal)).outcome).to.equal('in-sync')
    expect(callsOf(claims)).to.deep.equal(['list'])
    await close()
    expect(callsOf(claims)).to.deep.equal([])
  })

  for (const [how, request] of [
    ['before its first change', apply],
    ['as it looks, because a change is likely', likely],
  ] as const) {
    it(`D17 changes nothing if another one has the claim by the time it makes one ${how}, and says who that is`, async () => {
      const { claims, command, justBefore, engine } = machines()
      const { world, journal, close } = command('a', one)
      const labels = claimLabels(claim, 'prod', nodeThree, 'k1', undefined)
      justBefore('list', () => claims.create(claimName(claim, 2), labels, signal))
      const [outcome, code, message] = ended(await round(world, request, signal))
      expect([outcome, code]).to.deep.equal(['interrupted', 'another-writer'])
      expect(message).to.include(', pid 71 on node-3 since 2026-03-01T11:00:00.000Z; this one only observes')
      expect([engine.done, [...journal.attempts('prod', 'local')]]).to.deep.equal([[], []])
      await close()
      expect(namesOf(claims)).to.deep.equal(['2'])
    })

    for (const moment of ['list', 'create'] as const)
      it(`D17 changes nothing if another one wrote and ended by the time it makes a claim ${how}: ${moment}`, async () => {
        const { claims, command, write, justBefore, engine } = machines()
        const journal = await write('a', one)
        const { world, close } = command('b', two, journal)
        justBefore(moment, async () => {
          await write('z', three)
          callsOf(claims)
        })
        const result = await round(world, request, signal)
        // A plan that is void makes no claim.
        expect(callsOf(claims)).to.deep.equal(moment === 'list' ? ['list'] : ['create 1', 'list'])
        expect(ended(result)).to.deep.equal([
          'interrupted',
          'another-writer',
          'local: another tallyman wrote to environments/prod of ops/manifests (https://git.example.com/ops/manifests) after this was planned, which is not carried out any further',
        ])
        expect(result.errors[0]?.hint).to.equal(
          'Run the command again: it plans anew, by what is there now. A daemon does so by itself.',
        )
        expect(runningOn(engine)).to.deep.equal(['web:3'])
        await close()
        expect(namesOf(claims)).to.deep.equal(['wrote'])
      })
  }

  it('D17 plans anew by what another one brought about after it was planned when it is run again, and asks', async () => {
    const { command, write, justBefore } = machines()
    const journal = await write('a', one)
    const { world, close } = command('b', two, journal)
    justBefore('list', () => write('z', three))
    expect((await round(world, apply, signal)).errors[0]?.code).to.equal('another-writer')
    await close()
    const again = await round(command('c', two, journal).world, look, signal)
    expect(asked(again)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 repairs nothing as drift that another one brought about as it was seen as wanted', async () => {
    const { command, write, atObserve } = machines()
    const journal = await write('a', one)
    const { world, close } = command('b', one, journal)
    atObserve(async observe => {
      const seen = await observe()
      await write('z', two)
      return seen
    })
    expect((await round(world, look, signal)).outcome).to.equal('in-sync')
    await close()
    const again = await round(command('c', one, journal).world, look, signal)
    expect(asked(again)).to.deep.equal(['needs-confirmation', ['diverged']])
  })

  it('D17 lets one of two that plan at the same time begin, and the other one change nothing', async () => {
    const { claims, command, justBefore, engine } = machines()
    const [a, b] = [command('a', one), command('b', two)]
    const first: PassResult[] = []
    justBefore('list', async () => void first.push(await round(b.world, apply, signal)))
    const second = await round(a.world, apply, signal)
    expect(first.map(({ outcome }) => outcome)).to.deep.equal(['applied'])
    expect(ended(second).slice(0, 2)).to.deep.equal(['interrupted', 'another-writer'])
    expect(runningOn(engine)).to.deep.equal(['web:2'])
    await Promise.all([a.close(), b.close()])
    expect(namesOf(claims)).to.deep.equal(['wrote'])
  })

  for (const code of ['claim-refused', 'disk-full'] as const)
    it(`D17 G5 changes nothing and fails no version if the claim cannot be made then: ${code}`, async () => {
      const {
        claims,
        command,
        engine: { done },
      } = machines()
      const create = async () => {
        throw new Failure(code, 'no volume')
      }
      Object.assign(claims, { create })
      const { world, journal } = command('a', one)
      expect(ended(await round(world, apply, signal))).to.deep.equal(['failed', code, 'no volume'])
      expect([done, [...journal.attempts('prod', 'local')]]).to.deep.equal([[], []])
    })

  it('D17 makes the claim before a Swarm gets another login, although nothing else changes', async () => {
    const { claims, command, engine } = machines()
    const atRenewal: (readonly string[])[] = []
    const renewLogins = async () => {
      atRenewal.push(callsOf(claims))
      return ['web']
    }
    Object.assign(engine, {
      renewLogins,
      guarded(certainly: () => Promise<void>) {
        return { ...this, renewLogins: () => certainly().then(renewLogins) }
      },
    })
    const { world, close } = command('a', manifestOf('prod', {}))
    expect((await round(world, look, signal)).outcome).to.equal('in-sync')
    expect(atRenewal).to.deep.equal([['list', 'list', 'create 1', 'list', 'create wrote']])
    await close()
    expect([callsOf(claims), namesOf(claims)]).to.deep.equal([['remove 1'], ['wrote']])
  })

  it('D17 takes the claim as ever if one is there', async () => {
    const { claims, command } = machines()
    const { world, close } = command('b', one)
    const killed = { ...nodeThree, machine: 'machine of b' }
    await claims.create(claimName(claim, 4), claimLabels(claim, 'prod', killed, 'k1', undefined), signal)
    callsOf(claims)
    await round(world, look, signal)
    expect(callsOf(claims)).to.deep.equal(['list', 'create 5', 'list', 'remove 4', 'list'])
    await close()
    expect(namesOf(claims)).to.deep.equal(['wrote'])
  })

  it('D17 changes nothing if a volume imitates a claim, whether it is listed as one or is found when it is made', async () => {
    for (const [labels, outcome] of [
      [{ 'tallyman.claim': claim }, 'planned'],
      [{}, 'failed'],
    ] as const) {
      const { claims, command, engine } = machines()
      await claims.create(claimName(claim, 1), labels, signal)
      const result = await round(command('a', one).world, apply, signal)
      expect([ended(result).slice(0, 2), engine.done]).to.deep.equal([[outcome, 'name-taken'], []])
    }
  })
})
