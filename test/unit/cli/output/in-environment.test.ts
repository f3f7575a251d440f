import { expect } from 'chai'
import { inEnvironment } from '../../../../lib/cli/output/in-environment.ts'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { styled } from '../../../../lib/plan/text/line.ts'

describe('commands in lines about one of several environments', () => {
  it('G13 name it, so that they can be run as they are written', () => {
    const lines = [
      '  web held at version 1 by root; to end it: tallyman resume web',
      ['    ', styled('dim', 'hint: Commit a correction, or run "tallyman retry" to try the same again.')],
      '  waits since 2026-11-28: tallyman approve d74dab900a9bdd91',
      '  hint: run "tallyman rollback web --now", or "tallyman resume web --environment stage".',
    ]
    expect(
      printed(inEnvironment('stage', 2, lines), false)
        .trimEnd()
        .split('\n'),
    ).to.deep.equal([
      '  web held at version 1 by root; to end it: tallyman resume --environment stage web',
      '    hint: Commit a correction, or run "tallyman retry --environment stage" to try the same again.',
      '  waits since 2026-11-28: tallyman approve d74dab900a9bdd91',
      '  hint: run "tallyman rollback --environment stage web --now", or "tallyman resume web --environment stage".',
    ])
  })
})
