import type { ChangeResult } from '../../apply/apply.ts'
import { type Change, titleOf } from '../../plan/change/change.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import type { PassResult } from '../../reconcile/site/result/pass-result.ts'
import { firstAndMore } from '../../text/first-and-more.ts'

/**
 * Returns the result of an apply: one line for each change that did not simply succeed, the outcome, and what waits for a
 * window, which no daemon sees open by itself.
 */
export function renderReport({ outcome, results, waiting, passId, plan }: PassResult): readonly Line[] {
  const lines = results.flatMap(result => lineOf(result) ?? [])
  const done = results.filter(({ result }) => result === 'applied').length
  const left = results.length - done + waiting.length
  const good = outcome === 'applied' || outcome === 'in-sync'
  const counts =
    results.length + waiting.length === 0
      ? ''
      : `: ${done} of ${results.length + waiting.length} changes done${left > 0 ? `, ${left} left` : ''}`
  const pass = passId === undefined ? '' : ` (pass ${passId})`
  const ended: Line = [styled(good ? 'green' : 'red', outcome), `${counts}${pass}`]
  return [...lines, ended, ...windowLines(plan?.changes ?? [])]
}

/** The most sites that one line names. */
const mostNamed = 3

function windowLines(changes: readonly Change[]): readonly string[] {
  const held = changes.flatMap(({ site, application, held }) =>
    held?.code === 'window-closed' ? [{ site, text: `${application} ${held.reason}` }] : [],
  )
  const lines = [...Map.groupBy(held, ({ text }) => text)].map(([text, own]) => {
    const sites = [...new Set(own.map(({ site }) => site))]
    return `${text} (on ${firstAndMore(sites, mostNamed)})`
  })
  return lines.length === 0
    ? []
    : [
        ...lines,
        'Run "tallyman apply" again then. To install it now, run "tallyman force-upgrade" before it.',
      ]
}

function lineOf(result: ChangeResult): string | undefined {
  const name = titleOf(result.change)
  switch (result.result) {
    case 'applied':
      return undefined
    case 'rolled-back':
      return `${name}: failed, and ${hadInstances(result.change) ? 'what ran before runs on' : 'what was begun is removed again'}`
    case 'failed':
      return `${name}: failed`
    case 'skipped':
    case 'interrupted':
      return `${name}: not done, ${result.reason}`
  }
}

/** Whether some instance existed before: not all of them are new. */
function hadInstances({ lines, instances }: Change): boolean {
  return lines.length < instances || lines.some(({ sign }) => sign !== '+')
}
