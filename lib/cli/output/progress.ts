import type { ChangeResult } from '../../apply/apply.ts'
import type { Change } from '../../plan/change/change.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { durationText } from '../../text/time.ts'
import type { Output } from './output.ts'

/** Shows the progress of an apply on stderr. */
export type Progress = {
  begin(changes: readonly Change[]): void
  event(event: StepEvent): void
  end(results: readonly ChangeResult[]): Promise<void>
}

/** Prints one line for each step that was done or failed. */
export function plainProgress(output: Pick<Output, 'note'>): Progress {
  return {
    begin: () => undefined,
    event: ({ step, phase, durationMs, stage, error, note }) => {
      const prefix = stage === 'undo' ? 'undo: ' : ''
      if (phase === 'noted' || phase === 'skipped') output.note(`${prefix}${step}  ${note ?? ''}`)
      if (phase === 'done') output.note(`${prefix}${step}  done in ${durationText(durationMs ?? 0)}`)
      if (phase === 'failed') output.note(`${prefix}${step}  failed: ${error?.message ?? ''}`)
    },
    end: async () => undefined,
  }
}
