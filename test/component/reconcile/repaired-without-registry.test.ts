import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { identity } from '../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine, runningOn } from '../../support/memory/memory-engine.ts'

const nobody = { ...identity('prod'), commit: '' }

describe('an application that a commit does not change, while no registry answers', () => {
  it('D5 D15 D9 is made anew from what the commit before wanted, if somebody removes it', async () => {
    let isDown = false
    const distribution: Engine['distribution'] = (...asked) =>
      isDown
        ? Promise.reject(new Failure('registry-unreachable', 'example.com: no answer'))
        : (everyImage?.(...asked) ?? Promise.reject(new Error('there is one')))
    const engine = memoryEngine({ distribution })
    const files = (one: string) => manifestOf('prod', { one, two: '1' }, { skipConfirmation: true })
    await using daemon = await memoryDaemon({ files: files('1'), engine })
    await daemon.pass()
    isDown = true
    daemon.commit(files('2'))
    await daemon.pass()
    await daemon.pass()
    for (const container of [...engine.has().containers.keys()])
      await engine.execute({ do: 'remove-container', container }, nobody, new AbortController().signal)
    await daemon.pass()
    expect([...runningOn(engine)].sort()).to.deep.equal(['one:1', 'two:1'])
  })
})
