import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { claim } from '../../../lib/reconcile/claim.ts'
import type { ClaimResult, EngineDoor } from '../../../lib/writer.ts'
import { identity } from '../../support/builders.ts'
import { manifestOf, memoryWorlds, silent } from '../../support/memory-daemon.ts'
import { memoryEngine } from '../../support/memory-engine.ts'

const { signal } = new AbortController()
const ours = identity('prod')

function down(site: string): Engine {
  const info = async () => {
    throw new Failure('engine-unreachable', `${site}: no answer`)
  }
  return { ...memoryEngine({ site }), info }
}

/** A claim on these engines, and what the writer answers to it, the last of the answers from then on. */
function claiming(engines: readonly Engine[], ...answers: readonly ClaimResult[]) {
  const [said, asked]: [string[], EngineDoor[][]] = [[], []]
  const { worlds, journal } = memoryWorlds({ files: manifestOf('prod', {}), engines })
  const [first] = worlds
  if (first === undefined) throw new Error('there is one')
  const writer = {
    claim: async (_: object, __: object, doors: readonly EngineDoor[]): Promise<ClaimResult> => {
      asked.push([...doors])
      return answers[asked.length - 1] ?? answers.at(-1) ?? { isOurs: true }
    },
    release: async () => undefined,
  }
  const world = { ...first, writer, log: { ...silent, warn: (words: string) => said.push(words) } }
  return { world, journal, said, asked, claim: () => claim(world, ours, signal) }
}

/** Message and hint of who writes instead. */
function told(failure: Failure | undefined): unknown {
  if (failure === undefined) return undefined
  const { code, message, hint } = failure
  return { code, message, hint }
}

const usualHint = new Failure('another-writer', '').hint

describe('the claim on what an environment runs on', () => {
  it('D17 is made once for all engines, by their ids and the sockets that lead to them', async () => {
    const engines = [
      { ...memoryEngine({ site: 'near' }), socket: '/run/docker.sock' },
      memoryEngine({ site: 'far' }),
    ]
    const { claim, asked, journal } = claiming(engines)
    expect([await claim(), await claim()]).to.deep.equal([undefined, undefined])
    expect(asked).to.deep.equal([[{ id: 'near', socket: '/run/docker.sock' }, { id: 'far' }]])
    const { source, directory } = ours
    expect(journal.environments()).to.deep.equal([{ environment: 'prod', source, directory }])
  })

  it('G17 is made on the engines that answer, and again until all of them have', async () => {
    const { world, claim, asked } = claiming([down('down'), memoryEngine({ site: 'up' })])
    expect(await claim()).to.equal(undefined)
    expect(await claim()).to.equal(undefined)
    expect([asked, world.memory.claimed]).to.deep.equal([[[{ id: 'up' }], [{ id: 'up' }]], false])
  })

  it('G23 passes strangers over who hold its name, is made again, and tells of them once', async () => {
    const strangers = {
      isOurs: true,
      strangers: ['"nc -l" (process 7 of eve)', 'a process of mallory'],
    } as const
    const nobody = { isOurs: true, strangers: [] } as const
    const { world, claim, said } = claiming(
      [memoryEngine()],
      strangers,
      strangers,
      { isOurs: true },
      nobody,
      { isOurs: true },
    )
    const words = (who: string) =>
      `${who} holds the name by which other users see that prod is written here, and is passed over, because it may not open the engine's socket`
    await claim()
    await claim()
    expect([said, world.memory.claimed]).to.deep.equal([
      [words('"nc -l" (process 7 of eve), a process of mallory')],
      false,
    ])
    await claim()
    expect([said.length, world.memory.claimed]).to.deep.equal([1, true])
    delete world.memory.claimed
    await claim()
    expect(said.at(-1)).to.equal(words('no process'))
  })

  it('D17 G13 leaves the environment to who has it, says who that is, and writes nothing down', async () => {
    const rival = { ...ours, address: 'https://elsewhere.example.com/ops/manifests' }
    const { world, claim, journal } = claiming([memoryEngine()], { isOurs: false, rival })
    expect(told(await claim())).to.deep.equal({
      code: 'another-writer',
      message:
        'another tallyman runs prod here, environments/prod of ops/manifests (https://elsewhere.example.com/ops/manifests); this one only observes environments/prod of ops/manifests (https://git.example.com/ops/manifests)',
      hint: 'If these are two repositories, give one of them a name of its own: "repository: {name: …}" in its configuration.',
    })
    expect([journal.environments(), world.memory.claimed]).to.deep.equal([[], undefined])
  })

  it('G13 gives no hint about names where it is the same repository', async () => {
    const { claim } = claiming([memoryEngine()], { isOurs: false, rival: ours })
    expect(told(await claim())).to.have.property('hint', usualHint)
  })

  it('G13 tells how to find one that does not say who it is', async () => {
    const silent = { name: 'tallyman/0123', holders: ['"nc -l" (process 7)'] }
    expect(told(await claiming([memoryEngine()], { isOurs: false, silent }).claim())).to.deep.equal({
      code: 'another-writer',
      message: 'another tallyman runs prod here, "nc -l" (process 7); this one only observes',
      hint: 'Find it with "sudo ss -xap | grep tallyman/0123", and end it, unless it is a tallyman: then use that one.',
    })
    const unknown = { isOurs: false, silent: { name: 'tallyman/0123', holders: [] } } as const
    expect(told(await claiming([memoryEngine()], unknown).claim())).to.have.property(
      'message',
      'another tallyman runs prod here; this one only observes',
    )
    expect(told(await claiming([memoryEngine()], { isOurs: false }).claim())).to.deep.equal({
      code: 'another-writer',
      message: 'another tallyman runs prod here; this one only observes',
      hint: usualHint,
    })
  })
})
