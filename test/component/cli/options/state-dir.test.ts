import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { controlSocketOf, localConfig, stateDirOf } from '../../../../lib/cli/options/state-dir.ts'
import { InvalidInput } from '../../../../lib/errors.ts'

describe('the socket of the daemon', () => {
  it('G13 G17 is asked for by name while the configuration is wrong, because the daemon goes on', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tallyman-options-'))
    try {
      const config = join(directory, 'tallyman.yaml')
      writeFileSync(config, 'x: [')
      expect(() => controlSocketOf({ config }))
        .to.throw(InvalidInput, ':1:5: Flow sequence')
        .with.property('hint')
        .that.matches(/^Correct the syntax .+ A daemon that runs goes on .+ "--server" /)
      expect(() => localConfig({ config }), 'without a daemon that was not asked for').to.throw(
        InvalidInput,
        /^((?!--server).)*$/s,
      )
      expect(controlSocketOf({ config, server: '/run/a.sock' })).to.equal('/run/a.sock')
      expect(stateDirOf({ config, server: '/run/state/control.sock' })).to.equal('/run/state')
      expect(() => stateDirOf({ config }))
        .to.throw(InvalidInput)
        .with.nested.property('hint')
        .that.include('--server')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
