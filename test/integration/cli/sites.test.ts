import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTallymanHere } from '../../support/command/tallyman-here.ts'
import { createRepository } from '../../support/git/repository.ts'
import { simulatedEngine } from '../../support/simulated/engine.ts'
import { simulatedRegistry } from '../../support/simulated/image/registry.ts'
import { realClock } from '../../support/simulated/server/clock.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

type Told = {
  readonly name: string
  readonly state: string
  readonly engine?: string
  readonly file?: string
  readonly problems?: readonly string[]
}

describe('tallyman sites', () => {
  it('G13 asks each engine itself while no daemon runs, and says why one does not answer', async () => {
    await using here = await fleet({})
    const { code, stdout } = await here.tallyman.run('sites', '--output', 'json')
    const [east, west] = JSON.parse(stdout) as readonly Told[]
    expect(code).to.equal(0)
    expect(east).to.deep.include({
      name: 'east',
      state: 'reachable',
      engine: '20.10.24',
      file: here.file('tallyman.yaml'),
    })
    expect(west).to.deep.include({ name: 'west', state: 'unreachable' })
    const { stdout: text } = await here.tallyman.run('sites')
    expect(text).to.match(/^ {2}east {2}reachable {4}20\.10\.24 {2}all/m)
    expect(text).to.match(/^west: (?!west: ).*\(engine-unreachable\)$/m)
  })

  it('G13 D17 says which one is the engine of another one and is not served, while no daemon runs', async () => {
    await using here = await fleet({})
    const environments = { moss: 'environments: [prod]', test: 'environments: [staging]', twin: '' }
    for (const [name, more] of Object.entries(environments)) {
      const link = here.file(`${name}.sock`)
      await symlink(here.moss.socket, link)
      await writeFile(here.file(`sites/${name}.yaml`), `endpoint: unix://${link}\n${more}`)
    }
    const { stdout } = await here.tallyman.run('sites', '--output', 'json')
    const told = JSON.parse(stdout) as readonly (Told & { readonly error?: { readonly message: string } })[]
    const refused = told.filter(({ state, error }) => state === 'reachable' && error !== undefined)
    expect(
      refused.map(({ name, error }) => [name, error?.message.replace(/, \S+ on .*$/, '')]),
    ).to.deep.equal([['twin', 'sites: "moss" and "twin" are the same engine']])
    expect((await here.tallyman.run('sites')).stdout).to.match(/^ {2}twin {2}reachable, but not served /m)
  })

  it('G13 shows those that run the environments that are named, and names those that there are', async () => {
    await using here = await fleet({}, { sites: undefined })
    const lists = { moss: '[prod]', test: '[environments/staging]' }
    for (const [name, environments] of Object.entries(lists))
      await writeFile(
        here.file(`sites/${name}.yaml`),
        `endpoint: unix:///nowhere/${name}.sock\nenvironments: ${environments}\n`,
      )
    const namesIn = async (...names: readonly string[]) => {
      const flags = names.flatMap(name => ['--environment', name])
      const { stdout } = await here.tallyman.run('sites', '--output', 'json', ...flags)
      return (JSON.parse(stdout) as readonly Told[]).map(({ name }) => name)
    }
    expect(await namesIn('staging')).to.deep.equal(['test'])
    expect(await namesIn('prod', './environments/staging/')).to.deep.equal(['moss', 'test'])
    const { code, stderr } = await here.tallyman.run('sites', '--environment', 'stagin')
    expect(code).to.equal(64)
    expect(stderr).to.include('there is no environment "stagin"; did you mean')
  })

  it('G13 says which file is wrong, with a daemon that works with the other sites, and ends with 1', async () => {
    await using here = await fleet({ 'moss.yaml': 'endpont: tcp://moss:1\n' })
    await using _ = await here.running()
    const { code, stdout } = await here.tallyman.run('sites', '--output', 'json')
    const told = (JSON.parse(stdout) as readonly Told[]).map(({ name, state, problems }) => [
      name,
      state,
      problems,
    ])
    expect(told).to.deep.equal([
      ['east', 'reachable', undefined],
      [
        'moss',
        'wrong',
        [
          `${here.file('sites/moss.yaml')}:1:1: /endpont is not a known key; did you mean "endpoint"? (config-invalid)`,
        ],
      ],
      ['west', 'unreachable', undefined],
    ])
    expect(code).to.equal(1)
    const { stdout: status } = await here.tallyman.run('status')
    expect(status).to.match(
      /the file of the site moss cannot be used: what runs there stays, and is not looked after\n.*moss\.yaml:1:1: .*did you mean "endpoint"/,
    )
    const validated = await here.tallyman.run('validate')
    expect([validated.code, validated.stdout]).to.satisfy(
      ([exit, said]: [number, string]) => exit === 1 && said.includes('did you mean "endpoint"'),
    )
    const plan = await here.tallyman.run('plan')
    expect([plan.code, plan.stderr]).to.satisfy(
      ([exit, said]: [number, string]) => exit === 1 && said.includes('did you mean "endpoint"'),
    )
  })
})

