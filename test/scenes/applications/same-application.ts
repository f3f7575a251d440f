import { expect } from 'chai'
import { stringify } from 'yaml'
import { optional } from '../../../lib/object.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { runningFromAny } from '../../support/engine/tasks-on.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { documentOf, expectCode } from '../plan-document.ts'
import { type AnyScene, service } from '../scene.ts'
import { commit } from './blog.ts'

type SiteScene = AnyScene &
  AsyncDisposable & {
    /** The sockets of the engines that run something. */
    readonly engines: readonly string[]
    /** Pushes a Pallet application as `blog` that writes down what it is run as. Its deploy fails in the version `bad`. */
    pushBlog(tag: string): unknown
    /** What it was run as, in this order, each with the tag of its image: `deploy 1`. */
    phases(): Promise<readonly string[]>
  }

/** A kind of site. */
export type Kind = {
  /** A scene whose only site is called `here`. */
  readonly createScene: () => Promise<SiteScene>
  /** Takes away there what runs as somebody does, so that only Tallyman brings it back. */
  readonly takeAway: (scene: AnyScene, containers: readonly string[]) => Promise<void>
  /** What is said of a release whose program ends at once, and how long it takes at most until that is told. */
  readonly crash: { readonly code: string; readonly words: string; readonly toldWithin: string }
}

type Special = { readonly pre?: string; readonly healthyTime?: string }

/** Removes something of an engine, by its path. */
export async function removed(socket: string, path: string): Promise<void> {
  const { status } = await engineCall(socket, 'DELETE', path)
  expect(status, path).to.be.oneOf([200, 204])
}

const endsOnTerm = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000000 & wait $!']

async function prepared(kind: Kind) {
  const scene = await kind.createScene()
  for (const tag of ['1', '2']) await scene.push('web', tag, { env: { V: tag }, cmd: endsOnTerm })
  return scene
}

