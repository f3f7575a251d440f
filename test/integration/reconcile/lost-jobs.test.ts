import { expect } from 'chai'
import { application, commit } from '../../scenes/application-with-hooks.ts'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { engineCall } from '../../support/engine-call.ts'
import { execIn } from '../../support/exec-in.ts'
import { sideBySide } from '../../support/side-by-side.ts'
import { createScene, type Scene } from './scene.ts'

type Hooks = Parameters<typeof application>[4]

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

/** The versions that run. */
async function running(scene: Scene): Promise<readonly string[]> {
  const up = (await roleOf(scene, 'app')).filter(({ state }) => state === 'running')
  return Promise.all(up.map(async ({ id }) => (await execIn(scene.dockerSocket, id, 'echo $VERSION')).trim()))
}

const lost = 'stopped, and the old version was not started again'

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
      expect(await running(scene)).to.deep.equal([])
      expect((await scene.tallyman.run('plan')).stdout).to.include(lost)
      await remove(scene, await scene.containers())
      await release(scene, '3', {}, fails)
      const second = documentOf(await scene.tallyman.run('apply', '--output', 'json'))
      expect(second.error?.code).to.equal('not-restored')
      await scene.tallyman.run('apply')
      expect(await running(scene)).to.deep.equal([])
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
