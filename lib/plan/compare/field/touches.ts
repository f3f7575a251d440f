import type { FieldChange } from './field-change.ts'

/** Settings that give or remove power over the host. Therefore they include the user and what is dropped. */
const overHost: readonly string[] = [
  'privileged',
  'pid',
  'ipc',
  'capAdd',
  'capDrop',
  'devices',
  'securityOpt',
  'systemCalls',
  'sysctls',
  'ports',
  'logging',
  'oomScoreAdj',
  'user',
  'groupAdd',
]

/**
 * Returns what a field affects that nobody may overlook: the host, or data that a container would no longer find.
 * `shown` returns the values of a field before and after.
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
