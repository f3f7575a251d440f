import { execFile } from 'node:child_process'
import { expect } from 'chai'
import { findBusybox } from '../../support/images/busybox.ts'
import { type Ran, runAtOnce } from '../../support/simulated/container/process.ts'
import { createFiles } from '../../support/simulated/image/files.ts'
import { programOf } from '../../support/simulated/shell/shell.ts'

/** Each is run by the shell of the tests' images, too: what this one says and how it ends is what that one does. */
const scripts: Readonly<Record<string, string>> = {
  'a default for what is empty': 'echo "${A:-0} ${B:-0} ${C:-} ${C:-x y}"',
  'arguments of a script': 'echo "$1 $2 $3"',
  'a test that is turned round': '[ ! -e /none ] && echo none; [ ! -e / ] || echo there',
  'a test for a text': '[ -n "$A" ] && echo A; [ -n "$B" ] || echo no B; [ "$1" = one ] && echo one',
  'what a group writes, and its exit': '[ -n "$A" ] && { echo before; exit 3; }; echo after',
  'a shell in a shell': 'sh -c "exit 4" x; echo "$?"; sh -c \'echo "$1, $A"\' x two; exit 5',
  'a file that is removed': 'F=/tmp/$NAME; echo a > $F; cat $F; rm -f $F; [ -e $F ] || echo gone; rm -f $F',
}
const env = { A: 'a', B: '', NAME: `tallyman-shell-${process.pid}`, PATH: '/bin' }

describe('the shell of simulated containers does as busybox does with', () => {
  for (const [what, script] of Object.entries(scripts))
    it(what, async () => {
      const command = ['sh', '-c', script, 'script', 'one', 'two']
      const program = programOf(command)
      if (program === undefined) throw new Error('no shell')
      const around = { env, files: createFiles(new Map()), starts: 1, runningMs: 0 }
      expect(runAtOnce(program, around)).to.deep.equal(await realRun(command))
    })

  async function realRun(command: readonly string[]): Promise<Ran> {
    const busybox = (await findBusybox()) ?? 'busybox'
    return await new Promise(resolve => {
      const child = execFile(busybox, command, { env }, (_, output) =>
        resolve({ output, exitCode: child.exitCode ?? -1 }),
      )
    })
  }
})