/** The same tests for a host and for a Swarm. */
export function testSameApplication(kind: Kind): void {
  const it = sideBySide()

  /** Commits `shop` in this version, with two instances of its only service, and maybe a hook or another time to prove itself. */
  const release = (scene: AnyScene, tag: string, { pre, healthyTime }: Special = {}) => {
    const hook = pre && {
      failurePolicy: 'Abort',
      execNewPod: { containerName: 'web', command: ['sh', '-c', pre] },
    }
    const web = {
      ...{ name: 'web', replicas: 2 },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          timeoutSeconds: 60,
          ...optional('healthyTime', healthyTime),
          ...optional('pre', hook),
        },
      },
      containers: [{ name: 'web', image: `${scene.prefix}/web:${tag}` }],
    }
    const shop = stringify({ name: 'shop', version: tag, services: [web] })
    return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
      'applications/shop.yaml': shop,
    })
  }

  /** Waits until this runs there, by the versions in variables: what was replaced may still be ending. */
  const runs = ({ engines, prefix }: SiteScene, ...versions: readonly string[]) =>
    waitUntil(`${versions.join(' and ') || 'nothing'} runs`, async () => {
      const all = await runningFromAny(engines, prefix)
      const found = all.flatMap(({ env }) => env.filter(one => one.startsWith('V=')))
      return found.sort().join() === versions.map(version => `V=${version}`).join()
    })
  const idsOf = async ({ engines, prefix }: SiteScene) =>
    (await runningFromAny(engines, prefix)).map(({ id }) => id)
  /** What `show` says of the last pass. */
  const shownLast = async ({ tallyman }: AnyScene) => {
    const [, pass = ''] = /^#(\d+)/.exec((await tallyman.run('log')).stdout) ?? []
    return (await tallyman.run('show', pass)).stdout
  }
  const isInSync = async ({ tallyman }: AnyScene) =>
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

  it('E21 G2 D3 E15 is deployed, updated, rolled back by a revert, and removed once somebody has confirmed', async () => {
    await using scene = await prepared(kind)
    const { tallyman } = scene
    for (const tag of ['1', '2', '1']) {
      await release(scene, tag)
      const planned = documentOf(await tallyman.run('plan', '--output', 'json'))
      expect(planned.changes.map(({ service, site }) => `${site} ${service}`)).to.deep.equal(['here web'])
      expectCode(await tallyman.run('apply'), 0)
      await runs(scene, tag, tag)
      await isInSync(scene)
    }
    await scene.push('other', '1')
    await scene.commit({ services: [service('other', '1')] })
    const asked = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect(asked.outcome).to.equal('needs-confirmation')
    expect(asked.changes.map(({ action, service }) => `${action} ${service}`)).to.include.members([
      ...['remove web', 'create other'],
    ])
    await runs(scene, '1', '1')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    await runs(scene)
    await isInSync(scene)
  })

  it('D2 D18 G5 is repaired, serves on through a release that crashes, and gets that one only once corrected', async () => {
    await using scene = await prepared(kind)
    const { tallyman } = scene
    await scene.push('web', '3', { env: { V: '3' }, cmd: ['sh', '-c', 'echo boom; exit 3'] })
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    await kind.takeAway(scene, await idsOf(scene))
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
    expectCode(await tallyman.run('apply'), 0)
    await runs(scene, '1', '1')

    const serving = await idsOf(scene)
    await release(scene, '3', { healthyTime: kind.crash.toldWithin })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
    expect(documentOf(failed).error).to.include({ code: kind.crash.code })
    expect(failed.stdout).to.include(kind.crash.words)
    expect(await shownLast(scene)).to.match(/ended with code 3.*boom/s)
    await runs(scene, '1', '1')
    const restored = await idsOf(scene)
    expect(
      restored.some(id => serving.includes(id)),
      'one served all the time',
    ).to.equal(true)
    const again = await tallyman.run('apply')
    expectCode(again, 1)
    expect(again.stdout + again.stderr).to.include('(quarantined)')
    expect(await idsOf(scene), 'nothing was tried').to.deep.equal(restored)
    await release(scene, '2')
    expectCode(await tallyman.run('apply'), 0)
    await runs(scene, '2', '2')
    await isInSync(scene)
  })

  it('P4 P6 D10 is deployed before it serves if it is a Pallet application, and serves on where a deploy fails', async () => {
    await using scene = await prepared(kind)
    const { tallyman } = scene
    for (const tag of ['1', '2', 'bad']) await scene.pushBlog(tag)
    const served = (tag: string) => [`deploy ${tag}`, `serve ${tag}`, `serve ${tag}`]
    await commit(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    expect(await scene.phases()).to.deep.equal(served('1'))
    await commit(scene, 'bad')
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
    expect(documentOf(failed).error).to.include({ code: 'job-failed' })
    expect(await scene.phases(), 'the old one serves on').to.deep.equal([...served('1'), 'deploy bad'])
    await commit(scene, '2')
    expectCode(await tallyman.run('apply'), 0)
    expect(await scene.phases()).to.deep.equal([...served('1'), 'deploy bad', ...served('2')])
    await isInSync(scene)
  })

  it('H4 H10 is left as it is where a pre hook fails, and goes on with one that is corrected', async () => {
    await using scene = await prepared(kind)
    const { tallyman, engines } = scene
    await release(scene, '1', { pre: 'true' })
    expectCode(await tallyman.run('apply'), 0)
    const before = await runningFromAny(engines, scene.prefix)
    await release(scene, '2', { pre: 'echo no room; exit 3' })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.include({ code: 'job-failed' })
    expect(failed.stdout).to.include('failed with exit code 3: no room')
    expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
    expect(await shownLast(scene))
      .to.include('exit code 3')
      .and.to.include('no room')
    expect(await runningFromAny(engines, scene.prefix)).to.deep.equal(before)
    const again = await tallyman.run('apply')
    expectCode(again, 1)
    expect(again.stdout + again.stderr).to.include('(quarantined)')
    expect(await runningFromAny(engines, scene.prefix), 'nothing was tried').to.deep.equal(before)
    await release(scene, '2', { pre: 'test "$V" = 2' })
    expectCode(await tallyman.run('apply'), 0)
    await runs(scene, '2', '2')
    await isInSync(scene)
  })
}
