import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { loadConfig } from '../../../../lib/config.ts'
import { runDaemon } from '../../../../lib/daemon/run.ts'
import { toFailure } from '../../../../lib/errors.ts'
import { runHere } from '../../../support/command/run-here.ts'
import { createRepository } from '../../../support/git/repository.ts'
import { silent } from '../../../support/memory/memory-daemon.ts'
import { simulatedEngine } from '../../../support/simulated/engine.ts'
import { simulatedRegistry } from '../../../support/simulated/image/registry.ts'
import { service } from '../../../support/simulated/scene.ts'
import { virtualClock } from '../../../support/simulated/server/clock.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** An environment of one application, and an engine on which nothing runs and whose clock stands still. */
async function place() {
  await using stack = new AsyncDisposableStack()
  const registry = simulatedRegistry()
  registry.push('web', '1')
  registry.push('web', '2')
  const clock = virtualClock()
  const engine = stack.use(await simulatedEngine({ clock, registry }))
  const repository = stack.use(await createRepository())
  const commit = (tag: string) =>
    repository.commit({
      'environments/prod/manifest.json': JSON.stringify({
        services: [service('web', tag)],
        skipConfirmation: true,
      }),
    })
  await commit('1')
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-lost-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const [file, stateDir] = [join(directory, 'tallyman.yaml'), join(directory, 'state')]
  await writeFile(
    file,
    stringify({
      ...{ stateDir, repository: { url: repository.url }, environments: ['prod'], registry: registry.host },
      ...{ healthyTime: '0s', ingress: 'off', sites: [{ name: 'local', endpoint: engine.endpoint }] },
    }),
  )
  const parts = stack.move()
  return {
    ...{ engine, clock, file, commit },
    lose: () => rm(stateDir, { recursive: true }),
    has: () => engine.containers().map(({ state }) => state.status),
    changes: () => engine.calls.filter(call => /^(POST|DELETE) .*containers/.test(call)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

describe('a state directory that goes while tallyman works with it', () => {
  it('G25 has `apply` begin nothing, and fail with the reason', async () => {
    await using scene = await place()
    scene.engine.faults.set(/GET .*\/containers\/json/, { lateMs: 1_000 }, 1)
    const ran = runHere(scene.file, ['apply', '--yes'])
    await waitUntil('it looks at the engine', () =>
      scene.engine.calls.some(call => call.includes('/containers/json')),
    )
    await scene.lose()
    await scene.clock.advance(1_000)
    const { code, stderr } = await ran
    expect([code, scene.changes(), scene.has()]).to.deep.equal([1, [], []])
    expect(stderr).to.include('tallyman.sqlite: it was removed while tallyman works with it')
  })

  it('G25 has a daemon bring to its end what is under way, as at a SIGTERM, and fail with the reason', async () => {
    await using scene = await place()
    scene.engine.faults.set(/\/start$/, { lateMs: 1_000 }, 1)
    const never = new AbortController().signal
    const config = loadConfig({ config: scene.file }, {})
    const ended = runDaemon(config, silent, never, undefined, undefined, 1).catch(toFailure)
    await waitUntil('a change is under way', () => scene.changes().some(call => call.endsWith('/start')))
    await scene.commit('2')
    await scene.lose()
    await scene.clock.advance(1_000)
    expect(await ended).to.include({ code: 'state-dir-gone' })
    const [created = '', started = '', ...more] = scene.changes().map(call => call.replace(/\.\w{8}\//, '/'))
    expect([created, started, more]).to.deep.equal([
      'POST /containers/create',
      'POST /containers/prod.web.1/start',
      [],
    ])
    expect(scene.has()).to.deep.equal(['running'])
  })
})
