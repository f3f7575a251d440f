import { hashOf } from '../canonical.ts'

/** A named volume of Tallyman, by its name on the engine. A reconcile never removes it (D3). */
export type Volume = {
  readonly name: string
  readonly application: string
  readonly driver?: string
  readonly driverOptions?: Readonly<Record<string, string>>
  /**
   * The directory of the host that its options bind. No symlink may lead it out of the allowed directory (G23). `allowed`:
   * all allowed directories, of which one that exists already may bind another.
   */
  readonly binds?: { readonly path: string; readonly within: string; readonly allowed: readonly string[] }
}

/**
 * Returns a mark of how a volume is made, which tells nothing of its options; empty for one that is made as engines make
 * any: a directory of their own.
 */
export function volumeMark({
  driver = 'local',
  driverOptions = {},
}: Pick<Volume, 'driver' | 'driverOptions'>): string {
  if (driver === 'local' && Object.keys(driverOptions).length === 0) return ''
  return hashOf({ driver, driverOptions }).slice(0, 32)
}

/**
 * Whether all nodes of a Swarm may have the same files in a volume that each of them makes like this. Without a driver,
 * and without the type of something that is mounted, each has its own, and so it is in memory.
 */
export function isShare({
  driver = 'local',
  driverOptions,
}: Pick<Volume, 'driver' | 'driverOptions'>): boolean {
  const type = driverOptions?.['type']
  return driver !== 'local' || (type !== undefined && type !== 'tmpfs' && type !== 'ramfs')
}

/** Whether each node of a Swarm keeps files of its own in such a volume: it is no share, and not in memory. */
export function isKeptOnNode({
  driver = 'local',
  driverOptions,
}: Pick<Volume, 'driver' | 'driverOptions'>): boolean {
  return driver === 'local' && driverOptions?.['type'] === undefined
}
