import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import { round } from '../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../lib/reconcile/site/pass-request.ts'
import { type DesiredState, variantFor } from '../../../../lib/state/application/desired.ts'
import { containersOf } from '../../../../lib/state/application/members.ts'
import { pinnedImages } from '../../../../lib/state/image/version.ts'
import { asSite } from '../../../support/builders/sites.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { encryptSops } from '../../../support/files/sops.ts'
import { commitHistory, hex, tags, web } from '../../../support/git/commit-history.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const approved: RoundRequest = {
  ...{ trigger: 'command', until: 'apply', freshness: { maxAgeMs: 0, lastGood: true } },
  answer: { who: 'ann', via: 'flag' },
}

const ofLocal = (tag: string) => ofSite('local', tag)

function ofSite(site: string, tag: string): Files {
  const containers = [{ dockerName: 'registry.example.com/web', dockerTag: tag }]
  return {
    [`environments/prod/sites/${site}/manifest.json`]: JSON.stringify({
      services: [{ name: 'web', containers }],
    }),
  }
}

const broken: Files = { 'environments/prod/sites/local/manifest.json': '{' }

const wants = (desired: DesiredState, site = 'local') =>
  variantFor(desired, site).applications.map(
    application =>
      `${application.name} ${pinnedImages(application).map(({ digest }) => digest[7])}${application.commit === undefined ? '' : ` of ${application.commit[0]}`}`,
  )

