/**
 * Kernel parameters that the kernel keeps per container, besides those of the network. It is the list of runc, which
 * starts the containers of engines and refuses all others.
 */
const ofIpc: readonly string[] = [
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
]

/** Whether a parameter belongs to the IPC namespace, which may be that of the host. */
export function isOfIpc(name: string): boolean {
  return ofIpc.includes(name) || name.startsWith('fs.mqueue.')
}

/** Whether a parameter belongs to the namespace of the network, which may be that of the host. */
export function isOfNetwork(name: string): boolean {
  return name.startsWith('net.')
}

/** Whether a container has the parameter for itself, unless it uses a namespace of the host. */
export function isNamespaced(name: string): boolean {
  return isOfIpc(name) || isOfNetwork(name) || name === 'kernel.domainname'
}

/** Whether a text can be the name of a parameter: parts with a dot between two of them. */
export function isParameterName(name: string): boolean {
  return /^[^\s./]+(\.[^\s.]+)+$/.test(name)
}

/** Whether a parameter can have this value. The kernel is told one line. */
export function isParameterValue(value: string): boolean {
  return !/[\n\r\0]/.test(value)
}
