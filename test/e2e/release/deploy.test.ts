import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('deploying from git', () => {
  const it = sideBySide()

  it('E23 G25 push, approve, applied; revert, approve, rolled back; the log tells who, what and why', async () => {
    await using scene = await createScene()
    const { tallyman, repository } = scene
    const [v1, v2] = await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')] }, 'Open', {}, { author: 'Ada <ada@example.com>' })
    const daemon = await tallyman.daemon()
    const deploy = async (commit: string) => {
      const { waiting } = await daemon.until(
        'a plan waits',
        seen => seen.revision?.commit === commit && seen.waiting !== undefined,
      )
      const plan = waiting?.plan ?? ''
      expect(documentOf(await tallyman.run('plan', '--output', 'json')).id).to.equal(plan)
      expectCode(await tallyman.run('approve', plan, '--message', 'looks right'), 0)
      await daemon.until('applied', seen => seen.revision?.commit === commit && seen.sync === 'Synced')
      const containers = await scene.containers()
      return containers.map(({ state, labels }) => `${state} ${labels['tallyman.digest']}`)
    }
    const first = await repository.head()
    expect(await deploy(first)).to.deep.equal([`running ${v1.digest}`])
    const second = await scene.commit(
      { services: [service('web', '2')] },
      'Sell umbrellas',
      {},
      { author: 'Grace <grace@example.com>' },
    )
    expect(await deploy(second)).to.deep.equal([`running ${v2.digest}`])
    const third = await repository.revert(second)
    expect(await deploy(third)).to.deep.equal([`running ${v1.digest}`])

    const log = await tallyman.run('log')
    const applied = log.stdout.split('\n').filter(line => line.includes('  applied  '))
    expect(applied).to.have.length(3)
    for (const line of applied) expect(line).to.include('  confirmed by ')
    expect(applied[0]).to.include(`${third.slice(0, 12)} "Revert \\"Sell umbrellas\\""`)
    expect(applied[1]).to.include(`${second.slice(0, 12)} "Sell umbrellas" by Grace <grace@example.com>`)

    const [, pass = ''] = /^#(\d+)/.exec(applied[1] ?? '') ?? []
    const { stdout } = await tallyman.run('show', pass)
    for (const said of [
      'confirmed by',
      'looks right',
      second,
      v1.digest,
      v2.digest,
      'create-container',
      'await-healthy',
      'remove-container',
    ])
      expect(stdout).to.include(said)
  })
})
