import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { exits } from '../support/images.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { launcher } from '../support/tallyman.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, service } from './scene.ts'

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

  it('G13 status without a daemon tells what was last seen and ends with 1; a mistyped name is refused with the nearest', async () => {
    await using scene = await createScene()
    const { tallyman, environment } = scene
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    expectCode(await tallyman.run('apply'), 0)
    const alone = await tallyman.run('status')
    expectCode(alone, 1)
    expect(alone.stdout).to.match(/no daemon runs; this is the last known state, at .* ago\)\n/)
    expect(alone.stdout).to.match(/web +local +Synced +Healthy +1 +1\/1/)
    expect(alone.stderr).to.include('(daemon-unreachable)')
    for (const [args, meant] of [
      [['status', '--environment', `${environment}x`], environment],
      [['log', '--environment', `${environment}x`], environment],
      [['log', '--application', 'wep'], 'web'],
    ] as const) {
      const mistyped = await tallyman.run(...args)
      expectCode(mistyped, 64)
      expect(mistyped.stderr).to.include(`did you mean "${meant}"?`)
    }
    await chmod(tallyman.stateDir, 0)
    const forbidden = await asStranger('status', '--state-dir', tallyman.stateDir)
    expect(forbidden.code).to.equal(1)
    expect(forbidden.stderr).to.include('(control-forbidden)')
    expect((await asStranger('log', '--state-dir', tallyman.stateDir)).stderr).to.include(
      '(journal-unusable)',
    )
    await chmod(tallyman.stateDir, 0o700)
  })

  it('G5 a one-shot command without a daemon hints at its own flag, and that works', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await scene.push('web', '1', { cmd: exits(1) })
    await scene.commit({ services: [service('web', '1')] })
    const failed = await tallyman.run('apply', '--yes')
    expectCode(failed, 1)
    expect(failed.stdout).to.include('web: failed, and what was begun is removed again')
    const held = await tallyman.run('plan')
    expect(held.stderr).to.include('run "tallyman apply --retry"')
    expect((await tallyman.run('apply', '--retry', '--yes')).stderr).to.include('create-container')
  })
})

/** A command run by somebody who has no rights to the state directory; root loses its power to pass over them. */
async function asStranger(...args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const powerless = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
  const [command = '', ...rest] = [...(process.getuid?.() === 0 ? powerless : []), launcher(), ...args]
  const child = spawn(command, rest, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, stderr }
}
