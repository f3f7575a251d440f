import type { Container } from '../../state/application/container/container.ts'
import { defaults } from '../read/container.ts'
import type { Spot } from '../spot.ts'
import type { PodManifest } from './pod.gen.ts'

/** The annotation that says what happens when an app of a pod ends. The specification has no word for it (X5). */
export const restartAnnotation = 'tallyman/restart'

const policies = {
  always: { restart: defaults.restart },
  'on-failure': { restart: { name: 'on-failure' }, mayEnd: true },
  never: { restart: { name: 'no' }, mayEnd: true },
} as const satisfies Readonly<Record<string, Pick<Container, 'restart' | 'mayEnd'>>>

/** Returns what every app of a pod does when it ends. Notes a fault for another word, and for one that an app says alone. */
export function readRestart(
  { annotations = [], apps }: PodManifest,
  spot: Spot,
): Pick<Container, 'restart' | 'mayEnd'> {
  for (const [app, { annotations: own = [] }] of apps.entries())
    for (const [at, { name }] of own.entries())
      if (name === restartAnnotation)
        spot
          .at('apps', app, 'annotations', at, 'name')
          .fault('is for the pod as a whole; write it among the annotations of the pod')
  const index = annotations.findIndex(({ name }) => name === restartAnnotation)
  const word = annotations[index]?.value
  if (word === undefined) return policies.always
  if (Object.hasOwn(policies, word)) return policies[word as keyof typeof policies]
  const known = Object.keys(policies).join(', ')
  spot.at('annotations', index, 'value').fault(`"${word.slice(0, 40)}" is none of ${known}`)
  return policies.always
}
