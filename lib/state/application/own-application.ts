import { ingressName } from './ingress/route.ts'
import { metadataName } from './metadata.ts'

/** Whether an application is one of Tallyman's own, which no manifest names. It has no versions of its own. */
export function isOwnApplication(name: string): boolean {
  return name === ingressName || name === metadataName
}
