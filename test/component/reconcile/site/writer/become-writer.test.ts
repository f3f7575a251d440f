import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Engine } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { sitesOf } from '../../../../../lib/reconcile/site/site.ts'
import { claim, giveUp } from '../../../../../lib/reconcile/site/writer/become-writer.ts'
import type { SiteClaim } from '../../../../../lib/reconcile/site/writer/site-claim.ts'
import { type ClaimResult, createWriter, type EngineDoor } from '../../../../../lib/writer.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { manifestOf, memoryWorlds, silent } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const ours = identity('prod')
const atOnce = { isPatient: false, begins: 'at once' } as const

function down(site: string): Engine {
  const info = async () => {
    throw new Failure('engine-unreachable', `${site}: no answer`)
  }
  return { ...memoryEngine({ site }), info }
}

/** A claim on an engine, and what the writer answers to it, the last of the answers from then on. */
function claiming(engine: Engine, ...answers: readonly ClaimResult[]) {
  const [said, asked]: [string[], EngineDoor[][]] = [[], []]
  const { worlds, journal } = memoryWorlds({ files: manifestOf('prod', {}), engines: [engine] })
  const [first] = worlds
  if (first === undefined) throw new Error('there is one')
  const writer = {
    claim: async (_: object, __: object, doors: readonly EngineDoor[]): Promise<ClaimResult> => {
      asked.push([...doors])
      return answers[asked.length - 1] ?? answers.at(-1) ?? { isOurs: true }
    },
    leave: async () => undefined,
    release: async () => undefined,
  }
  const world = { ...first, writer, log: { ...silent, warn: (words: string) => said.push(words) } }
  const memory = world.memory.sites.of(engine.site)
  const { writership } = memory
  return {
    writership,
    isHeld: () => writership.isHeld('prod'),
    journal,
    said,
    asked,
    claim: () => claim({ world, engine, memory }, ours, atOnce, signal),
  }
}

/** Message and hint of who writes instead. */
function told(claimed: SiteClaim): unknown {
  if (claimed.state === 'ours') return undefined
  const { code, message, hint } = claimed.failure
  return { code, message, hint }
}

const usualHint = new Failure('another-writer', '').hint

