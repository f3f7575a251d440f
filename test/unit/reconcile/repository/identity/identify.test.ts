import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { loadConfig } from '../../../../../lib/config.ts'
import { type Parts, worldOf } from '../../../../../lib/daemon.ts'
import type { Engine } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import type { Journal } from '../../../../../lib/journal/journal.ts'
import { createPools } from '../../../../../lib/reconcile/concurrency/pools.ts'
import { createMemory } from '../../../../../lib/reconcile/memory.ts'
import {
  identify,
  nameSoFar,
  writtenName,
} from '../../../../../lib/reconcile/repository/identity/identify.ts'
import { meetEngine, takeEngine } from '../../../../../lib/reconcile/site/identity/twin.ts'
import { sitesOf } from '../../../../../lib/reconcile/site/site.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import type { Holder } from '../../../../../lib/state/identity.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { asSite, type SiteEntry } from '../../../../support/builders/sites.ts'
import { refusal } from '../../../../support/failures/refusal.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const devel = { name: 'devel', directory: 'environments/devel' }
const prod = { name: 'prod', directory: 'environments/prod' }
const other = { name: 'prod', directory: 'teams/a/environments/prod' }

type Given = {
  readonly sites?: readonly SiteEntry[]
  readonly environments?: readonly string[]
  readonly holders?: readonly Holder[]
  readonly journal?: Journal
  readonly engines?: readonly Engine[]
}

/** Worlds of one process over the repository `ops/manifests`, one for each environment as it was named. */
function worlds(named: readonly (string | undefined)[], given: Given = {}): readonly World[] {
  const { sites = [{ name: 'local' }], holders = [], journal = memoryJournal() } = given
  const engines = given.engines ?? sites.map(({ name }) => engine(name, async () => holders))
  const environments = given.environments ?? named.flatMap(name => name ?? [])
  const config = { sites, environments }
  const { source: name, address } = identity('prod')
  const pools = createPools()
  const parts = { config, engines, journal, pools, source: { name, address }, running: new Map() }
  return named.map(name => worldOf(parts as unknown as Parts, name, silent))
}

function worldNamed(name: string | undefined, given: Given = {}): World {
  const [world] = worlds([name], given)
  if (world === undefined) throw new Error('no world')
  return world
}

function engine(site: string, holders: Engine['holders']): Engine {
  return { ...memoryEngine({ site }), holders }
}

const nothing = () => undefined
const silent: World['log'] = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  with: () => silent,
}

function sitesIn({ engines }: World): readonly string[] {
  return engines.map(({ site }) => site)
}

