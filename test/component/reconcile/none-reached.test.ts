import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { optional } from '../../../lib/object.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })

/** Why each site is not reached. */
const reasons = {
  lab: new Failure('engine-unreachable', 'lab: connect ENOENT /run/lab.sock'),
  west: new Failure('engine-host-unknown', 'west: shows a key that is not trusted'),
}

/** A daemon over sites that do not answer until they heal. Its journal is empty, and it need not know a name. */
async function startedOver(sites: readonly (keyof typeof reasons)[], environments?: readonly string[]) {
  const scene = { down: new Set<string>(sites) }
  const engines = sites.map(site => {
    const engine = memoryEngine({ site, distribution: everyImage })
    const whileUp =
      <Given extends readonly unknown[], Said>(say: (...given: Given) => Promise<Said>) =>
      async (...given: Given) => {
        if (scene.down.has(site)) throw reasons[site]
        return say(...given)
      }
    const { info, holders, observe, distribution, localImage } = engine
    return {
      ...engine,
      info: whileUp(info),
      holders: whileUp(holders),
      observe: whileUp(observe),
      distribution: whileUp(distribution),
      localImage: whileUp(localImage),
    }
  })
  const daemon = await memoryDaemon({
    files: files('1'),
    engines,
    ...optional('environments', environments),
    journal: memoryJournal(),
    config: { sites: sites.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
  })
  const status = async () => (await daemon.ask('GET /api/v1/environments'))[0]
  const told = async () => (await daemon.ask('GET /api/v1/sites')) as readonly { readonly name: string }[]
  return {
    ...{ daemon, status, told },
    fall: () => {
      scene.down = new Set(sites)
    },
    heal: (healed: readonly string[] = sites) => {
      for (const site of healed) scene.down.delete(site)
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

/** What is told of a site besides the times. */
const plain = ({ since: _, next: __, ...rest }: Readonly<Record<string, unknown>>) => rest
const reasonOf = ({ code, message, hint }: Failure) => ({ code, message, hint })

describe('an environment of several sites of which none was ever reached', () => {
  it('A34 G17 is unreachable, and each site has its own reason and its next try', async () => {
    await using scene = await startedOver(['lab', 'west'])
    await scene.daemon.pass()
    const { outcome, sync, errors, unread, unreachable } = await scene.status()
    expect({ outcome, sync, errors, unread }).to.deep.equal({
      outcome: 'unreachable',
      sync: 'Unknown',
      errors: [],
      unread: undefined,
    })
    expect(unreachable.map(plain)).to.deep.equal([
      { site: 'lab', ...reasonOf(reasons.lab) },
      { site: 'west', ...reasonOf(reasons.west) },
    ])
    for (const { since, next } of unreachable) expect(Date.parse(next)).to.be.above(Date.parse(since))
  })

  it('G13 its sites are told as unreachable, since when and why', async () => {
    await using scene = await startedOver(['lab', 'west'])
    await scene.daemon.pass()
    const first = await scene.told()
    const { unreachable } = await scene.status()
    await scene.daemon.pass()
    const again = await scene.told()
    const expected = unreachable.map(({ site, since }: { site: string; since: string }) => ({
      ...{ name: site, state: 'unreachable', since },
    }))
    const toldOf = (sites: typeof first) =>
      sites.map(one => {
        const { name, state, since } = one as Record<string, unknown> & { readonly name: string }
        return { name, state, since }
      })
    expect(toldOf(first)).to.deep.equal(expected)
    expect(toldOf(again)).to.deep.equal(expected)
    expect(again.map(one => (one as Record<string, unknown>)['error'])).to.deep.equal([
      reasonOf(reasons.lab),
      reasonOf(reasons.west),
    ])
  })

  it('G17 is brought up as soon as its sites answer, and nothing of it stays', async () => {
    await using scene = await startedOver(['lab', 'west'])
    await scene.daemon.pass()
    scene.heal()
    await scene.daemon.pass()
    const { errors, unreachable, environment } = await scene.status()
    expect({ errors, unreachable, environment }).to.deep.equal({
      errors: [],
      unreachable: undefined,
      environment: 'prod',
    })
    expect((await scene.told()).map(one => (one as Record<string, unknown>)['state'])).to.deep.equal([
      'reachable',
      'reachable',
    ])
  })
})

describe('a site that is still not reached once another one is', () => {
  it('A34 is unreachable since the first look that did not reach it', async () => {
    await using scene = await startedOver(['lab', 'west'], ['prod'])
    await scene.daemon.pass()
    const [, before] = (await scene.status()).unreachable
    scene.heal(['lab'])
    await scene.daemon.pass()
    const { outcome, unreachable } = await scene.status()
    expect(outcome).to.equal('applied')
    expect(unreachable.map(({ site, since }: typeof before) => [site, since])).to.deep.equal([
      ['west', before.since],
    ])
  })
})

describe('a commit that comes while no site of its environment is reached', () => {
  for (const sites of [['lab', 'west'], ['lab']] as const)
    it(`A34 is not to blame, on ${sites.length} of ${sites.length}`, async () => {
      await using scene = await startedOver(sites)
      scene.heal()
      await scene.daemon.pass()
      scene.fall()
      scene.daemon.commit(files('2'))
      await scene.daemon.pass()
      const { outcome, unread, errors } = await scene.status()
      const codes = errors.map(({ code }: { code: string }) => code)
      expect({ outcome, unread, codes: [...new Set(codes)] }).to.deep.equal(
        sites.length === 1
          ? { outcome: 'failed', unread: undefined, codes: ['engine-unreachable'] }
          : { outcome: 'unreachable', unread: undefined, codes: [] },
      )
    })
})

describe('an environment of a single site that was never reached', () => {
  it('A34 G17 has failed because of its engine, and its commit is not to blame', async () => {
    await using scene = await startedOver(['lab'])
    await scene.daemon.pass()
    const { outcome, errors, unread, unreachable } = await scene.status()
    expect({ outcome, unread, unreachable }).to.deep.equal({
      outcome: 'failed',
      unread: undefined,
      unreachable: undefined,
    })
    expect(errors.map(({ code, message }: Failure) => [code, message])).to.deep.equal([
      ['engine-unreachable', 'lab: connect ENOENT /run/lab.sock'],
    ])
    const [lab] = await scene.told()
    expect(lab).to.deep.include({ state: 'unreachable', error: reasonOf(reasons.lab) })
  })
})
