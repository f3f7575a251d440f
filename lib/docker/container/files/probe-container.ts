import type { Provenance } from '../../../plan/step/container-place.ts'
import type { Image } from '../../../state/application/container/container.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { ownLabels } from '../../ownership.ts'
import { imageOf, platformQuery } from '../config/container-config.ts'
import type { ContainerConfig } from '../config/defined.ts'
import { inherited } from '../config/inherited.ts'

/** A container that is only looked into. */
type Probe = {
  /** Its name. Whoever wants the same one waits. */
  readonly name: string
  readonly image: Image
  /** What it mounts, in the form of the Engine API. */
  readonly mounts?: readonly ContainerConfig[]
  /** What it is for, in errors. */
  readonly resource: string
}

/**
 * Lets something look into a container that is never started, through the engine that has the image and the host, so
 * that it does not matter where the engine is. The container is removed afterwards, and so is one that a crash left
 * behind.
 */
export async function probed<T>(
  client: Client,
  { name, image, mounts = [], resource }: Probe,
  provenance: Provenance,
  look: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const remove = () =>
    client.call({ method: 'DELETE', path: `/containers/${name}`, query: { force: 1, v: 1 } }, signal)
  const lookOnce = async () => {
    await remove()
    const { labels } = await inherited(client, resource, image, signal)
    const made = await client.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name, ...platformQuery(image) },
        body: {
          Image: imageOf(image),
          Labels: { ...labels, ...ownLabels(provenance) },
          // An image without a command can be looked into, too, and the engine makes no directory for it.
          Cmd: ['-'],
          WorkingDir: '/',
          HostConfig: { NetworkMode: 'none', Mounts: mounts },
        },
        limitMs: patientMs,
      },
      signal,
    )
    if (!made.ok) throw refused(client.site, resource, made)
    try {
      return await look()
    } finally {
      await remove()
    }
  }
  return client.inLane(name, lookOnce)
}
