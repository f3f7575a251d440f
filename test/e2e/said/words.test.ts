import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { launcher } from '../../support/command/tallyman.ts'

describe('words of people', () => {
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
