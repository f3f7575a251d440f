import type { ChangeResult } from '../../apply/apply.ts'
import { type Change, keyOf, titleOf } from '../../plan/change/change.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import { type ClosedWindow, closedWindows } from '../../reconcile/followed-approval/followed.ts'
import type { PassResult } from '../../reconcile/site/result/pass-result.ts'
import { firstAndMore } from '../../text/first-and-more.ts'

/**
 * Returns the result of an apply: one line for each change that did not simply succeed, the outcome, and what waits for a
 * window, which no daemon sees open by itself.
 */
export function renderReport(result: PassResult): readonly Line[] {
  const { outcome, results, passId, plan } = result
  const lines = results.flatMap(each => lineOf(each) ?? [])
  const done = results.filter(each => each.result === 'applied').length
  const all = results.length + leftOf(result)
  const left = all - done
  const good = outcome === 'applied' || outcome === 'in-sync'
  const counts = all === 0 ? '' : `: ${done} of ${all} changes done${left > 0 ? `, ${left} left` : ''}`
  const pass = passId === undefined ? '' : ` (pass ${passId})`
  const ended: Line = [styled(good ? 'green' : 'red', outcome), `${counts}${pass}`]
  const closed = windowLines(closedWindows(plan?.changes ?? []))
  const words = 'Run "tallyman apply" again then. To install it now, run "tallyman force-upgrade" before it.'
  return [...lines, ended, ...closed, ...(closed.length === 0 ? [] : [words])]
}

/** Returns how many changes were not begun: what waits for a person, and all of a site that was left alone after all. */
function leftOf({ results, waiting, plan }: PassResult): number {
  const due = plan?.changes.filter(({ held }) => held === undefined) ?? []
  const left = new Set([...waiting, ...due].map(keyOf))
  for (const { change } of results) left.delete(keyOf(change))
  return left.size
}

/** The most sites that one line names. */
const mostNamed = 3

/** Returns one line for all sites on which an application waits for a window until the same time. */
export function windowLines(closed: readonly ClosedWindow[]): readonly string[] {
  const texts = closed.map(({ site, application, reason }) => ({ site, text: `${application} ${reason}` }))
  return [...Map.groupBy(texts, ({ text }) => text)].map(([text, own]) => {
    const sites = [...new Set(own.map(({ site }) => site))]
    return `${text} (on ${firstAndMore(sites, mostNamed)})`
  })
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