describe('which sites run an environment', () => {
  const sites: readonly SiteEntry[] = [
    { name: 'test-1', environments: ['devel'] },
    { name: 'store-1', environments: ['prod'] },
  ]

  it('D17 is known for the only one, which nobody named', async () => {
    const world = worldNamed(undefined, { sites })
    await identify(world, devel, [devel], signal)
    expect(sitesIn(world)).to.deep.equal(['test-1'])
  })

  for (const written of ['environments/prod', './environments/prod/', 'prod'])
    it(`D17 is known for one that was named ${written}`, async () => {
      const world = worldNamed(written, { sites })
      await identify(world, prod, [devel, prod], signal)
      expect(sitesIn(world)).to.deep.equal(['store-1'])
    })

  it('D17 may be said by the directory, for one of two environments of one name', async () => {
    const apart: readonly SiteEntry[] = [
      { name: 'one', environments: ['environments/prod/'] },
      { name: 'two', environments: ['teams/a/environments/prod'] },
      { name: 'both', environments: ['prod'] },
      { name: 'all' },
    ]
    const [first, second] = worlds(['environments/prod', 'teams/a/environments/prod'], { sites: apart })
    if (first === undefined || second === undefined) throw new Error('no world')
    await identify(first, prod, [prod, other], signal)
    await identify(second, other, [prod, other], signal)
    expect(sitesIn(first)).to.deep.equal(['one', 'both', 'all'])
    expect(sitesIn(second)).to.deep.equal(['two', 'both', 'all'])
  })

  it("D17 may be said by what it is called on engines, where its plain name is another one's", async () => {
    const apart: readonly SiteEntry[] = [
      { name: 'one', environments: ['prod-969846d6'] },
      { name: 'two', environments: ['environments/prod'] },
    ]
    const [first, second] = worlds(['environments/prod', 'teams/a/environments/prod'], { sites: apart })
    if (first === undefined || second === undefined) throw new Error('no world')
    const { warnings } = await identify(second, other, [prod, other], signal)
    await identify(first, prod, [prod, other], signal)
    expect([sitesIn(first), sitesIn(second), warnings]).to.deep.equal([['two'], ['one'], []])
  })

  it('D17 may be said by what the journal knows it as', async () => {
    const journal = memoryJournal()
    journal.setEnvironment({ ...identity('prod-1'), directory: prod.directory })
    const world = worldNamed('prod', { journal, sites: [{ name: 'one', environments: ['prod-1'] }] })
    const { warnings } = await identify(world, prod, [devel, prod], signal)
    expect([sitesIn(world), warnings]).to.deep.equal([['one'], []])
  })

  it('D17 is an error where it is none, which says what each site runs', async () => {
    const stage = { name: 'stage', directory: 'environments/stage' }
    const failed = identify(worldNamed(undefined, { sites }), stage, [stage], signal)
    expect(await refusal(() => failed)).to.deep.equal([
      'no site runs environments/stage: test-1 runs devel; store-1 runs prod (config-invalid)',
    ])
  })

  it('D17 G13 is an error where no site is configured, which says so', async () => {
    const failed = identify(worldNamed('prod', { sites: [] }), prod, [prod], signal)
    expect(await refusal(() => failed)).to.deep.equal([
      'no site runs environments/prod: no site is configured (config-invalid)',
    ])
  })

  it('D17 is told where a site is to run what the repository does not have', async () => {
    const world = worldNamed('prod', { sites: [{ name: 'store-1', environments: ['prod', 'devle'] }] })
    const { warnings } = await identify(world, prod, [devel, prod], signal)
    expect(warnings).to.deep.equal([
      {
        code: 'environment-not-found',
        message:
          'sites/store-1: environment "devle" is not in the repository; there is devel, prod; did you mean "devel"?',
        hint: 'Correct the "environments" of the site store-1 in the configuration.',
      },
    ])
  })

  it('D17 is never one engine twice, by its own id', async () => {
    const same: readonly Engine[] = ['a', 'b'].map(site => ({
      ...memoryEngine({ site }),
      info: async () => ({ ...info, id: 'XYZ' }),
    }))
    expect(await refused(same)).to.deep.equal([
      [],
      ['sites: "a" and "b" are the same engine, XYZ on store (same-engine)'],
    ])
  })

  it('D17 may be two machines whose engines have one id, because one image was copied', async () => {
    const copies: readonly Engine[] = ['a', 'b'].map(site => ({
      ...memoryEngine({ site }),
      info: async () => ({ ...info, id: 'XYZ', host: site }),
    }))
    expect(await refused(copies)).to.deep.equal([[], []])
  })

  it('D17 G17 is not judged while it does not answer, and a single one is not asked', async () => {
    const silent = { ...memoryEngine({ site: 'a' }), info: () => Promise.reject(new Error('no answer')) }
    expect(await refused([silent, memoryEngine({ site: 'b' })])).to.deep.equal([[], []])
    expect(await refused([silent])).to.deep.equal([[]])
  })

  /** Why each of these sites is refused. */
  async function refused(engines: readonly Engine[]): Promise<readonly (readonly string[])[]> {
    const world: Partial<World> = {
      ...{ engines, journal: memoryJournal(), memory: createMemory(), pools: createPools() },
      config: {
        ...loadConfig({ repository: '.' }, {}),
        sites: engines.map(({ site }) => asSite({ name: site })),
      },
    }
    const all: (readonly string[])[] = []
    for (const site of sitesOf(world as World))
      all.push(
        await meetEngine(site, signal)
          .then(() => takeEngine(site, { environment: 'prod' }, false))
          .then(
            () => [],
            (error: unknown) => refusal(() => Promise.reject(error)),
          ),
      )
    return all
  }

  const info = { id: '', host: 'store', version: '27.0.0', os: 'linux', architecture: 'amd64' }
})

