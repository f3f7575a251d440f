import { allowBy } from './allow-by.ts'
import type { HostPath } from './host-path.ts'

/** Why something is refused. The hint says what to do where the operator cannot allow it. */
export type PolicyRefusal = { readonly reason: string; readonly hint?: string }

/**
 * Returns why a path of the host is refused; undefined if it is allowed.
 * @param how the text after the path that says how it is mounted, if that is not obvious
 */
export function pathFault(judged: HostPath, how = ''): PolicyRefusal | undefined {
  const { path, state } = judged
  if (state === 'allowed') return undefined
  if (state === 'unlisted')
    return { reason: `mounts ${path} of the host${how}${allowBy(`hostMounts: [${path}]`)}` }
  switch (judged.why) {
    case 'relative':
      return {
        reason: `mounts "${path}" of the host${how}, which is not an absolute path`,
        hint: 'Write the path from the root of the host, beginning with "/".',
      }
    case 'climbs':
      return {
        reason: `mounts "${path}" of the host${how}, which climbs with ".."`,
        hint: 'Write the path without "..".',
      }
    case 'socket':
      return {
        reason: `mounts ${path} of the host${how}, which holds the engine's socket; that is never allowed`,
        hint: "Leave it out, or mount a directory without the engine's socket; whoever reaches that is root on the host.",
      }
  }
}
