import { metadataNetwork, metadataVolume, type ToldManifest } from '../../state/application/metadata.ts'
import type { Network } from '../../state/application/network.ts'
import type { Volume } from '../../state/application/volume.ts'
import { hashOf } from '../../state/canonical.ts'
import type { BuildContext } from '../build/context.ts'
import type { PodManifest } from './pod.gen.ts'

/** What a pod has in order to ask the metadata service (C53). */
export type MeansToAsk = {
  readonly metadata: ToldManifest
  readonly network: Network
  readonly volume: Volume
}

/** Returns what a pod has in order to ask the metadata service; undefined if there is none. */
export function meansToAsk(
  application: string,
  manifest: PodManifest,
  { environment, metadata }: BuildContext,
): MeansToAsk | undefined {
  if (metadata === undefined) return undefined
  const volume = metadataVolume(environment)
  return {
    metadata: { volume: volume.name, manifest: markOf(manifest) },
    network: metadataNetwork(environment, application, metadata.pool),
    volume,
  }
}

/** User annotations and user labels, which must not change how a pod runs (C7), do not make another pod of it. */
function markOf({ annotations, apps, isolators, ports, volumes }: PodManifest): string {
  const told = apps.map(one => {
    if (one.app === undefined) return one
    const { userAnnotations: _, userLabels: __, ...app } = one.app
    return { ...one, app }
  })
  return hashOf({ annotations, apps: told, isolators, ports, volumes }).slice(0, 16)
}
