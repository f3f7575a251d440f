import { expect } from 'chai'
import type { Answer } from '../../../../lib/journal/decisions/answers.ts'
import { heard } from '../../../../lib/reconcile/status/heard.ts'

const error = {
  ...({ code: 'quarantined', message: 'web on lab: failed before', retry: 'never' } as const),
  ...{ resource: 'lab/web/web', hint: 'Commit a correction, or run "tallyman resume web-everywhere".' },
}

/** The hint of the error once this was said. The last pass over `lab` ended at the fifth second. */
function hintAfter(said: Partial<Answer> = {}, hint = error.hint): string | undefined {
  const answer = { environment: 'prod', verb: 'resume', about: 'web', who: 'ann', via: 'control' } as const
  const journal = { answers: () => [{ ...answer, atMs: 6_000, ...said }] }
  const endedMs = (site: string) => (site === 'lab' ? 5_000 : 9_000)
  return heard([{ ...error, hint }], { environment: 'prod', journal, endedMs })[0]?.hint
}

describe('an error of a pass after which somebody said something', () => {
  it('A33 G13 asks for no word that was given since', () => {
    const wait =
      'Nothing to do until the next pass: ann said "tallyman resume web" at 1970-01-01T00:00:06.000Z.'
    expect(hintAfter()).to.equal(wait)
    expect(hintAfter({ verb: 'retry' }, 'Run "tallyman retry".')).to.match(/"tallyman retry web"/)
  })

  it('A33 G13 asks for it if another word was given, or one about something else, or one before the pass', () => {
    for (const said of [{ verb: 'retry' }, { about: 'api' }, { atMs: 5_000 }] as const)
      expect(hintAfter(said), JSON.stringify(said)).to.equal(error.hint)
    expect(hintAfter({}, 'Push the image.')).to.equal('Push the image.')
  })
})
