import { expect } from 'chai'
import { plainProgress } from '../../../../lib/cli/output/progress.ts'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'

const done: StepEvent = {
  ...{ atMs: 0, site: 'local', application: 'shop', service: 'web' },
  ...{ step: 'start-container prod.web.1.ab12cd34', stage: 'change', phase: 'done', durationMs: 29 },
}

/** The lines that are printed of these events. */
function lines(...events: readonly Partial<StepEvent>[]): readonly string[] {
  const noted: string[] = []
  const { event } = plainProgress({ note: line => noted.push(String(line)) })
  for (const parts of events) event({ ...done, ...parts })
  return noted
}

describe('the progress of an apply', () => {
  it('G13 says on which site a step is done, where that is not the default one', () => {
    expect(lines({}, { site: 'east' })).to.deep.equal([
      'start-container prod.web.1.ab12cd34  done in 29 ms',
      'east: start-container prod.web.1.ab12cd34  done in 29 ms',
    ])
  })

  it('G5 says what a step undoes, and how one failed', () => {
    const error = { code: 'engine-refused', message: 'no such image' }
    expect(
      lines({ site: 'east', stage: 'undo', phase: 'failed', error }, { phase: 'started' }),
    ).to.deep.equal(['east: undo: start-container prod.web.1.ab12cd34  failed: no such image'])
  })
})
