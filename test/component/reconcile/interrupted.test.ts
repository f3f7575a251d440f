import { mock } from 'node:test'
import { expect } from 'chai'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('a pass that is told to stop while a registry keeps silent', () => {
  it('G12 G17 ends as interrupted, and calls nothing a defect', async () => {
    const journal = memoryJournal()
    const asked = Promise.withResolvers<void>()
    const distribution = (_: string, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        asked.resolve()
      })
    {
      await using _daemon = await memoryDaemon({
        files: manifestOf('prod', { web: '1' }),
        engine: { distribution },
        journal,
      })
      await asked.promise
    }
    const [{ outcome, error } = {}] = journal.log({ limit: 1 })
    expect({ outcome, code: error?.code }).to.deep.equal({ outcome: 'interrupted', code: 'interrupted' })
  })
})

describe('a pass that is told to stop while an engine keeps silent', () => {
  it('D4 G13 leaves the plan that waits for a person as it is', async () => {
    const journal = memoryJournal()
    const engine = memoryEngine({ distribution: everyImage })
    const asked = Promise.withResolvers<void>()
    {
      await using daemon = await memoryDaemon({
        files: manifestOf('prod', { web: '1' }),
        engines: [engine],
        journal,
      })
      await daemon.pass()
      mock.method(engine, 'observe', (_: unknown, signal: AbortSignal) => {
        asked.resolve()
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      })
      daemon.control.running[0]?.loop.request('command')
      await asked.promise
    }
    expect(journal.waiting('prod')).to.have.length(1)
  })
})
