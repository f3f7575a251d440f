import { optional } from '../../object.ts'
import type { Image } from '../../state/application/container/container.ts'
import { isTaken } from '../../state/application/container/told-variables.ts'
import type {
  ImageManifest,
  IsolatorOutcome,
  NamedText,
  Pod,
  ReifiedApp,
  ReifiedManifest,
  ReifiedPort,
  ReifiedSection,
  ReifiedVolume,
  WrittenIsolator,
} from '../../state/application/pod/pod.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'
import { parseReference } from '../../state/image/reference.ts'
import { present } from '../present.ts'
import { acVersion } from './grammar/ac-version.ts'
import { freeName } from './grammar/free-name.ts'
import { parseImageId } from './grammar/image-id.ts'
import { sanitizedIdentifier } from './grammar/sanitize.ts'
import { imageAnnotations } from './image/image-annotations.ts'
import { declaredLabels, declaredSection } from './image/image-section.ts'
import { imageVolumesAnnotation, imageVolumesText, leftToEngine } from './image/image-volumes.ts'
import { defaultRequests, requestsAnnotation } from './isolators/default-requests.ts'
import type { NamedIsolator } from './isolators/isolator.ts'
import { outcomesAnnotation, outcomesText } from './isolators/outcomes.ts'
import { type PodMount, rightsOf } from './mounts.ts'
import type { App, Isolator, PodApp, PodManifest, Volume } from './pod.gen.ts'
import { archiveAnnotation } from './told-annotations.ts'

/** An app of a pod manifest, and what is known of it besides. */
export type ResolvedApp = {
  readonly written: PodApp
  /** What it runs from. */
  readonly image: Image
  /** What that says of itself; absent: it is not known. */
  readonly declared?: ImageDeclaration
  readonly isolators: readonly NamedIsolator[]
  readonly mounts: readonly PodMount[]
}

/**
 * Returns a pod from which nothing is left open (C4), but for the ids of its images, which `reifiedPod` adds once they
 * are pinned. It follows from the manifest, its images and its mounts alone. An app without a section of its own has
 * that of its image (C5).
 */
export function reify(
  { apps: _, ...template }: PodManifest,
  apps: readonly ResolvedApp[],
  isolators: readonly IsolatorOutcome[],
): Pod {
  const { made, nameOf } = volumesOfApps(apps, template.volumes ?? [])
  const manifest: ReifiedManifest = {
    acVersion,
    acKind: 'PodManifest',
    apps: apps.map(app => reifiedApp(app, nameOf, isolators)),
    volumes: [...(template.volumes ?? []).map(volume => reifiedVolume(volume, apps)), ...made],
    isolators: (template.isolators ?? []).map(reifiedIsolator),
    annotations: withTold(template.annotations ?? [], { [outcomesAnnotation]: outcomesText(isolators) }),
    ports: (template.ports ?? []).map(
      ({ name, hostPort, hostIP, podPort }): ReifiedPort => ({
        ...{ name, hostPort },
        ...optional('hostIP', hostIP),
        ...optional('podPort', podPort),
      }),
    ),
    ...present({ userAnnotations: template.userAnnotations, userLabels: template.userLabels }),
  }
  const images = Object.fromEntries(apps.map(app => [app.written.name, imageManifest(app)]))
  return { manifest, images, isolators }
}

type NameOf = (mount: PodMount) => string

/**
 * Returns the volumes that no other app can mount, each under a name that no volume of the pod has: those of single
 * mounts, and those of mount points for which there is none.
 */
function volumesOfApps(
  apps: readonly ResolvedApp[],
  ofPod: readonly Volume[],
): { readonly made: readonly ReifiedVolume[]; readonly nameOf: NameOf } {
  const taken = new Set(ofPod.map(({ name }) => name))
  const names = new Map<PodMount, string>()
  const made = apps.flatMap(({ written, mounts }) => {
    const own = new Map<string, string>()
    return mounts.flatMap((mount): readonly ReifiedVolume[] => {
      const { volume, from, readOnly } = mount
      if (from === 'pod') return []
      const known = volume.kind === 'empty' ? own.get(volume.name) : undefined
      const name = known ?? freeName(`${written.name}-${volume.name}`, taken, 2)
      names.set(mount, name)
      own.set(volume.name, name)
      taken.add(name)
      return known === undefined ? [{ ...kindOf(volume), name, readOnly }] : []
    })
  })
  return { made, nameOf: mount => names.get(mount) ?? mount.volume.name }
}

