import { expect } from 'chai'
import { application, commit } from '../../../scenes/applications/application-with-hooks.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { execIn } from '../../../support/engine/exec-in.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

type Hooks = Parameters<typeof application>[4]

/** Notes that it runs, and does not end by itself the first time. */
const endsTheSecondTime = 'echo ran >> /log/ran; [ -e /log/again ] && exit 0; touch /log/again; sleep 600'

/** What an instance does: it stays up unless a file says otherwise. */
const serves = '[ -e /log/broken ] && exit 1; trap "exit 0" TERM; sleep 600 & wait $!'

async function release(scene: Scene, version: string, hooks: Hooks = {}, cmd = serves): Promise<void> {
  const policies = Object.keys(hooks)
  const type = policies.includes('mid') ? 'Recreate' : 'RollingUpdate'
  await commit(scene, [application(scene, 'web', version, type, hooks, { cmd })])
}

async function prepared(): Promise<Scene> {
  const scene = await createScene()
  scene.push('app', '1')
  await release(scene, '1')
  expectCode(await scene.tallyman.run('apply'), 0)
  return scene
}

async function roleOf(scene: Scene, role: string) {
  return (await scene.containers()).filter(({ labels }) => labels['tallyman.role'] === role)
}

async function remove(scene: Scene, gone: readonly { readonly id: string }[]): Promise<void> {
  for (const { id } of gone) await engineCall(scene.dockerSocket, 'DELETE', `/containers/${id}?force=1`)
}

/** Has a daemon bring what is wanted until a hook of that stage runs, and then kills it. */
async function untilHookRuns(scene: Scene, stage: string): Promise<void> {
  const daemon = await scene.tallyman.daemon()
  await waitUntil(`${stage} runs`, async () =>
    (await roleOf(scene, 'hook')).some(
      one => one.labels['tallyman.container'] === stage && one.state === 'running',
    ),
  )
  await daemon.stop()
}

/** The versions that run. */
async function running(scene: Scene): Promise<readonly string[]> {
  const up = (await roleOf(scene, 'app')).filter(({ state }) => state === 'running')
  return Promise.all(up.map(async ({ id }) => (await execIn(scene.dockerSocket, id, 'echo $VERSION')).trim()))
}

/** The versions of all instances that there are, whether they run or not: one that fails at once is started again and again. */
function made({ engine }: Scene): readonly string[] {
  return engine.containers().flatMap(({ config: { Labels = {}, Env } }) => {
    const version = Env?.find(each => each.startsWith('VERSION='))?.slice('VERSION='.length) ?? ''
    return Labels['tallyman.role'] === 'app' ? [version] : []
  })
}

const lost = 'stopped, and the old version was not started again'

describe('a rollout whose hooks somebody removes unseen', () => {
  const it = sideBySide()

  it('H5 H22 is not over before its post hook has run to its end', async () => {
    await using scene = await prepared()
    await release(scene, '2', { post: { line: endsTheSecondTime, policy: 'Retry' } })
    await untilHookRuns(scene, 'post')
    await remove(scene, await roleOf(scene, 'hook'))
    expectCode(await scene.tallyman.run('apply'), 0)
    const [one] = await roleOf(scene, 'app')
    expect(await execIn(scene.dockerSocket, one?.id ?? '', 'cat /log/ran')).to.equal('ran\nran\n')
  })

  it('H22 does not run again what was over before', async () => {
    await using scene = await prepared()
    const pre = { line: 'echo pre >> /log/ran', policy: 'Abort' }
    await release(scene, '2', { pre, post: { line: endsTheSecondTime, policy: 'Retry' } })
    await untilHookRuns(scene, 'post')
    await remove(scene, await roleOf(scene, 'hook'))
    expectCode(await scene.tallyman.run('apply'), 0)
    const [one] = await roleOf(scene, 'app')
    expect(await execIn(scene.dockerSocket, one?.id ?? '', 'cat /log/ran')).to.equal('pre\nran\nran\n')
  })

  it('H29 does not start the old version again, if the new one fails after its mid hook', async () => {
    await using scene = await prepared()
    const mid = { line: 'exit 0', policy: 'Abort' }
    await release(scene, '2', { mid, post: { line: 'sleep 600', policy: 'Abort' } })
    await untilHookRuns(scene, 'post')
    const [young] = (await roleOf(scene, 'app')).filter(({ state }) => state === 'running')
    await execIn(scene.dockerSocket, young?.id ?? '', 'touch /log/broken')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${young?.id}/kill`)
    const others = (await scene.containers()).filter(({ id }) => id !== young?.id)
    await remove(scene, others)
    expect(documentOf(await scene.tallyman.run('apply', '--output', 'json')).error?.code).to.equal(
      'not-restored',
    )
    await scene.tallyman.run('apply')
    expect(made(scene)).to.deep.equal(['2'])
    expect((await scene.tallyman.run('plan')).stdout).to.include(lost)
  })
})

describe('a rollout with a mid hook of a service that somebody removed before', () => {
  const it = sideBySide()
  const fails = 'exit 1'
  const works = { line: 'exit 0', policy: 'Abort' }

  for (const [what, line, cmd] of [
    ['the new version fails', 'exit 0', fails],
    ['the hook fails', 'exit 3', serves],
  ] as const)
    it(`H29 does not make the old version anew if ${what}, nor after a correction that fails`, async () => {
      await using scene = await prepared()
      await remove(scene, await roleOf(scene, 'app'))
      await release(scene, '2', { mid: { line, policy: 'Abort' } }, cmd)
      const first = documentOf(await scene.tallyman.run('apply', '--output', 'json'))
      expect(first.error?.code).to.equal('not-restored')
      await scene.tallyman.run('apply')
      expect(made(scene)).to.deep.equal(['2'])
      expect((await scene.tallyman.run('plan')).stdout).to.include(lost)
      await remove(scene, await scene.containers())
      await release(scene, '3', {}, fails)
      const second = documentOf(await scene.tallyman.run('apply', '--output', 'json'))
      expect(second.error?.code).to.equal('not-restored')
      await scene.tallyman.run('apply')
      expect(made(scene)).to.deep.equal(['3'])
    })

  it('H29 makes the version that a person asks for, though it is the old one', async () => {
    await using scene = await prepared()
    await remove(scene, await roleOf(scene, 'app'))
    await release(scene, '2', { mid: works }, fails)
    expectCode(await scene.tallyman.run('apply'), 1)
    await release(scene, '1')
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await running(scene)).to.deep.equal(['1'])
  })
})
