import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import { type Journal, openJournal } from '../../../../lib/journal/journal.ts'
import { claimLabels, claimName, claimOn } from '../../../../lib/writer/on-engine/claim.ts'
import { thisProcess } from '../../../../lib/writer/on-engine/machine.ts'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { createTallymanHere } from '../../../support/command/tallyman-here.ts'
import { simulatedEngine } from '../../../support/simulated/engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene, type SceneOptions } from '../scene.ts'

const { signal } = new AbortController()
const nodeThree = { id: 'other', machine: 'another machine', who: 'pid 71 on node-3' }

/** A plan of `web` waits, which a daemon made that has ended. Returns its id. */
async function waiting(options: SceneOptions = {}): Promise<{ readonly scene: Scene; readonly id: string }> {
  const scene = await createScene(options)
  scene.push('web', '1')
  await scene.commit({ services: [service('web', '1')] })
  const daemon = await scene.tallyman.daemon()
  const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
  await daemon.stop()
  return { scene, id: waiting?.plan ?? '' }
}

/** Has a process claim the environment on the engine. Disposing of it takes the claim away. */
async function claimedBy(scene: Scene, claimant = nodeThree): Promise<AsyncDisposable> {
  const engine = connect({ name: 'local', endpoint: `unix://${scene.dockerSocket}` }, async () => undefined)
  const { environment } = scene
  const [known] = journalOf(scene, journal => journal.environments())
  const claim = claimOn({ source: known?.source ?? '', environment })
  const name = claimName(claim, 7)
  await engine.claims.create(name, claimLabels(claim, environment, claimant, 'mark', undefined), signal)
  return {
    async [Symbol.asyncDispose]() {
      await engine.claims.remove(name, signal)
      engine.close()
    },
  }
}

function journalOf<Read>({ tallyman }: Scene, use: (journal: Journal) => Read): Read {
  const journal = openJournal(join(tallyman.stateDir, 'tallyman.sqlite'))
  try {
    return use(journal)
  } finally {
    journal.close()
  }
}

async function answersIn({ tallyman }: Scene): Promise<readonly string[]> {
  const { stdout } = await tallyman.run('log', '--answers', '--output', 'json')
  return JSON.parse(stdout).map(({ verb }: { verb: string }) => verb)
}

