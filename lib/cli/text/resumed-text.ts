import type { Resumed } from '../../answers/resume.ts'

/** Returns in sentences what was resumed. `name`: what a person named; undefined: the environment is meant. */
export function resumedText(said: Omit<Resumed, 'left'>, name: string | undefined): string {
  const { resumed, heldAt, wasSuspended, byThemselves = [] } = said
  const follows =
    heldAt === undefined ? [] : [`the commits are followed again, after version ${heldAt} was held`]
  const isFree = wasSuspended ? ['it is no longer suspended'] : []
  const what = [...deploymentText(said), ...follows, ...isFree].join(', and ')
  const text = what === '' ? 'Resumed.' : `Resumed: ${what}.`
  const nothing =
    name === undefined
      ? 'The environment was not suspended.'
      : `Nothing of ${name} was suspended, paused, aborted or held.`
  const [one] = byThemselves
  const others =
    one === undefined
      ? ''
      : ` Still suspended or held, each by itself: ${byThemselves.join(', ')}. Run "tallyman resume ${one}".`
  return `${resumed ? text : nothing}${others}`
}

function deploymentText({ deployment, isDone, version }: Omit<Resumed, 'left'>): readonly string[] {
  if (deployment === undefined) return []
  if (isDone !== true) return [`the deployment ${deployment} goes on`]
  return [
    `the deployment ${deployment} is no longer paused: all of its sites have ${version}, and the next version is not held back`,
  ]
}