describe('two loops of one process', () => {
  it('D17 never have one environment: the second is refused, naming both', async () => {
    const [first, second] = worlds(['prod', 'environments/prod'])
    if (first === undefined || second === undefined) throw new Error('no world')
    await identify(first, prod, [prod], signal)
    expect(await refusal(() => identify(second, prod, [prod], signal))).to.deep.equal([
      'environments: "prod" and "environments/prod" are the same environment: environments/prod (config-invalid)',
    ])
    await identify(first, prod, [prod], signal)
  })

  it('D17 may have what one of them had before it moved on to another', async () => {
    const [first, second] = worlds([undefined, 'prod'])
    if (first === undefined || second === undefined) throw new Error('no world')
    await identify(first, prod, [prod], signal)
    await identify(first, devel, [devel, prod], signal)
    expect((await identify(second, prod, [devel, prod], signal)).identity.environment).to.equal('prod')
  })

  it('D17 have two environments of one name under two names', async () => {
    const [first, second] = worlds(['environments/prod', 'teams/a/environments/prod'])
    if (first === undefined || second === undefined) throw new Error('no world')
    const places = [prod, other]
    const names = [
      (await identify(second, other, places, signal)).identity.environment,
      (await identify(first, prod, places, signal)).identity.environment,
    ]
    expect(names).to.deep.equal(['prod-969846d6', 'prod'])
  })
})

