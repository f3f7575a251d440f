import { expect } from 'chai'
import { askEngine } from '../../../lib/cli/ask-engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { abortable } from '../../../lib/wait/abortable.ts'
import { inPassingTime } from '../../support/time/passing-time.ts'

const never = new Promise<never>(() => undefined)

/** As an engine's client fails that is told to stop. */
const hangs = (signal: AbortSignal) =>
  abortable(never, signal).catch(() => {
    throw new Failure('interrupted', 'west: stopped before it was done')
  })

async function endOf(ask: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal) {
  return inPassingTime(() =>
    askEngine('west', ask, signal).catch(({ code, message }: Failure) => `${code}: ${message}`),
  )
}

describe('what a command asks an engine', () => {
  const { signal } = new AbortController()

  it('G13 is what it says', async () => {
    expect((await endOf(async () => '20.10', signal)).end).to.equal('20.10')
  })

  it('G13 counts as not answered after eight seconds, and not as interrupted', async () => {
    const { end, passedMs } = await endOf(hangs, signal)
    expect(end).to.equal('engine-unreachable: west: the Docker Engine did not answer within 8 s')
    expect(passedMs).to.equal(8_000)
  })

  it('G12 is interrupted where somebody stops the command', async () => {
    const stopped = new AbortController()
    const asked = endOf(hangs, stopped.signal)
    stopped.abort()
    expect((await asked).end).to.equal('interrupted: west: stopped before it was done')
  })
})
