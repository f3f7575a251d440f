import type { ChangeResult } from '../apply/apply.ts'
import { titleOf } from '../plan/change.ts'
import { paint } from '../plan/paint.ts'
import type { PassResult } from '../reconcile/pass-result.ts'

/** What an apply came to: one line per change that did not simply succeed, and the outcome. Ends with a newline. */
export function renderReport(
  { outcome, results, waiting, passId }: PassResult,
  options: { readonly color: boolean },
): string {
  const color = paint(options.color)
  const lines = results.flatMap(result => lineOf(result) ?? [])
  const done = results.filter(({ result }) => result === 'applied').length
  const left = results.length - done + waiting.length
  const good = outcome === 'applied' || outcome === 'in-sync'
  const word = good ? color.green(outcome) : color.red(outcome)
  const counts =
    results.length + waiting.length === 0
      ? ''
      : `: ${done} of ${results.length + waiting.length} changes done${left > 0 ? `, ${left} left` : ''}`
  return `${[...lines, `${word}${counts}${passId === undefined ? '' : ` (pass ${passId})`}`].join('\n')}\n`
}

function lineOf(result: ChangeResult): string | undefined {
  const name = titleOf(result.change)
  switch (result.result) {
    case 'applied':
      return undefined
    case 'rolled-back':
      return `${name}: failed, and what ran before runs on`
    case 'failed':
      return `${name}: failed`
    case 'skipped':
    case 'interrupted':
      return `${name}: not done, ${result.reason}`
  }
}
