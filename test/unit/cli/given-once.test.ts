import { expect } from 'chai'
import { exitCode } from '../../../lib/cli/exit.ts'
import { run } from '../../../lib/cli/program.ts'

describe('an option that may be given once', () => {
  it('A66 G13 is refused when it is given twice, and not heard in part', async () => {
    for (const command of ['force-upgrade', 'delete-upgrade']) {
      const errors: string[] = []
      const streams = {
        stdin: { isTTY: false },
        stdout: { isTTY: false, write: () => true },
        stderr: { isTTY: false, write: (text: string) => errors.push(text) > 0 },
      }
      const argv = ['node', 'tallyman', command, 'shop', '--site', 'south', '--site', 'north']
      expect(await run(argv, '0', streams)).to.equal(exitCode.wrongUsage)
      expect(errors.join('')).to.contain('It may be given once. Run the command once for each site.')
    }
  })
})
