import { join } from 'node:path'
import { expect } from 'chai'
import { approve } from '../../../../lib/cli/commands/remote.ts'
import { createOutput } from '../../../../lib/cli/output/output.ts'
import {
  hookOf,
  lineOf,
  manifest,
  remove,
  slow,
  underWay,
} from '../../../scenes/applications/slow-and-others.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import type { SimulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** How `approve --wait` ended, and what it printed. */
type Told = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs `tallyman approve PLAN --wait` in this process. */
async function follow(scene: SimulatedScene, plan: string): Promise<Told> {
  const printed = { stdout: '', stderr: '' }
  const into = (stream: keyof typeof printed) => ({
    write(text: string) {
      printed[stream] += text
    },
  })
  const output = createOutput({}, { stdin: {}, stdout: into('stdout'), stderr: into('stderr') })
  const server = join(scene.stateDir, 'control.sock')
  const code = await approve(output, { server, wait: true }, plan)
  return { code, ...printed }
}

/** The plan that waits on that many sites by now, while the hook runs. */
async function waitingPlan(scene: SimulatedScene, sites = 1): Promise<string> {
  const look = async () => {
    const [status]: readonly StatusDocument[] = await scene.ask('GET /api/v1/environments')
    const asked = status?.applications.filter(({ approval }) => approval !== undefined) ?? []
    return asked.length === sites && status?.waiting?.plan
  }
  return waitUntil('a plan waits', look)
}

const isHookRunning = (scene: SimulatedScene) => hookOf(scene)?.state.status === 'running'

describe('approve --wait while another application is being changed', () => {
  it('G13 D4 ends with what it approved, shows the steps of that alone, and waits for nothing else', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const { code, stdout, stderr } = await follow(scene, await waitingPlan(scene))
    expect(isHookRunning(scene), 'the other one goes on').to.equal(true)
    expect(lineOf(scene, 'quick')).to.match(/quick:2 running$/)
    expect(stdout).to.match(/^applied \(pass \d+\)\n$/)
    expect(stderr).to.match(/create-container prod\.quick\.\S+ {2}done/)
    expect(stderr).not.to.match(/failed|slow|run-to-end/)
    expect(code).to.equal(0)
  })

  it('G13 D4 A34 ends with what it approved on several sites, on each of which the other one goes on', async () => {
    await using scene = await underWay({ sites: ['local', 'south'] }, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const { code, stdout, stderr } = await follow(scene, await waitingPlan(scene, 2))
    expect(isHookRunning(scene), 'the other one goes on').to.equal(true)
    for (const site of ['local', 'south'])
      expect(scene.has(site).join('\n')).to.match(/quick\S* \S+quick:2 running/)
    expect(stdout).to.match(/^applied \(pass \d+\)\n$/)
    expect(stderr).not.to.match(/failed|slow|run-to-end/)
    expect(code).to.equal(0)
  })

  it('G13 G6 says that it failed as soon as that is so', async () => {
    await using scene = await underWay({ config: { healthyTime: '1s' } }, 'asks')
    await scene.commit(manifest({ quick: 'bad' }, 'asks'), slow('2'))
    const { code, stdout, stderr } = await follow(scene, await waitingPlan(scene))
    expect(isHookRunning(scene), 'the other one goes on').to.equal(true)
    expect(stdout).to.match(/^rolled-back \(pass \d+\)\n$/)
    expect(stderr).to.match(/prod\.quick\.\S+ {2}failed: /)
    // The engine may start it again, so that it ends again, before it is looked at.
    expect(stderr).to.match(
      /^Error: local: prod\.quick\.\S+ (exited|ended \d+ times, last) with code 1 \(exited-early\)$/m,
    )
    expect(code).to.equal(1)
  })

  it('G13 X18 ends where what it approved is held by then, and does not say that all is well', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const plan = await waitingPlan(scene)
    await scene.ask('POST /api/v1/suspend', { application: 'quick', reason: 'not tonight' })
    const { code, stdout } = await follow(scene, plan)
    expect(isHookRunning(scene), 'the other one goes on').to.equal(true)
    expect(lineOf(scene, 'quick')).to.match(/quick:1 running$/)
    expect(stdout).to.match(/^in-sync, OutOfSync \(pass \d+\)\n$/)
    expect(code).to.equal(0)
  })

  it('G13 D4 is told of what it approved also if another approval ended the pass that carried it out', async () => {
    await using scene = await underWay({ config: { healthyTime: '4s' } }, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const first = follow(scene, await waitingPlan(scene))
    await waitUntil('it has begun', async () => {
      const [status]: readonly StatusDocument[] = await scene.ask('GET /api/v1/environments')
      return status?.running?.changes.includes('local/quick/quick')
    })
    await scene.commit(manifest({ quick: '2', more: '1' }, 'asks'), slow('2'))
    const second = follow(scene, await waitingPlan(scene))
    for (const { code, stdout, stderr } of await Promise.all([first, second])) {
      expect(stdout).to.match(/^applied \(pass \d+\)\n$/)
      expect(stderr).not.to.include('failed')
      expect(code).to.equal(0)
    }
    expect(isHookRunning(scene), 'the other one goes on').to.equal(true)
    expect(lineOf(scene, 'quick')).to.match(/quick:2 running$/)
    expect(lineOf(scene, 'more')).to.match(/quick:1 running$/)
  })

  it('G12 G14 waits for what it approved where that begins only after a rollout that nothing may take over from', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.ask('POST /api/v1/suspend', { application: 'slow', reason: 'not now' })
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const following = follow(scene, await waitingPlan(scene))
    await waitUntil('it is approved, and the other one goes on', async () => {
      const [status]: readonly StatusDocument[] = await scene.ask('GET /api/v1/environments')
      return status?.waiting === undefined && status?.running?.changes.join() === 'local/slow/slow'
    })
    await remove(scene, 'slow', 'hook')
    const { code, stdout } = await following
    expect(stdout).to.match(/^(applied|partially-applied) \(pass \d+\)\n$/)
    expect(lineOf(scene, 'quick')).to.match(/quick:2 running$/)
    expect(code).to.equal(0)
  })

  it('G13 D3 waits for what a removal comes after, and says nothing of a pass that gave way to it', async () => {
    await using scene = await underWay()
    await scene.commit(manifest({}), slow('2'))
    const plan = await waitingPlan(scene)
    const following = follow(scene, plan)
    await waitUntil('it is under way', async () => {
      const [status]: readonly StatusDocument[] = await scene.ask('GET /api/v1/environments')
      const { changes = [], step = '' } = status?.running ?? {}
      return changes.includes('local/quick/quick') && step.startsWith('run-to-end')
    })
    await remove(scene, 'slow', 'hook')
    const { code, stdout, stderr } = await following
    expect(stdout).to.match(/^applied \(pass \d+\)\n$/)
    expect(stderr).to.match(/remove-container prod\.quick\.\S+ {2}done/)
    expect(code).to.equal(0)
    expect(lineOf(scene, 'quick')).to.equal(undefined)
  })
})
