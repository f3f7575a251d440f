import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { identity } from '../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const labels = (name: string) => ({ 'system/name': name, 'system/type': 'edge' })

describe('the sites of a daemon', () => {
  it('G13 are told with what is known of their engines, and why one does not answer, since when', async () => {
    await using scene = await stores()
    await scene.daemon.pass()
    const [east, west, other] = await scene.daemon.ask('GET /api/v1/sites')
    expect(east).to.deep.equal({
      name: 'east',
      state: 'reachable',
      engine: '29.0.0',
      environments: ['prod'],
      endpoint: 'tcp://east.example.com:2376',
      labels: labels('east'),
    })
    const { since, next, ...rest } = west
    expect(Date.parse(next)).to.be.at.least(Date.parse(since))
    expect(rest).to.deep.equal({
      name: 'west',
      state: 'unreachable',
      error: {
        code: 'engine-unreachable',
        message: 'west: gone',
        hint: new Failure('engine-unreachable', '').hint,
      },
      engine: '29.0.0',
      environments: ['prod'],
      endpoint: 'unix:///run/west.sock',
      labels: labels('west'),
    })
    expect(other).to.deep.equal({
      name: 'zone',
      state: 'unknown',
      environments: [],
      endpoint: 'unix:///run/zone.sock',
      labels: labels('zone'),
    })
  })

  it('G13 say since when one does not answer, however often it was asked since, and forget it once it does', async () => {
    await using scene = await stores()
    await scene.daemon.pass()
    const west = async () => (await scene.daemon.ask('GET /api/v1/sites'))[1]
    const { since } = await west()
    await scene.daemon.pass()
    expect((await west()).since).to.equal(since)
    scene.isSilent = false
    await scene.daemon.pass()
    expect(await west())
      .to.deep.include({ state: 'reachable' })
      .and.not.to.have.any.keys('since', 'error', 'next')
  })

  it('G13 are not told to answer where their Swarm has nobody to ask, or the environment has no other site', async () => {
    const failures = [
      new Failure('swarm-unavailable', 'west: its Swarm has no leader'),
      new Failure('engine-unreachable', 'west: gone'),
    ]
    for (const failure of failures) {
      const engine = memoryEngine({ site: 'west', distribution: everyImage })
      await using daemon = await memoryDaemon({
        environments: ['prod'],
        files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
        engines: [{ ...engine, observe: () => Promise.reject(failure) }],
        config: { sites: [{ name: 'west', endpoint: 'unix:///run/west.sock' }] },
      })
      await daemon.pass()
      const [west] = await daemon.ask('GET /api/v1/sites')
      const { code, message, hint } = failure
      expect(west).to.deep.include({ state: 'unreachable', error: { code, message, hint } })
    }
  })

  it('G13 are in the status of the environments that run there', async () => {
    await using scene = await stores()
    await scene.daemon.pass()
    const [status] = await scene.daemon.ask('GET /api/v1/environments')
    expect(
      status.sites.map(({ name, state }: { name: string; state: string }) => [name, state]),
    ).to.deep.equal([
      ['east', 'reachable'],
      ['west', 'unreachable'],
    ])
  })
})

/** A daemon over `east`, which answers, `west`, which does not, and `zone`, which runs another environment. */
async function stores() {
  const scene = { isSilent: true }
  const engines = ['east', 'west', 'zone'].map(site => {
    const engine = memoryEngine({ site, distribution: everyImage })
    if (site !== 'west') return engine
    return {
      ...engine,
      async observe(...given: Parameters<typeof engine.observe>) {
        if (scene.isSilent) throw new Failure('engine-unreachable', 'west: gone')
        return engine.observe(...given)
      },
    }
  })
  // An environment that the journal knows needs no engine to say what it is called.
  const journal = memoryJournal()
  journal.setEnvironment(identity('prod'))
  const daemon = await memoryDaemon({
    environments: ['prod'],
    files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
    engines,
    journal,
    config: {
      sites: [
        { name: 'east', endpoint: 'tcp://east.example.com:2376' },
        { name: 'west', endpoint: 'unix:///run/west.sock' },
        { name: 'zone', endpoint: 'unix:///run/zone.sock', environments: ['devel'] },
      ],
    },
  })
  return Object.assign(scene, { daemon, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() })
}
