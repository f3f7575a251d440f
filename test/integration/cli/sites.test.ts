import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createRepository } from '../../support/repository.ts'
import { realClock } from '../../support/simulated/clock.ts'
import { simulatedEngine } from '../../support/simulated/engine.ts'
import { simulatedRegistry } from '../../support/simulated/registry.ts'
import { createTallymanHere } from '../../support/tallyman-here.ts'
import { waitUntil } from '../../support/wait-until.ts'

type Told = {
  readonly name: string
  readonly state: string
  readonly engine?: string
  readonly file?: string
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
    expect(text).to.match(/^west: west: .*\(engine-unreachable\)$/m)
  })

  it('G13 says which file is wrong, with a daemon that works with the other sites, and ends with 1', async () => {
    await using here = await fleet({ 'moss.yaml': 'endpont: tcp://moss:1\n' })
    await using _ = await here.running()
    const { code, stdout } = await here.tallyman.run('sites', '--output', 'json')
    const told = (JSON.parse(stdout) as readonly (Told & { readonly problems?: readonly string[] })[]).map(
      ({ name, state, problems }) => [name, state, problems],
    )
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
    const plan = await here.tallyman.run('plan')
    expect([plan.code, plan.stderr]).to.satisfy(
      ([exit, said]: [number, string]) => exit === 1 && said.includes('did you mean "endpoint"'),
    )
  })
})

/** The command line over `east`, which answers, `west`, which does not, and the files of other sites. */
async function fleet(files: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack()
  const engine = stack.use(await simulatedEngine({ clock: realClock, registry: simulatedRegistry() }))
  const repository = stack.use(await createRepository())
  await repository.commit({ 'environments/prod/manifest.json': '{}' })
  const tallyman = stack.use(
    await createTallymanHere(
      {
        repository: { url: repository.url },
        ingress: 'off',
        sitesDirectory: 'sites',
        sites: [
          { name: 'east', endpoint: engine.endpoint },
          { name: 'west', endpoint: 'unix:///nowhere/docker.sock' },
        ],
      },
      engine.socket,
    ),
  )
  const file = (path: string) => join(tallyman.directory, path)
  await mkdir(file('sites'))
  for (const [name, text] of Object.entries(files)) await writeFile(file(join('sites', name)), text)
  const parts = stack.move()
  return {
    tallyman,
    file,
    async running() {
      const daemon = await tallyman.daemon()
      await waitUntil('both sites were looked at', async () => {
        const { stdout } = await tallyman.run('sites', '--output', 'json')
        return !stdout.includes('"unknown"')
      })
      return { [Symbol.asyncDispose]: () => daemon.stop() }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
