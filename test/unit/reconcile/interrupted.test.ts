import { expect } from 'chai'
import { manifestOf, memoryDaemon } from '../../support/memory-daemon.ts'
import { memoryJournal } from '../../support/memory-journal.ts'

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
