import { ingressName } from './ingress/route.ts'
import { metadataName } from './metadata.ts'

/** Whether an application is one of Tallyman's own, which no manifest names. It has no versions of its own. */
export function isOwnApplication(name: string): boolean {
  return name === ingressName || name === metadataName
}

/**
 * Returns which of Tallyman's own applications has this name, in words; undefined: none. Upper and lower case make no
 * difference, as they make none to the name servers that answer it.
 */
export function ownerOfName(name: string): string | undefined {
  switch (name.toLowerCase()) {
    case ingressName:
      return 'the ingress'
    case metadataName:
      return 'the metadata service of pods'
    default:
      return undefined
  }
}
