import { posix } from 'node:path'
import { directoryAround, isInDirectory } from '../../text/in-directory.ts'

/** The verdict on a path of the host by its text: the allowed directory that contains it, or why it is refused. */
export type HostPath =
  | {
      readonly state: 'allowed'
      readonly path: string
      /** The innermost one, if several contain it. */
      readonly within: string
    }
  | { readonly state: 'refused'; readonly path: string; readonly why: 'relative' | 'climbs' | 'socket' }
  | { readonly state: 'unlisted'; readonly path: string }

/**
 * Judges a path of the host. Every mount of one is judged here (G23). Whether a symlink leads out of the allowed
 * directory is checked on the engine, before anything is touched (`check-host-path`).
 */
export function judgeHostPath(text: string, allowed: readonly string[]): HostPath {
  const path = posix.resolve('/', text)
  if (!text.startsWith('/') || text.includes('\0')) return { state: 'refused', path: text, why: 'relative' }
  if (engineSockets.some(socket => isInDirectory(socket, path) || isInDirectory(path, socket)))
    return { state: 'refused', path, why: 'socket' }
  // A symlink before the `..` would make it climb from another place.
  if (text.split('/').includes('..')) return { state: 'refused', path: text, why: 'climbs' }
  const within = directoryAround(path, allowed)
  return within === undefined ? { state: 'unlisted', path } : { state: 'allowed', path, within }
}

/** Sockets that control the engine. Whoever can reach one is root on the host, whatever the policy says. */
const engineSockets = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/var/run/containerd/containerd.sock',
]
