import type { PodPlace } from '../place.ts'
import type { PodManifest } from '../pod.gen.ts'
import { faultRequests, ignoredIn } from './bounds.ts'
import type { NamedIsolator } from './isolator.ts'
import { readIsolators } from './read.ts'

export type PodIsolators = {
  readonly pod: readonly NamedIsolator[]
  /** Those of each app. */
  readonly apps: readonly (readonly NamedIsolator[])[]
}

/** Reads the isolators of a pod and of its apps, and warns of those that nothing is done about (C40). */
export function readPodIsolators(
  { isolators: written = [], apps }: PodManifest,
  { invalid: root, changed: warn, unrunnable }: PodPlace,
): PodIsolators {
  const read = (list: typeof written, of: 'pod' | 'app', ...keys: readonly (string | number)[]) => {
    const isolators = readIsolators(list, root.at(...keys), warn.at(...keys))
    for (const { index, why } of ignoredIn(isolators, of)) warn.at(...keys, index).fault(why)
    return isolators
  }
  const pod = read(written, 'pod', 'isolators')
  const own = apps.map(({ app }, index) =>
    read(app?.isolators ?? [], 'app', 'apps', index, 'app', 'isolators'),
  )
  faultRequests(pod, own, unrunnable.at('isolators'))
  return { pod, apps: own }
}
