import { Failure } from '../errors.ts'
import { nearest } from '../nearest.ts'
import type { Controlled } from './controlled.ts'
import { nameOf } from './environments.ts'

/** Whether a running pass carries out that plan. */
export function isUnderWay(controlled: Controlled, id: string): boolean {
  const { world, loop } = controlled
  const pass = world.journal.passOfPlan(nameOf(controlled), id)
  return pass !== undefined && pass.outcome === undefined && (loop.state().running?.changes.length ?? 0) > 0
}

/** Returns the failure for a plan that does not wait. It says what became of the plan, or which plans there are. */
export function notAsked(running: readonly Controlled[], id: string): Failure {
  const owner = running.find(one => {
    const { journal } = one.world
    return journal.passOfPlan(nameOf(one), id) !== undefined || journal.wordsOn(nameOf(one), id).length > 0
  })
  if (owner !== undefined) return answered(owner, id)
  const ids = running.flatMap(({ loop }) => {
    const { last } = loop.state()
    return last?.plan !== undefined && last.waiting.length > 0 ? [last.plan.id] : []
  })
  const meant = nearest(id, ids)
  const others = ids.length === 0 ? 'no plan waits' : `these wait: ${ids.join(', ')}`
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  const busy = running.flatMap(one => {
    const changes = one.loop.state().running?.changes.length ?? 0
    return changes === 0
      ? []
      : [`; a rollout of ${nameOf(one)} is under way, and no other plan is made meanwhile`]
  })
  return new Failure(
    'plan-changed',
    `plan ${id} does not wait for an answer; ${others}${question}${busy.join('')}`,
  )
}

/**
 * Returns the failure for a plan that no longer waits. It says who gave which answer when, and how far the plan came.
 */
export function answered(controlled: Controlled, id: string): Failure {
  const { journal } = controlled.world
  const environment = nameOf(controlled)
  const [word] = journal.wordsOn(environment, id)
  const pass = journal.passOfPlan(environment, id)
  const said =
    word === undefined
      ? []
      : [
          `was ${word.word} by ${word.who} at ${timeText(word.atMs)}${word.message === undefined ? '' : ` ("${word.message}")`}`,
        ]
  // A pass that still asked for an answer ended before there was one, if only in the same millisecond.
  const isNewer =
    pass !== undefined &&
    (word === undefined || (pass.atMs >= word.atMs && pass.outcome !== 'needs-confirmation'))
  const became = isUnderWay(controlled, id)
    ? ['is being carried out']
    : isNewer && pass.outcome !== undefined
      ? [`ended as ${pass.outcome} (pass ${pass.passId}, ${timeText(pass.atMs)})`]
      : word?.word === 'approved'
        ? [fateOfApproval(controlled, word.atMs)]
        : []
  const code = word === undefined ? 'plan-changed' : 'plan-answered'
  return new Failure(code, `plan ${id} ${[...said, ...became].join(' and ')}`)
}

/** Says what becomes of an approval of which nothing has begun. */
function fateOfApproval({ loop }: Controlled, atMs: number): string {
  const { last, lastEndedMs = 0 } = loop.state()
  const [error] = last?.errors ?? []
  return error === undefined || lastEndedMs < atMs
    ? 'is carried out next'
    : `is not carried out yet: ${error.message}`
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}
