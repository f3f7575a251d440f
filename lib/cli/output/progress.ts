import type { ChangeResult } from '../../apply/apply.ts'
import type { Change } from '../../plan/change/change.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { defaultSite } from '../../state/site.ts'
import { durationText } from '../../text/time.ts'
import type { Output } from './output.ts'

/** Shows the progress of an apply on stderr. */
export type Progress = {
  begin(changes: readonly Change[]): void
  event(event: StepEvent): void
  end(results: readonly ChangeResult[]): Promise<void>
}

/** Returns a step for people. It names the site only if that is not the default one. */
export function stepText({ site, step, stage }: Pick<StepEvent, 'site' | 'step' | 'stage'>): string {
  return `${site === defaultSite ? '' : `${site}: `}${stage === 'undo' ? 'undo: ' : ''}${step}`
}

/** Prints one line for each step that was done or failed. */
export function plainProgress(output: Pick<Output, 'note'>): Progress {
  return {
    begin: () => undefined,
    event: event => {
      const { phase, durationMs, error, note } = event
      const said = stepText(event)
      if (phase === 'noted' || phase === 'skipped') output.note(`${said}  ${note ?? ''}`)
      if (phase === 'done') output.note(`${said}  done in ${durationText(durationMs ?? 0)}`)
      if (phase === 'failed') output.note(`${said}  failed: ${error?.message ?? ''}`)
    },
    end: async () => undefined,
  }
}
