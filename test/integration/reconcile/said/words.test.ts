import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('words of people', () => {
  const it = sideBySide()

  it('D4 approve --wait right after plan follows it to its end and exits as apply does; a no is told with its message', async () => {
    await using scene = await createScene({ config: { poll: '1h' } })
    const { tallyman } = scene
    await Promise.all([
      scene.push('web', '1'),
      scene.push('web', '2', { env: { V: '2' } }),
      scene.push('api', '1'),
    ])
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const daemon = await tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

    await scene.commit({ services: [service('web', '2')] }, 'Update web, drop api')
    const { id } = documentOf(await tallyman.run('plan', '--output', 'json'))
    const approved = await tallyman.run('approve', id, '--wait')
    expectCode(approved, 3)
    expect(approved.stdout).to.match(/^applied \(pass \d+\)\n$/)
    expect(approved.stderr).to.match(/One removal waits[\s\S]*create-container \S+web\S+ {2}done/)
    const { waiting } = await daemon.until('the removal waits', seen => (seen.waiting?.plan ?? id) !== id)
    const again = await tallyman.run('discard', id)
    expectCode(again, 1)
    expect(again.stderr).to.match(/was approved by \S+ at .* and ended as applied .*\(plan-answered\)/)

    expectCode(await tallyman.run('discard', waiting?.plan ?? '', '--message', 'not on a Friday'), 0)
    expect((await tallyman.run('status')).stdout).to.match(/was discarded by \S+ at \S+: not on a Friday\n/)
    await daemon.until('it is declined', seen => seen.outcome === 'declined' && seen.running === undefined)
    expect((await tallyman.run('log', '--limit', '1')).stdout).to.match(
      /declined .*discarded by \S+: not on a Friday/,
    )
  })

  it('G5 a one-shot command without a daemon hints at its own flag, and that works', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    scene.push('web', '1', { cmd: exits(1) })
    await scene.commit({ services: [service('web', '1')] })
    const failed = await tallyman.run('apply', '--yes')
    expectCode(failed, 1)
    expect(failed.stdout).to.include('web: failed, and what was begun is removed again')
    const held = await tallyman.run('plan')
    expect(held.stderr).to.include('run "tallyman apply --retry"')
    expect((await tallyman.run('apply', '--retry', '--yes')).stderr).to.include('create-container')
  })
})
