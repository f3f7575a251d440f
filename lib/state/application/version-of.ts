import { lastPart } from '../../text/last-part.ts'
import type { Application } from './application.ts'

/**
 * Returns the version of an application: that of the manifest or the specification, or else the tag of its first image
 * (X19). Empty if it has neither.
 */
export function versionOf({ version, services }: Pick<Application, 'version' | 'services'>): string {
  const [first] = services.find(({ instances }) => instances.length > 0)?.instances ?? []
  return version ?? imageTag(first?.containers[0].image.reference ?? '')
}

/** Returns the tag of an image reference; empty if it has none. */
export function imageTag(reference: string): string {
  const last = lastPart(reference)
  const colon = last.indexOf(':')
  return colon < 0 ? '' : last.slice(colon + 1)
}