describe('sites of a running daemon', () => {
  it('G17 come and go with their files, and what runs on one that went stays, which is said', async () => {
    await using scene = await fleet({})
    const { moss } = scene
    const manifest = {
      skipConfirmation: true,
      services: [{ name: 'web', containers: [{ dockerName: 'web', dockerTag: '1' }] }],
    }
    await scene.commit(manifest)
    await using daemon = await scene.running()
    await writeFile(scene.file('sites/moss.yaml'), `endpoint: ${moss.endpoint}\n`)
    await daemon.until('moss', 'reachable')
    await waitUntil('web runs on moss', () => moss.containers().length === 1)
    await writeFile(scene.file('sites/moss.yaml'), 'endpont: x\n')
    const kept = await daemon.until('moss', 'reachable', ({ problems }) => problems !== undefined)
    expect(kept.problems?.[0]).to.match(/endpont is not a known key/)
    expect(daemon.said()).to.match(
      /the configuration of sites is wrong, and stays as it was: .*moss\.yaml:1:1/,
    )
    await rm(scene.file('sites/moss.yaml'))
    await daemon.until('moss', 'removed')
    await waitUntil('the journal forgets moss', () =>
      daemon.said().includes('a site is no longer configured'),
    )
    expect(moss.containers()).to.have.length(1)
  })

  it('G17 are those of the configuration, which may be changed as well', async () => {
    await using scene = await fleet({})
    await using daemon = await scene.running()
    const text = await readFile(scene.file('tallyman.yaml'), 'utf8')
    const elsewhere = text.replace('name: west', 'name: north').replace('///nowhere/', '///elsewhere/')
    await writeFile(scene.file('tallyman.yaml'), elsewhere)
    await daemon.until('north', 'unreachable')
    await daemon.until('west', 'removed')
    await writeFile(scene.file('tallyman.yaml'), `${text}\nsites: []`)
    await waitUntil('it says what is wrong', () => daemon.said().includes('stands twice'))
    await daemon.until('north', 'unreachable')
  })

  for (const poll of ['1s', '* * * * * *'])
    it(`G17 come with the next poll (${poll}) where their directory leads elsewhere by then`, async () => {
      await using scene = await fleet({}, { poll })
      await mkdir(scene.file('two'))
      await writeFile(scene.file('two/moss.yaml'), `endpoint: ${scene.moss.endpoint}\n`)
      await rename(scene.file('sites'), scene.file('one'))
      await symlink('one', scene.file('sites'))
      await using daemon = await scene.running()
      await symlink('two', scene.file('next'))
      await rename(scene.file('next'), scene.file('sites'))
      await daemon.until('moss', 'reachable')
    })
})

/** The command line over `east`, which answers, `west`, which does not, and the files of other sites. */
async function fleet(files: Readonly<Record<string, string>>, more: object = {}) {
  await using stack = new AsyncDisposableStack()
  const registry = simulatedRegistry()
  registry.push('web', '1')
  const engine = async () => stack.use(await simulatedEngine({ clock: realClock, registry }))
  const [east, moss] = [await engine(), await engine()]
  const repository = stack.use(await createRepository())
  await repository.commit({ 'environments/prod/manifest.json': '{}' })
  const tallyman = stack.use(
    await createTallymanHere(
      {
        repository: { url: repository.url },
        registry: registry.host,
        healthyTime: '0s',
        ingress: 'off',
        sitesDirectory: 'sites',
        sites: [
          { name: 'east', endpoint: east.endpoint },
          { name: 'west', endpoint: 'unix:///nowhere/docker.sock' },
        ],
        ...more,
      },
      east.socket,
    ),
  )
  const file = (path: string) => join(tallyman.directory, path)
  await mkdir(file('sites'))
  for (const [name, text] of Object.entries(files)) await writeFile(file(join('sites', name)), text)
  const parts = stack.move()
  return {
    ...{ tallyman, file, moss },
    commit: (manifest: object) =>
      repository.commit({ 'environments/prod/manifest.json': JSON.stringify(manifest) }),
    async running() {
      const daemon = await tallyman.daemon()
      const socket = join(tallyman.stateDir, 'control.sock')
      /** Waits until a site is in that state. */
      const until = (name: string, state: string, check: (told: Told) => boolean = () => true) =>
        waitUntil(`${name} is ${state}`, async () => {
          // A command reads the configuration too, unless it is told where the daemon is.
          const { stdout } = await tallyman.run('sites', '--output', 'json', '--server', socket)
          const sites = JSON.parse(stdout) as readonly Told[]
          return sites.find(told => told.name === name && told.state === state && check(told))
        })
      await until('east', 'reachable')
      await until('west', 'unreachable')
      return {
        until,
        said: () => daemon.said().stderr,
        [Symbol.asyncDispose]: () => daemon.stop(),
      }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