/** Where only mount points say that apps read a volume, it says nothing itself, because that would count (C23). */
function reifiedVolume(volume: Volume, apps: readonly ResolvedApp[]): ReifiedVolume {
  const isRead = apps.some(({ mounts }) =>
    mounts.some(mount => mount.from === 'pod' && mount.readOnly && mount.volume.name === volume.name),
  )
  const readOnly = volume.readOnly ?? (isRead ? undefined : false)
  return { name: volume.name, ...kindOf(volume), ...optional('readOnly', readOnly) }
}

function kindOf(volume: Volume) {
  const { kind, source = '', recursive = true } = volume
  return kind === 'empty' ? { kind, ...rightsOf(volume) } : { kind, source, recursive }
}

function reifiedApp(
  { written, declared, mounts, isolators: own }: ResolvedApp,
  nameOf: NameOf,
  isolators: readonly IsolatorOutcome[],
): ReifiedApp {
  const { name, app, annotations = [], readOnlyRootFS = false } = written
  const section =
    app === undefined ? declared && withoutTaken(declaredSection(declared)) : sectionOf(app, declared)
  return {
    name,
    image: { ...optional('name', written.image.name), labels: written.image.labels ?? [] },
    ...optional('app', section),
    readOnlyRootFS,
    mounts: mounts.map(mount => ({ volume: nameOf(mount), path: mount.path })),
    annotations: withTold([...annotations, ...archiveOf(written, annotations)], {
      [requestsAnnotation]: defaultRequests(own),
      [imageVolumesAnnotation]: imageVolumesText(leftToEngine(written, mounts, declared)),
      [outcomesAnnotation]: outcomesText(isolators, name),
    }),
  }
}

/** The id of an archive is kept for the apps, because another image runs in its place (D14). */
function archiveOf({ image: { id } }: PodApp, annotations: readonly NamedText[]): readonly NamedText[] {
  const parsed = id === undefined ? undefined : parseImageId(id)
  const isTaken = annotations.some(({ name }) => name === archiveAnnotation)
  return id === undefined || isTaken || parsed?.ok !== true || parsed.value.kind !== 'archive'
    ? []
    : [{ name: archiveAnnotation, value: id }]
}

/** What tallyman says itself takes the place of what a manifest says under that name. */
function withTold(
  annotations: readonly NamedText[],
  told: Readonly<Record<string, string | undefined>>,
): readonly NamedText[] {
  const own = Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
  return [...annotations.filter(({ name }) => !own.some(one => one.name === name)), ...own]
}

/** Images of other programs say what they run in. */
function withoutTaken(section: ReifiedSection): ReifiedSection {
  return { ...section, environment: section.environment.filter(({ name }) => !isTaken(name)) }
}

/** Spells out the defaults of a section. Without `exec`, the program of the image runs. */
function sectionOf(app: App, declared: ImageDeclaration | undefined): ReifiedSection {
  const { user, group, workingDirectory = '/', exec = declared && declaredSection(declared).exec } = app
  return {
    ...optional('exec', exec),
    ...{ user, group, workingDirectory },
    supplementaryGIDs: app.supplementaryGIDs ?? [],
    environment: app.environment ?? [],
    eventHandlers: app.eventHandlers ?? [],
    mountPoints: (app.mountPoints ?? []).map(({ readOnly = false, ...point }) => ({ ...point, readOnly })),
    ports: (app.ports ?? []).map(({ count = 1, socketActivated = false, ...port }) => ({
      ...port,
      ...{ count, socketActivated },
    })),
    isolators: (app.isolators ?? []).map(reifiedIsolator),
    ...present({ userAnnotations: app.userAnnotations, userLabels: app.userLabels }),
  }
}

/** Without a request, the limit is what is requested (C41). */
function reifiedIsolator({ name, value }: Isolator): WrittenIsolator {
  const isResource = name === 'resource/memory' || name === 'resource/cpu'
  return isResource && value?.['limit'] !== undefined && value['request'] === undefined
    ? { name, value: { ...value, request: value['limit'] } }
    : { name, ...optional('value', value) }
}

/** Returns what an image says of itself, in the form of the specification (C56). */
function imageManifest({ written, image, declared }: ResolvedApp): ImageManifest {
  return {
    acVersion,
    acKind: 'ImageManifest',
    name: written.image.name ?? sanitizedIdentifier(nameIn(image.reference)) ?? written.name,
    labels: declaredLabels(written.image.labels ?? [], image.reference, declared),
    ...optional('app', declared && declaredSection(declared)),
    annotations: declared === undefined ? [] : imageAnnotations(declared),
  }
}

/** A fault was noted where there is no reference. */
function nameIn(reference: string): string {
  if (reference === '') return ''
  const { host, repository } = parseReference(reference)
  return `${host}/${repository}`
}
