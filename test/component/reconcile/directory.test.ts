import { expect } from 'chai'
import { readGrants } from '../../../lib/config/grants.ts'
import type { Config } from '../../../lib/config.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { type Files, symlink } from '../../support/builders/snapshot.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const confirmed = { skipConfirmation: true }
const one = manifestOf('prod', { web: '1' }, confirmed)
const withSecret: Files = {
  ...one,
  'applications/web.yaml': `
name: web
services:
  - name: web
    containers:
      - name: web
        image: web
        env: {PASSWORD: {secret: db}}
`,
}
const broken = { 'environments/prod/manifest.json': '{"services": [' }

describe('a directory, of which no earlier state can be read again', () => {
  it('D15 its error is told with its place while what serves is repaired, also where secrets are used', async () => {
    const directory = await applied(withSecret)
    directory.change({ ...withSecret, ...broken })
    expect(told(await directory.pass())).to.deep.equal([jsonError])
    await directory.lose('web')
    expect(told(await directory.pass())).to.deep.equal([jsonError])
    expect(directory.running()).to.deep.equal(['web:1'])
  })

  it('D15 so is that of applications that became a symlink', async () => {
    const directory = await applied(withSecret)
    directory.change({ ...one, applications: symlink })
    expect(told(await directory.pass())).to.deep.equal([
      'path-forbidden applications: is a symlink, and a directory is looked for there',
    ])
    await directory.lose('web')
    await directory.pass()
    expect(directory.running()).to.deep.equal(['web:1'])
  })

  it('D15 G13 a new process tells that error too, sees what runs, and starts again what stopped', async () => {
    const before = await applied(one)
    const directory = await begun(broken, before)
    await before.stop('web')
    const result = await directory.pass()
    expect(told(result)).to.deep.equal([jsonError])
    expect(result.plan?.revision.commit).to.equal('1'.repeat(40))
    expect(directory.running()).to.deep.equal(['web:1'])
    const { status } = await directory.pass()
    expect(status.map(({ application, health, running }) => [application, health, running])).to.deep.equal([
      ['web', 'Healthy', 1],
    ])
    await directory.lose('web')
    expect((await directory.pass()).status[0]?.health, 'it cannot be made again').to.equal('Missing')
    expect(directory.running()).to.deep.equal([])
  })

  it('D15 P10 an application that is blocked is made again as it was before', async () => {
    const directory = await applied(one)
    directory.change(manifestOf('prod', { web: 'bad', other: '1' }, confirmed))
    await directory.pass()
    directory.change(manifestOf('prod', { web: 'bad', other: '2' }, confirmed))
    await directory.pass()
    await directory.lose('web')
    await directory.pass()
    expect(directory.running()).to.deep.equal(['other:2', 'web:1'])
  })

  it('D15 a new process starts it again as long as it is there', async () => {
    const before = await applied(one)
    const bad = manifestOf('prod', { web: 'bad', other: '1' }, confirmed)
    before.change(bad)
    await before.pass()
    const directory = await begun(bad, before, '2')
    await before.stop('web')
    await directory.pass()
    expect(directory.running()).to.deep.equal(['other:1', 'web:1'])
  })
})

describe('an application that the policy no longer allows', () => {
  const published = {
    ...one,
    'applications/web.yaml': `
name: web
services:
  - name: web
    containers:
      - name: web
        image: web
        ports: ["8080:80"]
`,
  }
  const grants = readGrants({ web: { ports: ['9090'] } }, reason => expect.fail(reason))
  const narrowed = { policy: { ...strictPolicy, applications: grants } }

  it('G23 D15 goes on as it is: what stopped is started again, and what was removed is not made again', async () => {
    const before = await applied(published)
    const directory = await begun(published, before, '1', narrowed)
    await before.stop('web')
    const { outcome, errors } = await directory.pass()
    expect(directory.running()).to.deep.equal(['web:1'])
    expect([outcome, errors.map(({ code }) => code)]).to.deep.equal([
      'partially-applied',
      ['policy-violation'],
    ])
    await directory.lose('web')
    expect((await directory.pass()).outcome).to.equal('failed')
    expect(directory.running()).to.deep.equal([])
  })
})

const jsonError =
  'json-invalid environments/prod/manifest.json:1:15: expected a value, found the end of the file'

/** A directory, the process that follows it, and the engine that it works on. */
type Directory = {
  readonly journal: Journal
  readonly engine: MemoryEngine
  /** The next pass reads these files, and no others can be read any more. */
  change(files: Files): void
  pass(): Promise<PassResult>
  /** Stops, or removes, the container of a service behind the back of the process. */
  stop(service: string): Promise<void>
  lose(service: string): Promise<void>
  /** What runs, as `web:1`. */
  running(): readonly string[]
}

/** A directory that was applied, and is followed by the same process from then on. */
async function applied(files: Files): Promise<Directory> {
  const directory = await follow(files)
  await directory.pass()
  await directory.pass()
  return directory
}

/** A new process over what another one left, and over a directory that reads like this. */
function begun(
  files: Files,
  { journal, engine }: Directory,
  digit = '3',
  config: Partial<Config> = {},
): Promise<Directory> {
  return follow(files, journal, engine, digit, config)
}

async function follow(
  files: Files,
  journal: Journal = memoryJournal(),
  engine: MemoryEngine = memoryEngine({ distribution: allButBad }),
  digit = '1',
  config: Partial<Config> = {},
): Promise<Directory> {
  const { worlds, commit } = memoryWorlds({ files, journal, engine, environments: ['prod'], config })
  commit(files, digit.repeat(40))
  const [given] = worlds
  if (given === undefined) throw new Error('there is one')
  const world: World = Object.assign(given, { env: { TALLYMAN_SECRET_DB: 'hunter2' } })
  const { signal } = new AbortController()
  const find = (service: string) =>
    [...engine.has().containers.values()].find(one => one.service === service)?.engineName ?? ''
  const act = async (what: 'stop-container' | 'remove-container', service: string) => {
    await engine.execute({ do: what, container: find(service) }, provenance, signal)
  }
  let changes = Number(digit)
  return {
    journal,
    engine,
    change(files) {
      changes += 1
      commit(files, String(changes).repeat(40))
    },
    pass: () =>
      round(
        world,
        {
          trigger: 'poll',
          until: 'apply',
          freshness: { maxAgeMs: 0, lastGood: true },
          keepsWaiting: true,
        },
        signal,
      ),
    stop: service => act('stop-container', service),
    lose: service => act('remove-container', service),
    running: () =>
      [...engine.has().containers.values()]
        .filter(({ state }) => state === 'running')
        .map(({ service, image }) => `${service}:${image.slice(image.lastIndexOf(':') + 1)}`)
        .sort(),
  }
}

async function allButBad(reference: string) {
  if (reference.endsWith(':bad')) throw new Failure('image-not-found', `${reference}: no such image`)
  return everyImage(reference, new AbortController().signal)
}

function told({ errors }: PassResult): readonly string[] {
  return errors.map(({ code, message }) => `${code} ${message}`)
}

const provenance = {
  environment: 'prod',
  source: 'ops/manifests',
  address: 'https://git.example.com/ops/manifests',
  directory: 'environments/prod',
  commit: '1'.repeat(40),
}
