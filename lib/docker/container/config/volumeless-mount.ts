import type { Mount } from '../../../state/application/container/container.ts'
import { type ContainerConfig, defined } from './defined.ts'

/** Returns a mount that is of no volume, for a host and for a Swarm alike. */
export function volumelessMount(mount: Extract<Mount, { kind: 'tmpfs' | 'host' }>): ContainerConfig {
  switch (mount.kind) {
    case 'tmpfs':
      return {
        Type: 'tmpfs',
        Target: mount.path,
        TmpfsOptions: defined({ SizeBytes: mount.sizeBytes, Mode: mount.mode }),
      }
    case 'host':
      return defined({
        Type: 'bind',
        Source: mount.source,
        Target: mount.path,
        ReadOnly: mount.readOnly,
        BindOptions: mount.recursive === false ? { NonRecursive: true } : undefined,
      })
  }
}
