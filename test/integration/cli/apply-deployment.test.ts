import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { run } from '../../../lib/cli/program.ts'
import { createRepository } from '../../support/git/repository.ts'
import { exits } from '../../support/images/images.ts'
import { type SimulatedEngine, simulatedEngine } from '../../support/simulated/engine.ts'
import { type SimulatedRegistry, simulatedRegistry } from '../../support/simulated/image/registry.ts'
import { service } from '../../support/simulated/scene.ts'
import { realClock } from '../../support/simulated/server/clock.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const canary = '{canary-sites: {match-site-labels: system/name = lab}, canary-continue-by-action: true}'
const oneAfterAnother = '{sites-in-parallel: 2, healthy-time: 0s}'

type Said = { readonly code: number; readonly out: string; readonly err: string }

type Scene = AsyncDisposable & {
  push: SimulatedRegistry['push']
  /** Commits that another version of `web` is wanted. */
  want(tag: string): Promise<string>
  /** Has an engine refuse connections. */
  off(site: string): Promise<void>
  said(...argv: readonly string[]): Promise<Said>
}

/** A deployment of `web` over three engines, of which `lab` tries versions first, and no daemon. */
async function threeSites(strategy: string): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const registry = simulatedRegistry()
  registry.push('web', '1')
  const engines = new Map<string, SimulatedEngine>()
  for (const name of ['lab', 'north', 'south'])
    engines.set(name, stack.use(await simulatedEngine({ clock: realClock, registry })))
  const sites = [...engines].map(([name, { endpoint }]) => ({ name, endpoint }))
  const repository = stack.use(await createRepository())
  await repository.commit({
    'environments/prod/manifest.json': JSON.stringify({ services: [service('web', '1')] }),
    'deployments/web.yaml': [
      'name: web',
      'application: web',
      'placement: {all-sites: true}',
      `deploy-to-sites: ${strategy}`,
    ].join('\n'),
  })
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-apply-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'tallyman.yaml')
  const config = {
    ...{ stateDir: join(directory, 'state'), repository: { url: repository.url }, environments: ['prod'] },
    ...{ registry: registry.host, healthyTime: '50ms', ingress: 'off', sites },
  }
  await writeFile(file, stringify(config))
  const parts = stack.move()
  return {
    push: registry.push,
    off: async site => engines.get(site)?.off(),
    want: tag =>
      repository.commit({
        'environments/prod/manifest.json': JSON.stringify({ services: [service('web', tag)] }),
      }),
    async said(...argv) {
      let [out, err] = ['', '']
      const streams = {
        stdin: {},
        stdout: { write: (text: string) => (out += text) },
        stderr: { write: (text: string) => (err += text) },
      }
      const code = await run(['node', 'tallyman', ...argv, '--config', file], '0', streams)
      return { code, out, err }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

describe('apply without a daemon', () => {
  it('G13 A31 X20 says what a deployment waits for and how it goes on, and that it is done', async () => {
    await using scene = await threeSites(canary)
    const first = await scene.said('apply', '--yes')
    expect(first.out).to.match(/ {2}deployment web 1 {2}waiting {2}1 of 3 sites done, 2 to come\n/)
    const [, id = ''] = /to let them follow: tallyman approve (\w{16})\n/.exec(first.out) ?? []
    const { deployments } = JSON.parse((await scene.said('apply', '--yes', '--output', 'json')).out)
    expect(deployments.map(({ approve }: { readonly approve: string }) => approve)).to.deep.equal([id])
    expect((await scene.said('approve', id)).code).to.equal(0)
    expect((await scene.said('apply', '--yes')).out).to.match(
      / {2}deployment web 1 {2}done {2}3 of 3 sites done\n/,
    )
    expect((await scene.said('apply', '--yes')).out, 'it is said once').not.to.include('deployment')
  })

  it('D4 G13 without a terminal, its plan waits once on all sites, is on record, and goes on once approved', async () => {
    await using scene = await threeSites(oneAfterAnother)
    const { id } = JSON.parse((await scene.said('apply', '--output', 'json')).out)
    const again = await scene.said('apply')
    expect([again.code, again.err.split('\n').slice(1)]).to.deep.equal([
      3,
      [
        `The plan waits for a confirmation, and there is no terminal to ask on. Nothing was changed; confirm with --yes, or with: tallyman approve ${id}`,
        '',
      ],
    ])
    const [status] = JSON.parse((await scene.said('status', '--output', 'json')).out)
    expect(status.waiting.plan).to.equal(id)
    expect(again.out).to.include('  deployment web 1  waiting  0 of 3 sites done, 2 now, 1 to come\n')
    expect(
      (await scene.said('log')).out.match(/ needs-confirmation .*\(command, seen 2 times/g),
    ).to.have.length(3)
    expect((await scene.said('approve', id)).code).to.equal(0)
    const applied = await scene.said('apply')
    expect([applied.code, applied.out.match(/ {2}deployment web .*/)?.[0]]).to.deep.equal([
      0,
      '  deployment web 1  progressing  2 of 3 sites done, 1 to come',
    ])
  })

  it('A32 D4 a plan of a batch keeps its id until it begins, so that apply --plan carries out the batch that was shown', async () => {
    await using scene = await threeSites(oneAfterAnother)
    const ids = []
    for (const command of ['plan', 'apply', 'plan', 'plan'])
      ids.push(JSON.parse((await scene.said(command, '--output', 'json')).out).id)
    const [id] = ids
    expect(ids).to.deep.equal([id, id, id, id])
    const applied = await scene.said('apply', '--yes', '--plan', id)
    expect(applied.out).to.include('applied: 2 of 2 changes done')
  })

  it('A33 G5 a version that failed is wanted still, so that apply fails until it is corrected, also if what failed may be tried again', async () => {
    await using scene = await threeSites(canary)
    scene.push('web', '2', { cmd: exits(7) })
    await scene.said('apply', '--yes')
    await scene.want('2')
    expect((await scene.said('apply', '--yes')).code).to.equal(1)
    expect((await scene.said('apply')).code).to.equal(1)
    const retried = await scene.said('apply', '--retry', '--yes')
    expect(retried.code).to.equal(1)
    expect(retried.err).to.include('the deployment web failed here')
    await scene.want('1')
    const back = await scene.said('apply')
    expect(back.code, 'a revert waits for its approval').to.equal(3)
    expect(back.out).to.match(/ {2}deployment web 1 {2}(waiting|done) {2}/)
  })

  it('G13 says that a deployment is done where its last healthy time has ended since the last look', async () => {
    await using scene = await threeSites('{sites-in-parallel: 3, healthy-time: 1s}')
    const first = await scene.said('apply', '--yes')
    expect(first.out).to.include('  deployment web 1  proving  3 of 3 sites done\n')
    const last = await waitUntil('its healthy time ends', async () => {
      const { out } = await scene.said('status')
      return !out.includes('proving') && scene.said('apply')
    })
    expect(last.out).to.include('  deployment web 1  done  3 of 3 sites done\n')
    expect((await scene.said('apply')).out, 'it is said once').not.to.include('  deployment web')
  })

  it('G13 A34 status without a daemon says the same of a site that could not go on when it was last seen', async () => {
    await using scene = await threeSites(canary)
    await scene.off('lab')
    const applied = await scene.said('apply', '--yes')
    const line = / {2}deployment web 1 {2}waiting {2}.*\n( {4}.*\n)+/.exec(applied.out)?.[0] ?? 'none'
    expect(line).to.match(/no canary is ready: lab .*\n {4}to let them follow: tallyman approve \w{16}\n/)
    expect((await scene.said('status')).out).to.include(line)
  })

  it('A33 without a terminal, an abort is of the version that waits, so that no later apply brings it', async () => {
    await using scene = await threeSites(oneAfterAnother)
    await scene.said('apply', '--yes')
    await scene.said('apply', '--yes')
    scene.push('web', '2', { env: { V: '2' } })
    await scene.want('2')
    const { id } = JSON.parse((await scene.said('apply', '--output', 'json')).out)
    expect((await scene.said('approve', id)).code).to.equal(0)
    expect((await scene.said('abort', 'web')).code).to.equal(0)
    const after = await scene.said('apply', '--yes')
    expect(after.out).to.include('  deployment web 2  aborted  0 of 3 sites done, 3 without it\n')
  })
})
