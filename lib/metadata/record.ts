import { optional } from '../object.ts'
import type { Annotation, AppTemplate, ImageTemplate, PodTemplate } from '../state/application/pod.ts'
import { mergeAnnotations } from './annotations.ts'
import { type ImageManifest, imageManifest, type ShownImage } from './image-manifest.ts'

/** Everything that the metadata service tells the apps of one pod (C53). */
export type PodRecord = {
  readonly uuid: string
  /** With every image by its id (C4). */
  readonly manifest: object
  readonly annotations: readonly Annotation[]
  readonly apps: Readonly<Record<string, AppRecord>>
}

export type AppRecord = {
  readonly annotations: readonly Annotation[]
  readonly imageId: string
  readonly imageManifest: ImageManifest
}

/** An app as it runs. */
export type RunningApp = {
  readonly name: string
  readonly reference: string
  /** `sha256:…`, of the image in its registry, or else on the engine. */
  readonly content: string
  readonly image: ShownImage
}

/** Returns what is told of a pod, whose apps are those of the manifest. */
export function recordOf(uuid: string, template: PodTemplate, running: readonly RunningApp[]): PodRecord {
  const manifests = new Map(running.map(one => [one.name, { ...one, manifest: imageManifest(one) }]))
  const apps = template.apps.flatMap(app => {
    const own = manifests.get(app.name)
    return own === undefined ? [] : [{ app, own, id: own.content.replace(':', '-') }]
  })
  return {
    uuid,
    manifest: { ...template, apps: apps.map(({ app, own, id }) => reified(app, id, own.manifest)) },
    annotations: template.annotations ?? [],
    apps: Object.fromEntries(
      apps.map(({ app, own, id }) => [
        app.name,
        {
          annotations: mergeAnnotations(own.manifest.annotations, ownAnnotations(app, id)),
          imageId: id,
          imageManifest: own.manifest,
        },
      ]),
    ),
  }
}

function reified(app: AppTemplate, id: string, manifest: ImageManifest): AppTemplate {
  const annotations = ownAnnotations(app, id)
  const image: ImageTemplate = { ...app.image, id }
  return {
    ...app,
    image,
    ...optional('app', app.app ?? manifest.app),
    ...(annotations.length === 0 ? {} : { annotations }),
  }
}

/** The id of an archive that the image stands for is told as an annotation (D14). */
function ownAnnotations({ annotations = [], image }: AppTemplate, id: string): readonly Annotation[] {
  if (image.id === undefined || image.id === id) return annotations
  return mergeAnnotations(annotations, [{ name: 'tallyman/declared-image-id', value: image.id }])
}
