import { paint } from '../plan/paint.ts'
import { keyOf } from '../plan/change.ts'
import type { PassResult } from '../reconcile/pass.ts'

/** What an apply came to: one line per change that did not simply succeed, and the outcome. Ends with a newline. */
export function renderReport({ outcome, results, waiting, passId }: PassResult, options: { readonly color: boolean }): string {
  const color = paint(options.color)
  const lines = results.flatMap(result => {
    switch (result.result) {
      case 'applied':
        return []
      case 'rolled-back':
        return [`${keyOf(result.change)}: failed, and what ran before runs on`]
      case 'failed':
        return [`${keyOf(result.change)}: failed`]
      case 'skipped':
      case 'interrupted':
        return [`${keyOf(result.change)}: not done, ${result.reason}`]
    }
  })
  const done = results.filter(({ result }) => result === 'applied').length
  const left = results.length - done + waiting.length
  const good = outcome === 'applied' || outcome === 'in-sync'
  const word = good ? color.green(outcome) : color.red(outcome)
  const counts = outcome === 'in-sync' ? '' : `: ${done} of ${results.length + waiting.length} changes done${left > 0 ? `, ${left} left` : ''}`
  return `${[...lines, `${word}${counts}${passId === undefined ? '' : ` (pass ${passId})`}`].join('\n')}\n`
}