describe('what an environment is called', () => {
  const older: Holder = { environment: 'prod', source: identity('prod').address }

  it('D17 is what the journal says, without a word to an engine', async () => {
    const journal = memoryJournal()
    journal.setEnvironment({ ...identity('prod-1'), directory: prod.directory })
    const world = worldNamed('prod', { journal, engines: [engine('local', unasked)] })
    expect((await identify(world, prod, [prod], signal)).identity).to.deep.equal({
      ...identity('prod'),
      environment: 'prod-1',
    })
  })

  it("D17 is another one's for good where the journal says so, whatever the engines know", async () => {
    const journal = memoryJournal()
    journal.setEnvironment({ ...identity('prod'), directory: other.directory })
    const world = worldNamed(prod.directory, { journal })
    const { environment } = (await identify(world, prod, [prod, other], signal)).identity
    expect(environment).to.match(/^prod-[0-9a-f]{8}$/)
  })

  it('D17 is asked of the engines where the journal knows other environments alone', async () => {
    const journal = memoryJournal()
    journal.setEnvironment(identity('devel'))
    const holders = [{ environment: 'prod-1', source: 'ops/manifests', directory: prod.directory }]
    const world = worldNamed('prod', { journal, holders })
    expect((await identify(world, prod, [devel, prod], signal)).identity.environment).to.equal('prod-1')
  })

  it('D17 names the environment, too, where that is not its own name', () => {
    const journal = memoryJournal()
    journal.setEnvironment({ ...identity('prod'), directory: prod.directory })
    journal.setEnvironment({ ...identity('prod-969846d6'), directory: other.directory })
    const theirs = { source: 'team/shop', address: 'https://x/team/shop', directory: 'shops/prod' }
    journal.setEnvironment({ environment: 'prod-2', ...theirs })
    const meant = (name: string) => writtenName(worldNamed(name, { journal }))
    expect(['prod-969846d6', 'prod-2', 'prod', 'environments/prod', 'devel'].map(meant)).to.deep.equal([
      other.directory,
      'prod-2',
      'prod',
      'environments/prod',
      'devel',
    ])
  })

  it('D17 is asked once of the engines where the journal knows nothing, as after a loss of it', async () => {
    let asked = 0
    const world = worldNamed('prod', {
      engines: [
        engine('local', async () => {
          asked += 1
          return [{ environment: 'prod-1', source: 'ops/manifests', directory: prod.directory }]
        }),
      ],
    })
    await identify(world, prod, [prod], signal)
    expect((await identify(world, prod, [prod], signal)).identity.environment).to.equal('prod-1')
    expect(asked).to.equal(1)
  })

  it('D17 is the plain name where things without a directory are found', async () => {
    const world = worldNamed(other.directory, { holders: [older] })
    expect((await identify(world, other, [prod, other], signal)).identity.environment).to.equal('prod')
  })

  it('D17 is inherited, of two of one name, by the one that this process works on', async () => {
    const [first, second] = ['teams/a/environments/prod', 'teams/b/environments/prod']
    const places = [first, second].map(directory => ({ name: 'prod', directory }))
    const called = async (directory: string, environments: readonly string[]) => {
      const world = worldNamed(directory, { holders: [older], environments })
      return (await identify(world, { name: 'prod', directory }, places, signal)).identity.environment
    }
    expect(await called(second, [second])).to.equal('prod')
    expect(await called(second, [])).to.equal('prod-4b99ed31')
    expect(await called(first, [])).to.equal('prod')
    expect(await called(second, [first, second])).to.equal('prod-4b99ed31')
  })

  it('D17 does not depend on a site that does not answer', async () => {
    const down = engine('down', async () => {
      throw new Failure('engine-unreachable', 'down')
    })
    const up = engine('up', async () => [{ ...older, environment: 'prod' }])
    const world = worldNamed('prod', { sites: [{ name: 'down' }, { name: 'up' }], engines: [down, up] })
    expect((await identify(world, prod, [prod], signal)).identity.environment).to.equal('prod')
  })

  it('D17 G17 is found two seconds after the first answer, whoever says nothing at all', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const silent = engine('silent', () => new Promise<never>(() => undefined))
      const up = engine('up', async () => [{ ...older, environment: 'prod' }])
      const world = worldNamed('prod', { sites: [{ name: 'silent' }, { name: 'up' }], engines: [silent, up] })
      let found = ''
      const identified = identify(world, prod, [prod], signal).then(({ identity }) => {
        found = identity.environment
      })
      await turn()
      mock.timers.tick(1_999)
      await turn()
      expect(found).to.equal('')
      mock.timers.tick(1)
      await identified
      expect(found).to.equal('prod')
    } finally {
      mock.timers.reset()
    }
  })

  it('D17 is not guessed while no engine answers and the journal knows nothing', async () => {
    const down = engine('local', async () => {
      throw new Failure('engine-unreachable', 'local: no answer')
    })
    const failed = () => identify(worldNamed('prod', { engines: [down] }), prod, [prod], signal)
    expect(await refusal(failed)).to.deep.equal(['local: no answer (engine-unreachable)'])
  })

  it('D17 is told once where another repository has the plain name, and what to do if that is the same one', async () => {
    const holders: Holder[] = [{ environment: 'prod', source: 'team/shop', directory: prod.directory }]
    const { identity: found, warnings } = await identify(
      worldNamed('prod', { holders }),
      prod,
      [prod],
      signal,
    )
    expect(found.environment).to.equal('prod-68228404')
    expect(warnings).to.deep.equal([
      {
        code: 'environment-name-taken',
        message:
          'environments/prod of ops/manifests is called prod-68228404 on engines, because the name prod belongs to environments/prod of team/shop there',
      },
    ])
    const { directory } = prod
    const later = [...holders, { environment: 'prod-68228404', source: 'ops/manifests', directory }]
    const again = await identify(worldNamed('prod', { holders: later }), prod, [prod], signal)
    expect([again.identity.environment, again.warnings]).to.deep.equal(['prod-68228404', []])
  })

  it('D17 is known before the repository is read, as far as the journal knows', () => {
    const journal = memoryJournal()
    const known = (name: string | undefined) => nameSoFar(worldNamed(name, { journal }))
    expect([known('prod'), known('a/environments/prod'), known(undefined)]).to.deep.equal([
      'prod',
      'prod',
      undefined,
    ])
    journal.setEnvironment({ ...identity('prod-1'), directory: other.directory })
    journal.setEnvironment({ ...identity('stage'), source: 'team/shop', address: 'https://x/team/shop' })
    expect([known(other.directory), known('prod'), known('stage')]).to.deep.equal([
      'prod-1',
      'prod-1',
      undefined,
    ])
    journal.setEnvironment(identity('prod'))
    expect([known('environments/prod'), known('prod')]).to.deep.equal(['prod', undefined])
  })
})

const unasked = async (): Promise<never> => {
  throw new Error('an engine was asked')
}
