import { expect } from 'chai'
import { createTallymanHere } from '../../support/command/tallyman-here.ts'
import { simulatedScene } from '../../support/simulated/scene.ts'

describe('tallyman logs', () => {
  it('C52 shows what an application wrote on every site, beside a daemon or without one', async () => {
    await using here = await scenery()
    const { code, stdout } = await here.tallyman.run('logs', 'web', '--tail', '5')
    expect(code).to.equal(0)
    expect(stdout.split('\n').sort()).to.deep.equal(['', 'east web.1 | hello', 'west web.1 | hello'])
    const west = await here.tallyman.run('logs', 'prod/web/web', '--site', 'west', '--timestamps')
    expect(west.stdout).to.match(/^\d{4}-\d\d-\d\dT\S+Z hello\n$/)
    const json = await here.tallyman.run('logs', 'prod/web', '--site', 'east', '--output', 'json')
    expect(JSON.parse(json.stdout)).to.include({
      site: 'east',
      service: 'web',
      stream: 'stdout',
      text: 'hello',
    })
    const later = await here.tallyman.run('logs', 'web', '--since', '2999-01-01')
    expect([later.code, later.stdout]).to.deep.equal([0, ''])
  })

  it('G13 says which names there are, and what a number of lines is', async () => {
    await using here = await scenery()
    const wrong = [
      [['wbe'], 'there is no application with containers "wbe"; did you mean "web"?'],
      [['web', '--site', 'wets'], 'there is no site "wets"; did you mean "west"?'],
      [['web', '--tail', 'all'], '--tail "all" is not a whole number, such as 50'],
    ] as const
    for (const [args, message] of wrong) {
      const { code, stderr } = await here.tallyman.run('logs', ...args)
      expect(code).to.equal(64)
      expect(stderr).to.include(message)
    }
  })

  it('C52 G17 shows what the other sites have while one does not answer, and ends with 1', async () => {
    await using here = await scenery({ north: 'unix:///nowhere/docker.sock' })
    const { code, stdout, stderr } = await here.tallyman.run('logs', 'web')
    expect(code).to.equal(1)
    expect(stdout.split('\n').sort()).to.deep.equal(['', 'east web.1 | hello', 'west web.1 | hello'])
    expect(stderr).to.match(/^Error: north: .*\(engine-unreachable\)$/m)
  })
})

/** Two sites on which `web` said hello, and a command line that knows these sites and others. */
async function scenery(others: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await simulatedScene({ sites: ['east', 'west'] }))
  scene.registry.push('web', '1', { cmd: ['sh', '-c', 'echo hello; sleep 1000000'] })
  await scene.commit({
    skipConfirmation: true,
    services: [{ name: 'web', containers: [{ dockerName: 'web', dockerTag: '1' }] }],
  })
  await scene.until('web runs', ({ sync, applications }) => sync === 'Synced' && applications.length > 0)
  const sites = [
    ...['east', 'west'].map(name => ({ name, endpoint: scene.site(name).endpoint })),
    ...Object.entries(others).map(([name, endpoint]) => ({ name, endpoint })),
  ]
  const repository = { url: scene.repository.url }
  const tallyman = stack.use(await createTallymanHere({ repository, sites }, ''))
  const all = stack.move()
  return { tallyman, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