describe('what is said while no daemon runs, and another tallyman writes', () => {
  const it = sideBySide()

  it('D17 is refused on another machine, with where that one runs, and is recorded once it has ended', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene, id } = await waiting()
    stack.use(scene)
    const claim = await claimedBy(scene)
    const words = [
      ['approve', id],
      ['discard', id],
      ['suspend', '--reason', 'stocktaking'],
      ['resume'],
      ['retry'],
      ['rollback', 'web', '--now'],
      ['force-upgrade', '--yes'],
      ['drain', 'local'],
    ]
    for (const word of words) {
      const said = await scene.tallyman.run(...word)
      expectCode(said, 1)
      expect(said.stderr, word.join(' ')).to.match(
        /local: another tallyman runs \S+ of \S+, pid 71 on node-3 since \S+Z, and does not learn what is said here \(another-writer\)/,
      )
      expect(said.stderr).to.include('Say it to the one that runs.')
    }
    expect(await answersIn(scene)).to.deep.equal([])
    await claim[Symbol.asyncDispose]()
    expectCode(await scene.tallyman.run('approve', id), 0)
    expect(await answersIn(scene)).to.deep.equal(['approve'])
  })

  it('D17 is refused on the same machine as long as that one lives, and only then', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene, id } = await waiting()
    stack.use(scene)
    const other = stack.use(await createTallymanHere(scene.config, scene.dockerSocket))
    const daemon = await other.daemon()
    await daemon.until('it waits, too', seen => seen.waiting !== undefined)
    const refused = await scene.tallyman.run('approve', id)
    expectCode(refused, 1)
    expect(refused.stderr).to.include(`, pid ${process.pid} on `)
    await daemon.stop()
    // One that was killed leaves its claim on the engine.
    await using _ = await claimedBy(scene, { ...nodeThree, machine: thisProcess().machine })
    expectCode(await scene.tallyman.run('approve', id), 0)
  })

  it('D17 G13 counts on the other sites, and says on which it does not, and which did not answer', async () => {
    await using stack = new AsyncDisposableStack()
    const store = stack.use(await simulatedEngine())
    const otherSite = { name: 'store', endpoint: `unix://${store.socket}` }
    const { scene } = await waiting({ silentSite: 'away', otherSite })
    stack.use(scene)
    stack.use(await claimedBy(scene))
    for (const words of [
      ['suspend', '--reason', 'stocktaking'],
      ['force-upgrade', '--yes', '--site', 'local', '--site', 'away'],
    ]) {
      const said = await scene.tallyman.run(...words)
      expectCode(said, 0)
      expect(said.stdout).to.match(/Not on local: another tallyman runs .*, pid 71 on node-3 since /)
      expect(said.stderr).to.include(
        'It is not known whether another tallyman writes on away, which did not answer',
      )
    }
    expectCode(await scene.tallyman.run('drain', 'local'), 1)
  })

  it('P12 G13 is told what to do where the configuration has no ingress run, with a daemon and without one', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const beside = await scene.tallyman.run('undrain', 'local')
    await daemon.stop()
    for (const { code, stderr } of [beside, await scene.tallyman.run('drain', 'local')]) {
      expect(code).to.equal(1)
      expect(stderr).to.include(`local: no ingress of ${scene.environment} runs (ingress-unreachable)`)
      expect(stderr).to.include(
        'hint: "ingress" is "off" in the configuration: tell your load balancers themselves, or configure an "ingress".',
      )
    }
  })

  it('P12 G13 is told the label that an ingress of the operator needs, where none has it', async () => {
    const { scene } = await waiting({ config: { ingress: 'external' } })
    await using _ = scene
    const { stderr } = await scene.tallyman.run('drain', 'local')
    expect(stderr).to.include(`local: no container with the label tallyman.ingress=${scene.environment} runs`)
    expect(stderr).to.include('If the ingress is "external", run it with the label that the message names.')
  })

  it('D17 is refused if that one writes on all sites that answer, and is recorded if nobody is known to', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene } = await waiting({ silentSite: 'away' })
    stack.use(scene)
    const claim = await claimedBy(scene)
    for (const word of [
      ['suspend', '--reason', 'stocktaking'],
      ['resume', 'shop'],
      ['pause', 'shop'],
    ]) {
      const said = await scene.tallyman.run(...word)
      expectCode(said, 1)
      expect(said.stderr, word.join(' ')).to.include('(another-writer)')
    }
    expect(await answersIn(scene)).to.deep.equal([])
    await claim[Symbol.asyncDispose]()
    const said = await scene.tallyman.run('suspend', '--reason', 'stocktaking')
    expectCode(said, 0)
    expect(said.stderr).to.include(
      'It is not known whether another tallyman writes on away, which did not answer',
    )
  })

  it('D17 G25 is recorded where the claim was left by a process with this state directory', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene, id } = await waiting()
    stack.use(scene)
    journalOf(scene, journal => journal.knowMarks(scene.environment, 'local', ['mark']))
    stack.use(await claimedBy(scene))
    expectCode(await scene.tallyman.run('approve', id), 0)
  })

  it('D17 is refused by a journal that has only observed, too', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene } = await waiting()
    stack.use(scene)
    stack.use(await claimedBy(scene))
    const journal = new DatabaseSync(join(scene.tallyman.stateDir, 'tallyman.sqlite'))
    journal.exec('DELETE FROM environment')
    journal.close()
    const said = await scene.tallyman.run('suspend', '--reason', 'stocktaking')
    expectCode(said, 1)
    expect(said.stderr).to.include('local: another tallyman runs ').and.to.include('(another-writer)')
    expect(await answersIn(scene)).to.deep.equal([])
  })
})