describe('what single sites get otherwise, over commits', () => {
  it('A70 X9 an image is asked for once for all sites, and means the same on all of them', async () => {
    const { world, look } = commitHistory({ 1: { ...tags({ web: '4', blog: '5' }), ...ofLocal('4') } })
    const asked: string[] = []
    const [engine] = world.engines
    if (engine === undefined) throw new Error('there is one')
    const { distribution } = engine
    Object.assign(engine, {
      distribution: async (reference: string, ...rest: readonly never[]) => {
        asked.push(reference)
        return Reflect.apply(distribution, engine, [reference, ...rest])
      },
    })
    const desired = await look('1')
    expect(wants(desired)).to.deep.equal(['web 4', 'blog 5'])
    expect(wants(desired, 'elsewhere')).to.deep.equal(['web 4', 'blog 5'])
    expect(asked.filter(reference => reference === 'registry.example.com/web:4')).to.have.length(1)
    const own = (site: string) => variantFor(desired, site).applications.find(({ name }) => name === 'blog')
    expect(own('local')).to.equal(own('elsewhere'))
  })

  it('A70 is the same value at the next look', async () => {
    const { look } = commitHistory({ 1: { ...web('1.0', '1'), ...ofLocal('7') } })
    await look('1')
    const first = await look('1')
    expect(wants(first)).to.deep.equal(['web 7'])
    expect(await look('1')).to.equal(first)
  })

  it('A70 is no longer there once the directory of the site is removed', async () => {
    const { look } = commitHistory({ 1: { ...web('1.0', '1'), ...ofLocal('7') }, 2: web('1.0', '1') })
    expect(wants(await look('1'))).to.deep.equal(['web 7'])
    expect(wants(await look('2'))).to.deep.equal(['web 1'])
  })

  it('A70 D18 an application that is blocked on a site is repaired there as the site had it, and goes on once that is corrected', async () => {
    const engine = memoryEngine()
    const { world, newest } = commitHistory(
      {
        1: { ...web('1.0', '1'), ...ofLocal('7') },
        2: { ...web('2.0', '2'), ...broken },
        3: { ...web('2.0', '2'), ...ofLocal('8') },
      },
      {},
      engine,
    )
    const images = () => [...engine.has().containers.values()].map(({ image }) => image.slice(-1))
    newest('1')
    expect((await round(world, approved, signal)).outcome).to.equal('applied')
    newest('2')
    const blocked = await round(world, approved, signal)
    expect(
      blocked.plan?.blocked.map(({ application, problems }) => [application, problems[0].code]),
    ).to.deep.equal([['web', 'json-invalid']])
    engine.lose()
    await round(world, approved, signal)
    expect(images()).to.deep.equal(['7'])
    newest('3')
    expect((await round(world, approved, signal)).outcome).to.equal('applied')
    expect(images()).to.deep.equal(['8'])
  })

  it('A12 A70 a held version is on each site as the site had it in that commit, whatever it has now', async () => {
    const { world, look, registry } = commitHistory({
      1: { ...web('1.0', '1'), ...ofLocal('7') },
      2: web('2.0', '2'),
      3: { ...web('3.0', '3'), ...broken },
    })
    await look('1')
    await look('2')
    registry.answers = false
    world.journal.holdVersion({
      ...{ environment: 'prod', application: 'web', version: '1.0', commit: hex('1', 40) },
      ...{ reason: '', who: 'ann', atMs: 0 },
    })
    const desired = await look('2')
    expect(wants(desired)).to.deep.equal(['web 7 of 1'])
    expect(wants(desired, 'elsewhere')).to.deep.equal(['web 1 of 1'])
    const beside = await look('3')
    expect(wants(beside)).to.deep.equal(['web 7 of 1'])
    expect(variantFor(beside, 'local').blocked).to.deep.equal([])
    expect(wants(beside, 'elsewhere')).to.deep.equal(['web 1 of 1'])
  })

  it('A12 A70 a version that a deployment names is on each site as the site had it in its commit', async () => {
    const deployment = (version: string): Files => ({
      'deployments/web.yaml': `name: web\napplication: web\napplication-version: "${version}"\nplacement: {all-sites: true}\n`,
    })
    const { look } = commitHistory({
      1: { ...web('1.0', '1'), ...ofLocal('7') },
      2: { ...web('2.0', '2'), ...ofLocal('8'), ...deployment('1.0') },
      3: { ...web('2.0', '2'), ...ofLocal('8'), ...deployment('*') },
    })
    await look('1')
    const desired = await look('2')
    expect(wants(desired)).to.deep.equal(['web 7 of 1'])
    expect(wants(desired, 'elsewhere')).to.deep.equal(['web 1 of 1'])
    expect(wants(await look('3'))).to.deep.equal(['web 8'])
  })

  it('A71 G16 a secret of a site counts as soon as the key of its file is there, without a new commit', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-site-secrets-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(directory, { recursive: true }))
    const identity = await generateIdentity()
    const recipients = [await identityToRecipient(identity)]
    const ageKeyFile = join(directory, 'age.key')
    const { look } = commitHistory(
      {
        1: {
          ...web('1.0', '1'),
          'applications/web.yaml':
            'name: web\nservices: [{name: web, containers: [{name: web, image: registry.example.com/web, env: {WORD: {secret: word}}}]}]\n',
          'environments/prod/sites/local/secrets.yaml': await encryptSops(
            { word: 'northern' },
            { format: 'yaml', recipients },
          ),
        },
      },
      { stateDir: directory, secrets: { ageKeyFile } },
    )
    const codes = (desired: DesiredState, site: string) =>
      variantFor(desired, site).blocked.map(({ problems }) => problems[0].code)
    const before = await look('1')
    expect(codes(before, 'local')).to.deep.equal(['secrets-undecryptable'])
    await writeFile(ageKeyFile, identity)
    const after = await look('1')
    expect(wants(after)).to.deep.equal(['web 1'])
    expect(codes(after, 'elsewhere')).to.deep.equal(['secret-missing'])
  })

  it('A70 a site that is added later gets what its directory says, without a new commit', async () => {
    const engines = ['local', 'west'].map(site => memoryEngine({ site, distribution: everyImage }))
    const entries = engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` }))
    const files: Files = { ...manifestOf('prod', { web: '1' }), ...ofSite('west', '7') }
    const { worlds, adopt } = memoryWorlds({
      ...{ environments: ['prod'], files, engines: engines.slice(0, 1), later: engines },
      config: { sites: entries.slice(0, 1) },
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    const look = async () => (await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)).desired
    const first = await look()
    expect(first.variants).to.equal(undefined)
    expect(first.warnings.map(({ code }) => code)).to.deep.equal(['site-misnamed'])
    adopt({ sites: entries.map(asSite), wrongSites: [] })
    const second = await look()
    expect([...(second.variants?.keys() ?? [])]).to.deep.equal(['west'])
    expect(second.warnings).to.deep.equal([])
  })

  it('A73 a label that changes is seen without a new commit', async () => {
    const regional =
      'name: web\nservices: [{name: web, variables: [{name: R, value: none, value-from-site-label: region}], containers: [{name: web, image: "web:1", env: {REGION: "${R}"}}]}]\n'
    const files = { ...manifestOf('prod', {}), ...web('1.0', '1'), 'applications/web.yaml': regional }
    const site = (region: string) => {
      const entry = { name: 'local', labels: { region } }
      return asSite(entry)
    }
    const { worlds, adopt } = memoryWorlds({ files, engines: [memoryEngine({ distribution: everyImage })] })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    const region = async () => {
      const { desired } = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
      const [application] = variantFor(desired, 'local').applications
      return application?.services.flatMap(containersOf).map(({ env }) => env?.['REGION'])
    }
    expect(await region()).to.deep.equal(['none'])
    adopt({ sites: [site('norway')], wrongSites: [] })
    expect(await region()).to.deep.equal(['norway'])
    adopt({ sites: [site('spain')], wrongSites: [] })
    expect(await region()).to.deep.equal(['spain'])
  })

  it('A6 A70 kept versions are those of the environment, and no site adds any', async () => {
    const { look, kept } = commitHistory({
      1: { ...web('1.0', '1'), ...ofLocal('7') },
      2: { ...web('1.0', '1'), ...ofLocal('8') },
    })
    await look('1')
    const { warnings } = await look('2')
    expect(kept('web')).to.deep.equal(['1.0 1 1s'])
    expect(warnings).to.deep.equal([])
  })
})
