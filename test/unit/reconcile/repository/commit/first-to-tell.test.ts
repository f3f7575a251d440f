import { expect } from 'chai'
import { firstToTell } from '../../../../../lib/reconcile/repository/commit/first-to-tell.ts'
import { sleep } from '../../../../../lib/wait/timer.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'

/** What each says that is asked, at once or after so many ms. `fails`: that it does not tell. */
type Says = { readonly afterMs: number; readonly fails?: true }

/** Asks with a patience of 1,000 ms. `asked`: whom, and when. `first`: who told, or the reasons. */
async function first(...all: readonly Says[]) {
  const asked: string[] = []
  const { end, passedMs } = await inPassingTime(async now => {
    const told = await firstToTell([...all.keys()], 1_000, async index => {
      asked.push(`${index} at ${now()}`)
      const { afterMs, fails } = all[index] ?? { afterMs: 0 }
      if (afterMs > 0) await sleep(afterMs)
      if (fails) throw new Error(`${index} fails`)
      return { index }
    }).catch((error: AggregateError) => error.errors.map(String))
    return 'index' in told ? `${told.index} tells` : told
  })
  return { asked, end, passedMs }
}

describe('the first one that tells', () => {
  it('G24 is the only one that is asked if it does so soon', async () => {
    expect(await first({ afterMs: 500 }, { afterMs: 0 })).to.deep.equal({
      ...{ asked: ['0 at 0'], end: '0 tells', passedMs: 500 },
    })
  })

  it('G17 is not waited for by way of one that fails, also while another one is silent', async () => {
    const [silent, failing] = [{ afterMs: 60_000 }, { afterMs: 0, fails: true }] as const
    expect(await first(silent, failing, failing, { afterMs: 0 })).to.deep.equal({
      asked: ['0 at 0', '1 at 1000', '2 at 1000', '3 at 1000'],
      ...{ end: '3 tells', passedMs: 1_000 },
    })
  })

  it('G17 may be one that was asked before, as long as none has told', async () => {
    expect(await first({ afterMs: 1_500 }, { afterMs: 60_000 })).to.deep.equal({
      ...{ asked: ['0 at 0', '1 at 1000'], end: '0 tells', passedMs: 1_500 },
    })
  })

  it('G17 is nobody if all fail, with the reasons in the order in which they were asked', async () => {
    expect(
      await first({ afterMs: 2_500, fails: true }, { afterMs: 0, fails: true }, { afterMs: 0, fails: true }),
    ).to.deep.equal({
      asked: ['0 at 0', '1 at 1000', '2 at 1000'],
      end: ['Error: 0 fails', 'Error: 1 fails', 'Error: 2 fails'],
      passedMs: 2_500,
    })
    expect((await first()).end).to.deep.equal([])
  })
})
