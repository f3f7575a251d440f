import { expect } from 'chai'
import { stringify } from 'yaml'
import type { Engine } from '../../../../../lib/engine.ts'
import { everyImage, memoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const hook = { failurePolicy: 'Retry', execNewPod: { containerName: 'web', args: ['migrate'] } }
const files = {
  'environments/prod/manifest.json': JSON.stringify({
    services: [{ name: 'web' }],
    skipConfirmation: true,
  }),
  'applications/web.yaml': stringify({
    name: 'web',
    services: [
      {
        name: 'web',
        containers: [{ name: 'web', image: 'registry.example.com/web:1' }],
        strategy: { type: 'Recreate', recreate: { mid: hook } },
      },
    ],
  }),
}

/** An engine on which no hook ends. Says for how long each had lasted when it was waited for. */
function endless(): { readonly engine: Engine; readonly next: () => Promise<number | undefined> } {
  const engine = memoryEngine({ distribution: everyImage })
  let asked = Promise.withResolvers<number | undefined>()
  const execute: MemoryEngine['execute'] = (step, provenance, signal, ...more) => {
    if (step.do !== 'run-to-end') return engine.execute(step, provenance, signal, ...more)
    asked.resolve(step.lastedMs)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  return {
    engine: { ...engine, execute },
    async next() {
      const lastedMs = await asked.promise
      asked = Promise.withResolvers()
      return lastedMs
    },
  }
}

describe('a hook that outlives the process', () => {
  it('H4 X12 has no more time than it had when it began', async () => {
    const journal = memoryJournal()
    const { engine, next } = endless()
    let nowMs = Date.parse('2026-03-01T12:00:00Z')
    const clock = { nowMs: () => nowMs, steadyMs: () => nowMs }
    const lasted: unknown[] = []
    for (let process = 1; process <= 3; process += 1) {
      await using _daemon = await memoryDaemon({ files, engines: [engine], journal, clock })
      lasted.push(await next())
      nowMs += 300_000
    }
    expect(lasted).to.deep.equal([0, 300_000, 600_000])
  })
})