describe('the claim on what an environment runs on', () => {
  it('D17 is made once, by the id of the engine and the socket that leads to it', async () => {
    const { claim, asked, journal } = claiming({
      ...memoryEngine({ site: 'near' }),
      socket: '/run/docker.sock',
    })
    expect([await claim(), await claim()]).to.deep.equal([{ state: 'ours' }, { state: 'ours' }])
    expect(asked).to.deep.equal([[{ id: 'near', socket: '/run/docker.sock' }]])
    const { source, directory } = ours
    expect(journal.environments()).to.deep.equal([{ environment: 'prod', source, directory }])
  })

  it('D17 G17 is made on both of two machines whose engines have one id, because one image was copied', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tallyman-claims-'))
    const writer = createWriter(directory)
    const info = { id: randomUUID(), version: '27.0.0', os: 'linux', architecture: 'amd64' }
    const engines = ['near', 'far'].map(site => ({
      ...memoryEngine({ site }),
      info: async () => ({ ...info, host: site }),
    }))
    const { worlds } = memoryWorlds({ files: manifestOf('prod', {}), engines })
    const [first] = worlds
    if (first === undefined) throw new Error('there is one')
    const world = { ...first, writer }
    const claimed = []
    for (const site of sitesOf(world)) claimed.push(await claim(site, ours, atOnce, signal))
    await writer.release()
    rmSync(directory, { recursive: true })
    expect(claimed).to.deep.equal([{ state: 'ours' }, { state: 'ours' }])
  })

  it('D17 G17 is given up on a site that the environment left, unless another site has the engine of that id', async () => {
    const copied = { id: 'copied', version: '27.0.0', os: 'linux', architecture: 'amd64' }
    const engines = ['store-1', 'store-2'].map(site => ({
      ...memoryEngine({ site }),
      info: async () => ({ ...copied, host: site }),
    }))
    const { worlds } = memoryWorlds({ files: manifestOf('prod', {}), engines })
    const [first] = worlds
    const left: string[] = []
    const writer = {
      claim: async () => ({ isOurs: true }) as const,
      leave: async (_: object, engineId: string) => void left.push(engineId),
      release: async () => undefined,
    }
    if (first === undefined) throw new Error('there is one')
    const world = { ...first, writer }
    const [gone, stays] = sitesOf(world)
    if (gone === undefined || stays === undefined) throw new Error('there are two')
    await claim(gone, ours, atOnce, signal)
    await claim(stays, ours, atOnce, signal)
    world.memory.forget('store-1')
    await giveUp(gone)
    expect(left).to.deep.equal([])
    world.memory.forget('store-2')
    await giveUp(gone)
    expect(left).to.deep.equal(['copied'])
  })

  it('D17 is made anew once the environment has another name', async () => {
    const { writership, isHeld, claim, asked } = claiming(memoryEngine())
    await claim()
    expect(isHeld()).to.equal(true)
    writership.claimed('devel', 'local', false)
    await claim()
    expect([asked.length, isHeld()]).to.deep.equal([2, true])
  })

  it('G17 cannot be made on an engine that does not answer, and is tried again', async () => {
    const { isHeld, claim, asked } = claiming(down('down'))
    expect([(await claim()).state, (await claim()).state]).to.deep.equal(['silent', 'silent'])
    expect([asked, isHeld()]).to.deep.equal([[], false])
  })

  it('G23 passes strangers over who hold its name, is made again, and tells of them once', async () => {
    const strangers = {
      isOurs: true,
      strangers: ['"nc -l" (process 7 of eve)', 'a process of mallory'],
    } as const
    const nobody = { isOurs: true, strangers: [] } as const
    const { writership, isHeld, claim, said } = claiming(
      memoryEngine(),
      strangers,
      strangers,
      { isOurs: true },
      nobody,
      {
        isOurs: true,
      },
    )
    const words = (who: string) =>
      `${who} holds the name by which other users see that prod is written here, and is passed over, because it may not open the engine's socket`
    await claim()
    await claim()
    expect([said, isHeld()]).to.deep.equal([
      [words('"nc -l" (process 7 of eve), a process of mallory')],
      false,
    ])
    await claim()
    expect([said.length, isHeld()]).to.deep.equal([1, true])
    writership.claimed('devel', 'local', false)
    await claim()
    expect(said.at(-1)).to.equal(words('no process'))
  })

  it('D17 G13 leaves the environment to who has it, says who that is, and writes nothing down', async () => {
    const rival = { ...ours, address: 'https://elsewhere.example.com/ops/manifests', who: 'pid 7 on a' }
    const { isHeld, claim, journal } = claiming(memoryEngine(), { isOurs: false, rival })
    expect(told(await claim())).to.deep.equal({
      code: 'another-writer',
      message:
        'another tallyman runs prod here, pid 7 on a, environments/prod of ops/manifests (https://elsewhere.example.com/ops/manifests); this one only observes environments/prod of ops/manifests (https://git.example.com/ops/manifests)',
      hint: 'If these are two repositories, give one of them a name of its own: "repository: {name: …}" in its configuration.',
    })
    expect([journal.environments(), isHeld()]).to.deep.equal([[], false])
  })

  it('G13 gives no hint about names where it is the same repository, and names that once', async () => {
    const { claim } = claiming(memoryEngine(), { isOurs: false, rival: ours })
    expect(told(await claim())).to.deep.equal({
      code: 'another-writer',
      message:
        'another tallyman runs prod here, environments/prod of ops/manifests (https://git.example.com/ops/manifests); this one only observes',
      hint: usualHint,
    })
  })

  it('G13 tells how to find one that does not say who it is', async () => {
    const silent = { name: 'tallyman/0123', holders: ['"nc -l" (process 7)'] }
    expect(told(await claiming(memoryEngine(), { isOurs: false, silent }).claim())).to.deep.equal({
      code: 'another-writer',
      message: 'another tallyman runs prod here, "nc -l" (process 7); this one only observes',
      hint: 'Find it with "sudo ss -xap | grep tallyman/0123", and end it, unless it is a tallyman: then use that one.',
    })
    const unknown = { isOurs: false, silent: { name: 'tallyman/0123', holders: [] } } as const
    expect(told(await claiming(memoryEngine(), unknown).claim())).to.have.property(
      'message',
      'another tallyman runs prod here; this one only observes',
    )
    expect(told(await claiming(memoryEngine(), { isOurs: false }).claim())).to.deep.equal({
      code: 'another-writer',
      message: 'another tallyman runs prod here; this one only observes',
      hint: usualHint,
    })
  })
})
