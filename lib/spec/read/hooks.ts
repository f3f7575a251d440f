import type { Job } from '../../state/application/application.ts'
import type { Strategy as Written, Hook as WrittenHook } from '../application.gen.ts'
import type { Spot } from '../spot.ts'

/** A lifecycle hook as its strategy defines it (H1). It gets its container from each service to which it applies. */
export type Hook = {
  readonly stage: 'pre' | 'mid' | 'post'
  readonly onFailure: Job['onFailure']
  readonly timeoutMs: number
  readonly exec: WrittenHook['execNewPod']
  /** The place of `execNewPod`. */
  readonly spot: Spot
}

/**
 * Reads the hooks of a strategy for its type. `mid` is for Recreate only, and a rolling update cannot be aborted once
 * it is done (H3). A hook runs no longer than its own `timeoutSeconds`, or else the strategy's (H4, H25).
 */
export function readHooks(written: Written | undefined, spot: Spot): readonly Hook[] {
  const { type, rollingUpdate: rolling, recreate } = written ?? {}
  if (rolling?.mid !== undefined)
    spot
      .at('rollingUpdate', 'mid')
      .fault('is for "type: Recreate" only: in a rolling update there is no moment without instances')
  if (rolling?.post?.failurePolicy === 'Abort')
    spot
      .at('rollingUpdate', 'post', 'failurePolicy')
      .fault('is Abort, but a rolling update is done by then; write Retry or Ignore')
  if (type === undefined && stages.some(stage => recreate?.[stage] !== undefined))
    spot.at('recreate').fault('has hooks, which run only if the strategy says "type: Recreate"')
  const [key, block] =
    type === 'Recreate' ? (['recreate', recreate] as const) : (['rollingUpdate', rolling] as const)
  return stages.flatMap(stage => {
    const hook = block?.[stage]
    if (hook === undefined) return []
    const seconds = hook.timeoutSeconds ?? block?.timeoutSeconds ?? usualSeconds
    const deadline = written?.progressDeadlineSeconds
    if (hook.timeoutSeconds !== undefined && deadline !== undefined && hook.timeoutSeconds > deadline)
      spot
        .at(key, stage, 'timeoutSeconds')
        .fault(
          `is ${seconds}, above the ${deadline} of progressDeadlineSeconds, which ends the whole rollout`,
        )
    return [readHook(stage, hook, seconds, spot.at(key, stage, 'execNewPod'))]
  })
}

const stages = ['pre', 'mid', 'post'] as const

const usualSeconds = 600

function readHook(stage: Hook['stage'], written: WrittenHook, seconds: number, spot: Spot): Hook {
  const { failurePolicy = 'Retry', execNewPod: exec } = written
  if (!isGiven(exec.command) && !isGiven(exec.args))
    spot.fault('needs a command, args or both, so that it has something to run')
  if (exec.command?.[0] === '') spot.at('command').fault('begins with an empty word, which is no program')
  return { stage, onFailure: policies[failurePolicy], timeoutMs: seconds * 1000, exec, spot }
}

const policies = { Retry: 'retry', Abort: 'abort', Ignore: 'ignore' } as const

/** Whether a list of words contains any. An empty one counts as absent. */
function isGiven(words: readonly string[] | undefined): boolean {
  return words !== undefined && words.length > 0
}
