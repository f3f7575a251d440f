import { nearest } from '../../../text/suggestion/nearest.ts'
import type { PodPlace } from '../place.ts'
import type { PodManifest } from '../pod.gen.ts'
import { faultRequests, ignoredIn } from './container-limits.ts'
import { withoutDefaultRequests } from './default-requests.ts'
import type { NamedIsolator } from './isolator.ts'
import { isolatorNames, readIsolators } from './read.ts'

export type PodIsolators = {
  readonly pod: readonly NamedIsolator[]
  /** Those of each app. */
  readonly apps: readonly (readonly NamedIsolator[])[]
}

/**
 * Reads the isolators of a pod and of its apps, and warns of those that nothing is done about (C40). A mistyped one
 * bounds nothing, so what was probably meant is asked for the first ones: it takes long, and there may be many (G24).
 */
export function readPodIsolators(
  { isolators: written = [], apps }: PodManifest,
  { invalid: root, changed: warn, unrunnable }: PodPlace,
): PodIsolators {
  let asked = 0
  const question = (name: string): string => {
    if (isolatorNames.includes(name) || asked === mostQuestions) return ''
    asked += 1
    const meant = nearest(name, isolatorNames)
    return meant === undefined ? '' : `; did you mean "${meant}"?`
  }
  const read = (list: typeof written, of: 'pod' | 'app', ...keys: readonly (string | number)[]) => {
    const isolators = readIsolators(list, root.at(...keys), warn.at(...keys))
    for (const { index, name, why } of ignoredIn(isolators, of))
      warn.at(...keys, index).fault(`${why}${question(name)}`)
    return isolators
  }
  const pod = read(written, 'pod', 'isolators')
  const own = apps.map(({ app, annotations = [] }, index) =>
    withoutDefaultRequests(read(app?.isolators ?? [], 'app', 'apps', index, 'app', 'isolators'), annotations),
  )
  faultRequests(pod, own, unrunnable.at('isolators'))
  return { pod, apps: own }
}

const mostQuestions = 16
