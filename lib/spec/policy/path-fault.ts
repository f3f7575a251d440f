import { allowBy } from './allow-by.ts'
import type { HostPath } from './host-path.ts'

/**
 * Returns why a path of the host is refused; undefined if it is allowed.
 * @param how the text after the path that says how it is mounted, if that is not obvious
 */
export function pathFault(judged: HostPath, how = ''): string | undefined {
  const { path, state } = judged
  if (state === 'allowed') return undefined
  if (state === 'unlisted') return `mounts ${path} of the host${how}${allowBy(`hostMounts: [${path}]`)}`
  switch (judged.why) {
    case 'relative':
      return `mounts "${path}" of the host${how}, which is not an absolute path`
    case 'climbs':
      return `mounts "${path}" of the host${how}, which climbs with ".."`
    case 'socket':
      return `mounts ${path} of the host${how}, which holds the engine's socket; that is never allowed`
  }
}
