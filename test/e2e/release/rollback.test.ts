import { expect } from 'chai'
import { expectCode, has } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { git } from '../../support/git/git.ts'
import { startGitServer } from '../../support/git/git-server.ts'
import { startRegistry } from '../../support/images/registry.ts'

describe('a bad release', () => {
  it('A12 E23 X8 is taken back by a commit that rollback pushes, and that the daemon carries out like any other', async () => {
    await using server = await startGitServer()
    await using scene = await createScene({ commands: 'here', server })
    const { tallyman, environment } = scene
    await Promise.all([
      scene.push('web', '1'),
      scene.push('web', '2', { env: { V: '2' } }),
      scene.push('api', '1'),
    ])
    const first = await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    await daemon.until('the first runs', seen => seen.sync === 'Synced' && seen.running === undefined)
    await scene.commit({ services: [service('web', '2'), service('api', '1')], skipConfirmation: true })
    const all = await daemon.until('the second runs', seen => {
      return versionsOf(seen).join() === '1,2' && seen.sync === 'Synced'
    })
    expect(all.applications).to.have.length(2)

    const said = await tallyman.run('rollback', 'web', '--yes', '--message', 'it leaks')
    expectCode(said, 0)
    expect(said.stdout).to.match(/\nPushed [0-9a-f]{12} to main\. The daemon looks at it now\.\n$/)
    const head = await scene.repository.head()
    await daemon.until('the first runs again', seen => {
      return versionsOf(seen).join() === '1,1' && seen.sync === 'Synced' && seen.revision?.commit === head
    })
    const [web] = (await scene.containers()).filter(({ service }) => service === 'web')
    expect(web?.labels['tallyman.commit']).to.equal(head)
    expect((await scene.containers()).filter(({ state }) => state === 'running')).to.have.length(2)

    const passes = JSON.parse((await tallyman.run('log', '--output', 'json')).stdout)
    const { passId } = passes.find(
      (pass: { revision?: { commit: string } }) => pass.revision?.commit === first,
    )
    expectCode(await tallyman.run('rollback', 'web', '--now', '--to', '2'), 0)
    const whole = await tallyman.run('rollback', '--to', `pass:${passId}`, '--yes')
    expectCode(whole, 0)
    expect(whole.stdout).to.include(`${environment} goes back from`)
    const path = `environments/${environment}/manifest.json`
    const { bare } = scene.repository
    expect(await git(bare, ['show', `main:${path}`])).to.equal(await git(bare, ['show', `${first}:${path}`]))
    await daemon.until('the removal waits', seen => seen.waiting !== undefined)
  })
})

describe('a bad release everywhere', () => {
  it('A6 A12 X8 is taken back at three in the morning, with git and the registry down, and held until resume', async () => {
    await using server = await startGitServer()
    await using registry = await startRegistry()
    await using scene = await createScene({ commands: 'here', server, registry })
    const { tallyman } = scene
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    const first = await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    await daemon.until('the first runs', seen => seen.sync === 'Synced' && seen.running === undefined)
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await daemon.until('the second runs', seen => versionsOf(seen).join() === '2' && seen.sync === 'Synced')

    await registry.off()
    server.fail = { status: 503 }
    await daemon.until('git is down', has('git-unreachable'))
    const said = await tallyman.run('rollback', 'web', '--now', '--reason', 'it leaks')
    expectCode(said, 0)
    expect(said.stdout).to.match(/^web is held at version 1 \([0-9a-f]{12}\) until "tallyman resume web"/)
    await daemon.until('the first runs again', seen => versionsOf(seen).join() === '1')
    const [container] = (await scene.containers()).filter(({ state }) => state === 'running')
    expect(container?.labels['tallyman.commit']).to.equal(first)
    const status = await tallyman.run('status')
    expect(status.stdout).to.match(
      /web held at version 1 \([0-9a-f]{12}\) by \S+: it leaks; to end it: tallyman resume web/,
    )
    const list = await tallyman.run('versions', 'web')
    expect(list.stdout).to.match(/^ {2}1 .* held +local$/m)

    server.fail = undefined
    await registry.on()
    await daemon.until(
      'git is back, and it is held',
      seen => seen.errors.length === 0 && seen.sync === 'Synced',
    )
    expect(versionsOf(await daemon.status())).to.deep.equal(['1'])
    expectCode(await tallyman.run('resume', 'web'), 0)
    await daemon.until(
      'the second runs again',
      seen => versionsOf(seen).join() === '2' && seen.sync === 'Synced',
    )
    const answers = await tallyman.run('log', '--answers')
    expect(answers.stdout).to.match(/rollback web by .*: to version 1: it leaks/)
  })
})

function versionsOf({ applications }: { readonly applications: readonly { readonly version: string }[] }) {
  return applications.map(({ version }) => version)
}
