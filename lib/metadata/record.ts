import type { ImageManifest, NamedText, Pod } from '../state/application/pod/pod.ts'
import { mergeAnnotations } from './annotations.ts'

/** Everything that the metadata service tells the apps of one pod (C53). */
export type PodRecord = {
  readonly uuid: string
  /** With every image by its id (C4). */
  readonly manifest: object
  readonly annotations: readonly NamedText[]
  readonly apps: Readonly<Record<string, AppRecord>>
}

export type AppRecord = {
  readonly annotations: readonly NamedText[]
  readonly imageId: string
  /** Absent: nobody knows what the image says of itself. */
  readonly imageManifest?: ImageManifest
}

/** Returns what is told of a pod whose images are pinned. */
export function recordOf(uuid: string, { manifest, images }: Pick<Pod, 'manifest' | 'images'>): PodRecord {
  const { annotations, apps } = manifest
  return {
    uuid,
    manifest,
    annotations,
    apps: Object.fromEntries(
      apps.map(({ name, annotations, image: { id = '' } }) => {
        const imageManifest = images[name]
        return [
          name,
          {
            annotations: mergeAnnotations(imageManifest?.annotations ?? [], annotations),
            imageId: id,
            ...(imageManifest === undefined ? {} : { imageManifest }),
          },
        ]
      }),
    ),
  }
}
