import { posix } from 'node:path'
import type { Container } from '../../../state/application/container/container.ts'
import { searchPath } from '../../../state/application/container/told-variables.ts'
import { isWithin } from '../../../text/in-directory.ts'
import type { PodMount } from '../mounts.ts'
import type { App } from '../pod.gen.ts'

/** No image is asked for more. */
const mostPaths = 32

/**
 * Returns where the image of an app has to have its main program; undefined if it may do without: a mount may have the
 * program, a handler that runs before may make it, and nobody follows relative paths and those with `..`.
 */
export function programOf(
  { exec: [name = ''] = [], environment = [], eventHandlers = [] }: Named,
  mounts: readonly PodMount[],
): NonNullable<Container['needs']>['program'] {
  const search = environment.find(one => one.name === 'PATH')?.value ?? searchPath
  const paths = name.includes('/')
    ? [name]
    : [...new Set(search.split(':').map(directory => `${directory || '.'}/${name}`))]
  const isMade = eventHandlers.some(handler => handler.name === 'pre-start')
  const isMounted = paths.some(path => mounts.some(mount => isWithin(posix.normalize(path), mount.path)))
  return isMade || isMounted || paths.length > mostPaths || !paths.every(isPlain)
    ? undefined
    : { name, paths: paths.map(path => posix.normalize(path)) }
}

type Named = Pick<App, 'exec' | 'environment' | 'eventHandlers'>

/** Whether it is the path of a file from the root on. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.endsWith('/') && !path.split('/').includes('..')
}
