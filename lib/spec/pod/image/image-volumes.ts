import { posix } from 'node:path'
import type { ImageDeclaration } from '../../../state/image/declaration.ts'
import { withoutEnd } from '../../../text/without-end.ts'
import type { PodMount } from '../mounts.ts'
import type { PodPlace } from '../place.ts'
import type { PodApp } from '../pod.gen.ts'

/** The annotation of an app for which the engine makes volumes that its section does not name. */
export const imageVolumesAnnotation = 'tallyman/image-volumes'

/**
 * Returns the paths at which the engine makes a volume for an app with a section of its own, because its image says so and
 * nothing is mounted there. Only a mount at that very path keeps an engine from it (C5). Undefined if it is not known what
 * the image says.
 */
export function leftToEngine(
  { app }: PodApp,
  mounts: readonly PodMount[],
  declared: ImageDeclaration | undefined,
): readonly string[] | undefined {
  if (app === undefined) return []
  const taken = new Set(mounts.map(({ path }) => path))
  return declared && [...new Set(declared.volumes.map(clean))].filter(path => !taken.has(path))
}

function clean(path: string): string {
  return withoutEnd(posix.normalize(path), '/') || '/'
}

/** Returns the value of the annotation; undefined if there is nothing to say. */
export function imageVolumesText(paths: readonly string[] | undefined): string | undefined {
  return paths === undefined || paths.length === 0 ? undefined : paths.join('\n')
}

const mostNamed = 3

/**
 * Warns of such volumes, and notes a fault if an annotation says otherwise: apps take it for the word of Tallyman.
 */
export function faultImageVolumes(
  { annotations = [] }: PodApp,
  paths: readonly string[] | undefined,
  { invalid, changed, isLeftOut }: PodPlace,
): void {
  if (paths === undefined) return
  annotations.forEach(({ name, value }, index) => {
    if (name === imageVolumesAnnotation && value !== imageVolumesText(paths))
      invalid.at('annotations', index).fault(`is "${name}", which Tallyman says itself; leave it out`)
  })
  if (paths.length === 0 || isLeftOut('mounts') || isLeftOut('app', 'mountPoints')) return
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  changed.fault(
    `has an image that demands a volume at ${paths.slice(0, mostNamed).join(', ')}${more}, and mounts nothing there, so the engine makes one that can be written and that goes with its container`,
  )
}
