import { expect } from 'chai'
import { documentOf, expectCode, has } from '../../../scenes/plan-document.ts'
import { idsOf, service } from '../../../scenes/scene.ts'
import { type GitFault, startGitServer } from '../../../support/git/git-server.ts'
import { Refusal } from '../../../support/simulated/server/refusal.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

const gitFaults: readonly { readonly what: string; readonly fault: GitFault }[] = [
  { what: 'a git server that answers 503', fault: { status: 503 } },
  { what: 'a git server that cuts connections', fault: { reset: true } },
  { what: 'a pack that breaks off', fault: { truncateAfterBytes: 300 } },
]

describe('while something is down', () => {
  const it = sideBySide()

  for (const { what, fault } of gitFaults) {
    it(`G4 G19 ${what}: says so, changes nothing, and goes on by itself`, async () => {
      await using server = await startGitServer()
      await using scene = await createScene({ server })
      const before = await deployed(scene)
      const daemon = await scene.tallyman.daemon()
      await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

      server.fail = fault
      const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
      const { errors } = await daemon.until('it says so', has('git-unreachable'))
      expect(errors[0]?.hint).to.be.a('string').and.not.equal('')
      const planned = await scene.tallyman.run('plan', '--output', 'json')
      expectCode(planned, 1)
      expect(documentOf(planned).error).to.include({ code: 'git-unreachable' })
      expect(idsOf(await scene.containers())).to.deep.equal(before)

      server.fail = undefined
      await daemon.until('it went on', seen => seen.revision?.commit === second && seen.sync === 'Synced')
      expect(idsOf(await scene.containers())).to.not.deep.equal(before)
    })
  }

  it('G21 D5 a registry that is down does not matter to what is pinned and present', async () => {
    await using scene = await createScene()
    const { digest } = scene.push('web', '1')
    await scene.commit({
      services: [{ name: 'web', containers: [{ dockerTag: '1', dockerDigest: digest }] }],
    })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    scene.engine.registry.refuses(new Refusal(500, 'dial tcp: connection refused'))
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D15 G17 a registry that has no room: its application is blocked, and the other one is deployed', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    scene.engine.faults.set(/GET .*\/distribution\/.*lab/, {
      status: 403,
      message: 'errors: denied: no space left on device',
    })
    await scene.commit({ services: [service('web', '1'), service('lab', '1')], skipConfirmation: true })
    const applied = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(applied, 1)
    const { outcome, error } = documentOf(applied)
    expect([outcome, error?.code]).to.deep.equal(['partially-applied', 'registry-denied'])
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['web'])
  })

  it('A34 G17 one of two sites that is not reached: the other one is deployed to, and no error is made of it', async () => {
    await using scene = await createScene({ silentSite: 'away' })
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 1)
    expect(planned.stderr).to.match(/^Unreachable: away: .*\(engine-unreachable\)\n {2}hint: /m)
    expect(planned.stderr).to.not.include('Error:')

    const applied = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(applied, 1)
    const { outcome, error, unreachable } = documentOf(applied)
    expect([outcome, error]).to.deep.equal(['applied', undefined])
    expect(unreachable?.map(({ site, code }) => [site, code])).to.deep.equal([['away', 'engine-unreachable']])
    expect(await scene.containers()).to.have.length(1)

    const again = await scene.tallyman.run('apply')
    expectCode(again, 1)
    expect(again.stdout).to.match(/^in-sync/m)
    const log = await scene.tallyman.run('log')
    expect(log.stdout).to.match(/^#\d+ .* away {2}unreachable .*\n {7}away: .*\(engine-unreachable\)$/m)
    const status = await scene.tallyman.run('status')
    expect(status.stdout).to.match(/ last pass: in-sync\n/)
    expect(status.stdout).to.match(/^ {2}away is unreachable since \S+\n {4}away: .*\n {4}hint: /m)
  })

  it('G17 an engine that is down: says so, and goes on by itself', async () => {
    await using scene = await createScene()
    const before = await deployed(scene)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

    await scene.engine.off()
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await daemon.until('it says so', has('engine-unreachable'))
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 1)
    expect(planned.stderr).to.match(/^Error: .*\(engine-unreachable\)\n {2}hint: /m)
    expect(scene.engine.containers().map(({ id }) => id)).to.deep.equal(before)

    await scene.engine.on()
    await daemon.until('it went on', seen => seen.revision?.commit === second && seen.sync === 'Synced')
    expect(idsOf(await scene.containers())).to.not.deep.equal(before)
  })
})

/** Version 1 of `web` runs, version 2 is there to be deployed; returns the ids of what runs. */
async function deployed(scene: Scene): Promise<readonly string[]> {
  scene.push('web', '1')
  scene.push('web', '2', { env: { V: '2' } })
  await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
  expectCode(await scene.tallyman.run('apply'), 0)
  return idsOf(await scene.containers())
}
