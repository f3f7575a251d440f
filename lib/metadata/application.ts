import type { Application, Service, Strategy } from '../state/application/application.ts'
import type { Image } from '../state/application/container/container.ts'
import { isMetadataNetwork, metadataName, metadataVolume } from '../state/application/metadata.ts'
import type { Network } from '../state/application/network.ts'
import { byText } from '../text/order.ts'
import { account, directory } from './place.ts'

/** The operator's settings of the metadata service. */
export type MetadataSettings = {
  /** Tallyman's own image, or one like it. */
  readonly image: Image
  /** The range from which its networks take their addresses: `10.202.0.0/16`. */
  readonly pool: string
}

/** Returns the applications, and the metadata service if there are pods among them that ask it (C53). */
export function withMetadataService(
  environment: string,
  applications: readonly Application[],
  { image, pool }: MetadataSettings,
): readonly Application[] {
  return reachingPods([...applications, { name: metadataName, services: [service()], requires: [] }])

  function service(): Service {
    const volume = metadataVolume(environment)
    return {
      name: metadataName,
      strategy,
      instances: [
        {
          containers: [
            {
              name: metadataName,
              image,
              command: ['metadata-service'],
              user: `${account.uid}:${account.gid}`,
              restart: { name: 'unless-stopped' },
              // It was measured to need 70 MB, and forms may occupy 64 MiB more.
              memoryBytes: 256 * 1024 * 1024,
              pidsLimit: 64,
              stopGraceMs: 5_000,
              readOnly: true,
              capDrop: ['ALL'],
              securityOpt: ['no-new-privileges:true'],
              mounts: [
                { kind: 'volume', volume: volume.name, path: directory, readOnly: true, exclusive: false },
              ],
              // Each health check would start a program as large as the service.
              healthcheck: { kind: 'none' },
            },
          ],
          network: {
            name: `${environment}.${metadataName}`,
            application: metadataName,
            mode: 'internal',
            pool,
          },
          volumes: [volume],
        },
      ],
    }
  }
}

/**
 * Returns the applications with the metadata service on the networks of the pods among them, or without it if there is
 * no pod: what is wanted on one site may be less than what is wanted on all.
 */
export function reachingPods(applications: readonly Application[]): readonly Application[] {
  if (!applications.some(({ name }) => name === metadataName)) return applications
  const reached = networksOfPods(applications)
  if (reached.length === 0) return applications.filter(({ name }) => name !== metadataName)
  return applications.map(application =>
    application.name === metadataName
      ? {
          ...application,
          services: application.services.map(service => ({
            ...service,
            instances: service.instances.map(instance => ({ ...instance, reached })),
          })),
        }
      : application,
  )
}

function networksOfPods(applications: readonly Application[]): readonly Network[] {
  const all = applications.flatMap(({ services }) =>
    services.flatMap(({ instances }) => instances.flatMap(({ attachments }) => attachments ?? [])),
  )
  const distinct = new Map(all.map(network => [network.name, network]))
  return [...distinct.values()].filter(({ name }) => isMetadataNetwork(name)).sort(byText(({ name }) => name))
}

/** It has no health check, and what runs for a moment has found its key and its port. */
const strategy: Strategy = {
  type: 'auto',
  maxSurge: '25%',
  maxUnavailable: '25%',
  healthyMs: 2_000,
  timeoutMs: 120_000,
}
