import { expect } from 'chai'
import {
  application,
  commit,
  type Stage,
  type Strategy,
} from '../../../scenes/applications/application-with-hooks.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { exitsWith, type Fate, type Spec } from '../../../support/simulated/swarm/swarm.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createSwarmScene } from '../scene.ts'

/** A Swarm whose tasks are noted as they begin. */
async function swarmScene() {
  const scene = await createSwarmScene()
  const { swarm } = scene
  scene.push('app', '1')
  /** What began: `pre 1`, `start 2`. */
  const told: string[] = []
  /** How many tasks of other versions were to run each time that one began which is no hook. */
  const beside: number[] = []
  /** What becomes of what is told so, in turn and the last one again; otherwise hooks complete, and all else runs. */
  const fates = new Map<string, readonly Fate[]>()
  swarm.fate = spec => {
    const what = whatBegins(spec)
    const nth = told.filter(one => one === what).length
    told.push(what)
    const isHook = !what.startsWith('start')
    const others = swarm
      .tasks({ 'desired-state': ['running'] })
      .filter(({ Spec }) => versionOf(Spec) !== versionOf(spec.TaskTemplate))
    if (!isHook) beside.push(others.length)
    const known = fates.get(what)
    return known?.[nth] ?? known?.at(-1) ?? { State: isHook ? 'complete' : 'running' }
  }
  const release = (
    version: string,
    hooks: Partial<Record<Stage, string>>,
    { type = 'RollingUpdate', replicas = 1 }: { readonly type?: Strategy; readonly replicas?: number } = {},
  ) => {
    const told = Object.entries(hooks).map(([stage, policy]) => [stage, { line: 'do', policy }])
    return commit(scene, [
      application(scene, 'shop', version, type, Object.fromEntries(told), { replicas, cmd: 'run' }),
    ])
  }
  const services = () => swarm.list({}).map(({ Spec }) => Spec.Name.slice(scene.environment.length + 1))
  return Object.assign(scene, { told, beside, fates, release, services })
}

function versionOf({ ContainerSpec }: Spec['TaskTemplate']): string {
  return /"VERSION=(\w+)"/.exec(JSON.stringify(ContainerSpec['Env']))?.[1] ?? ''
}

function whatBegins({ Name, Labels, TaskTemplate }: Spec): string {
  const stage = Labels?.['tallyman.role'] === 'hook' ? /_(pre|mid|post)_/.exec(Name)?.[1] : 'start'
  return `${stage} ${versionOf(TaskTemplate)}`
}

const fails = [exitsWith(3)]
const goesOn = [{ State: 'running' }]

describe('hooks of services of a Swarm', () => {
  it('H4 H7 are tried until they succeed, or may fail, as their policies say', async () => {
    await using scene = await swarmScene()
    scene.fates
      .set('pre 1', [exitsWith(1), exitsWith(1), { State: 'complete' }])
      .set('post 1', [exitsWith(4)])
    await scene.release('1', { pre: 'Retry', post: 'Ignore' })
    const made = await scene.tallyman.run('apply')
    expectCode(made, 0)
    expect(made.stderr).to.include('try 2 failed with exit code 1').and.to.include('failed with exit code 4')
    expect(scene.told).to.deep.equal(['pre 1', 'pre 1', 'pre 1', 'start 1', 'post 1'])
    expect(scene.services()).to.deep.equal(['shop'])
  })

  it('H6 D18 are given up where a commit corrects their release meanwhile', async () => {
    await using scene = await swarmScene()
    await scene.release('1', {})
    const daemon = await scene.tallyman.daemon()
    const isDone = () =>
      daemon.until('it is done', ({ sync, running }) => sync === 'Synced' && running === undefined)
    await isDone()
    scene.fates.set('pre 2', goesOn)
    await scene.release('2', { pre: 'Abort' })
    await waitUntil('it runs', () => scene.told.includes('pre 2'))
    await scene.release('3', { pre: 'Abort' })
    await waitUntil('the correction runs', () => scene.told.includes('start 3'))
    await isDone()
    expect(scene.told).to.deep.equal(['start 1', 'pre 2', 'pre 3', 'start 3'])
    expect(scene.services()).to.deep.equal(['shop'])
  })

  it('H22 that run while nobody watches are waited for by who comes next, and do not run again', async () => {
    await using scene = await swarmScene()
    const { swarm, tallyman } = scene
    await scene.release('1', {})
    expectCode(await tallyman.run('apply'), 0)
    scene.fates.set('pre 2', goesOn)
    await scene.release('2', { pre: 'Abort' })
    const daemon = await tallyman.daemon()
    await waitUntil('it runs', () => scene.told.includes('pre 2'))
    await daemon.stop()
    const next = await tallyman.daemon()
    await next.until('it is waited for', ({ running }) => running?.step?.startsWith('run-to-end') ?? false)
    const { fate } = swarm
    swarm.fate = spec => ({ State: whatBegins(spec) === 'pre 2' ? 'complete' : 'running' })
    swarm.startAgain()
    swarm.fate = fate
    await next.until('it is done', ({ sync, running }) => sync === 'Synced' && running === undefined)
    expect(scene.told).to.deep.equal(['start 1', 'pre 2', 'start 2'])
    expect(scene.services()).to.deep.equal(['shop'])
  })

  it('H29 leave all stopped when one in the middle fails, until what corrects it starts', async () => {
    await using scene = await swarmScene()
    const { tallyman } = scene
    const more = { type: 'Recreate' } as const
    await scene.release('1', {}, more)
    expectCode(await tallyman.run('apply'), 0)
    scene.fates.set('mid 2', fails)
    await scene.release('2', { mid: 'Abort' }, more)
    const failed = await tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.deep.include({ code: 'not-restored' })
    expect(failed.stdout).to.include('failed with exit code 3')
    expect((await tallyman.run('status')).stdout).to.match(/Degraded .* 0\/1/)
    expect(scene.services()).to.deep.equal(['shop'])
    await scene.release('3', { mid: 'Abort' }, more)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(scene.told).to.deep.equal(['start 1', 'mid 2', 'mid 3', 'start 3'])
    expect(scene.beside, 'nothing of the other version').to.deep.equal([0, 0])
  })
})

describe('services of one application on a Swarm', () => {
  it('A40 all stop before any starts anew, where its upgrade path says so', async () => {
    await using scene = await swarmScene()
    const { tallyman } = scene
    const release = (version: string) => {
      const [one] = application(scene, 'shop', version, 'RollingUpdate', {}, { cmd: 'run' }).services
      if (one === undefined) throw new Error('there is one')
      const { strategy: _, ...web } = one
      const ways = [{ 'version-regexp': '.', method: 'stop-and-restart' }]
      const shop = { name: 'shop', version, services: [web, { ...web, name: 'other' }], 'upgrade-from': ways }
      return commit(scene, [shop])
    }
    await release('1')
    expectCode(await tallyman.run('apply'), 0)
    await release('2')
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('all services of the application stop before any starts anew')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(scene.told).to.deep.equal(['start 1', 'start 1', 'start 2', 'start 2'])
    expect(scene.beside).to.deep.equal([0, 0, 0, 0])
    expect(scene.services()).to.have.members(['shop', 'shop_other'])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
