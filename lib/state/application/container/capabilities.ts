import type { Container } from './container.ts'

/** The capabilities that a Docker Engine gives to every container by itself. */
export const usualCapabilities: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

/** Returns the capabilities that a container has beyond others. One that drops all and adds some back has fewer. */
export function unusualCapabilities({ capAdd = [], capDrop = [] }: Container): readonly string[] {
  return capDrop.includes('ALL') ? capAdd.filter(one => !usualCapabilities.includes(one)) : capAdd
}

/** Returns the capabilities that a container has, without `CAP_`. `ALL` stands for all that there are. */
export function heldCapabilities({
  capAdd = [],
  capDrop = [],
}: Pick<Container, 'capAdd' | 'capDrop'>): readonly string[] {
  const usual = capDrop.includes('ALL') ? [] : usualCapabilities.filter(one => !capDrop.includes(one))
  return [...usual, ...capAdd]
}
