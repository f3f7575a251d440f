import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, jsonText, service } from '../../../scenes/scene.ts'
import { simulatedEngine } from '../../../support/simulated/engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'

describe('the daemon', () => {
  const it = sideBySide()

  it('G14 suspend holds changes and shows why; resume lets them go on', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const before = idsOf(await scene.containers())

    expectCode(await tallyman.run('suspend', '--reason', 'stocktaking'), 0)
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await daemon.until(
      'it sees the commit',
      seen => seen.revision?.commit === second && seen.sync === 'OutOfSync' && seen.running === undefined,
    )
    expect((await tallyman.run('status')).stdout).to.match(/suspended.*stocktaking/)
    expect(idsOf(await scene.containers())).to.deep.equal(before)

    expectCode(await tallyman.run('resume'), 0)
    await daemon.until('it went on', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.not.deep.equal(before)
  })

  it('G7 G13 leads to status for the one id of what waits on several sites, and not to one of each site', async () => {
    await using other = await simulatedEngine()
    const otherSite = { name: 'other', endpoint: `unix://${other.socket}` }
    await using scene = await createScene({ otherSite })
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    const lines = () =>
      daemon
        .said()
        .stderr.split('\n')
        .filter(line => line.includes('waits for confirmation'))
        .map(line => JSON.parse(line))
        .map(({ site, message, changes }) => [site, message, changes])
    await waitUntil('it is logged', () => lines().length >= 2)
    const message = 'waits for confirmation: tallyman status shows the ID for all sites'
    expect(lines()).to.have.deep.members([
      ['local', message, 1],
      ['other', message, 1],
    ])
  })

  it('G13 status shows sync and health of each application, and the plan that waits', async () => {
    await using scene = await createScene()
    await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    const daemon = await scene.tallyman.daemon()
    const { waiting, applications } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    expect(
      applications.map(
        ({ application, sync, health, running, wanted }) =>
          `${application} ${sync} ${health} ${running}/${wanted}`,
      ),
    ).to.deep.equal(['api OutOfSync Missing 0/1', 'web Synced Healthy 1/1'])
    const { stdout } = await scene.tallyman.run('status')
    expect(stdout).to.include(`tallyman approve ${waiting?.plan}`)
  })

  it('G1 goes on when the service of a bad commit is corrected', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [{ ...service('web', '1'), version: 'one' }] })
    const daemon = await scene.tallyman.daemon()
    const { errors } = await daemon.until('it says what is wrong', seen => seen.errors.length > 0)
    expect(errors[0]).to.include.keys('code', 'message', 'hint')
    expect(errors[0]?.message).to.match(/manifest\.json:\d+:\d+: /)
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.errors.length === 0)
  })

  it('an apply beside it does nothing and says so', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 1)
    expect(applied.stderr).to.include('(another-writer)')
    expect(await scene.containers()).to.deep.equal([])
  })

  it('G18 a directory as repository: saving a file shows a waiting plan at once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-directory-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(directory, { recursive: true }))
    const config = { repository: { url: directory }, poll: '1h' }
    await using scene = await createScene({ config })
    await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
    const manifest = join(directory, 'environments', scene.environment, 'manifest.json')
    await mkdir(join(manifest, '..'), { recursive: true })
    await writeFile(manifest, jsonText({ services: [service('web', '1')] }))
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

    await writeFile(manifest, jsonText({ services: [service('web', '1'), service('api', '1')] }))
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const planned = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
    expect(planned.id).to.equal(waiting?.plan)
    expect(planned.changes.map(({ service, action }) => `${action} ${service}`)).to.deep.equal(['create api'])
  })
})
