import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { testSite } from '../site.ts'

forEachEngine('paths of the host', engine => {
  const it = sideBySide()

  it('G23 are refused where a symlink stands, which is named as it is on the host', async () => {
    const within = await mkdtemp('/tmp/tallyman-paths-')
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(within, { recursive: true }))
    await mkdir(join(within, 'a'))
    await symlink('a', join(within, 'relative'))
    await symlink('/etc', join(within, 'absolute'))
    await using site = await testSite(engine)
    const { reference, digest } = await site.push()
    await site.run({ do: 'pull-image', reference, digest })
    const image = { reference, pin: { state: 'pinned', digest } } as const
    for (const [name, target] of [
      ['relative', join(within, 'a')],
      ['absolute', '/etc'],
    ] as const) {
      const path = join(within, name)
      const { code, message } = await site.fails({ do: 'check-host-path', path, within, image })
      expect([code, message]).to.deep.equal([
        'policy-violation',
        `local: ${path} is a symlink to ${target}; a mount must not lead out of ${within}, which is allowed`,
      ])
    }
  })
})
