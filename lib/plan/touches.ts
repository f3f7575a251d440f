import type { FieldChange } from './change.ts'

/** What gives power over the host, or takes it away: the user and what is dropped as well as what is added. */
const overHost: readonly string[] = [
  'privileged',
  'pid',
  'ipc',
  'capAdd',
  'capDrop',
  'devices',
  'securityOpt',
  'sysctls',
  'ports',
  'logging',
  'oomScoreAdj',
  'user',
  'groupAdd',
]

/**
 * What a field is about that nobody may overlook: the host, or data that a container would find no more. `shown` are the
 * values of a field before and after.
 */
export function touchesOf(
  key: string,
  shown: (key: string) => readonly (string | undefined)[],
): FieldChange['touches'] {
  if (key === 'image') return 'image'
  const [top = '', index = ''] = key.split('/')
  if (overHost.includes(top)) return 'host'
  if (top !== 'mounts') return undefined
  return shown(`mounts/${index}/kind`).includes('host') ? 'host' : 'data'
}
