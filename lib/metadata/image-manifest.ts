import type { Annotation } from '../state/application/pod.ts'
import { imageTag } from '../state/application/version-of.ts'

/** What an engine shows of an image, as far as its manifest tells it. */
export type ShownImage = {
  readonly os?: string
  readonly architecture?: string
  /** A variant of the architecture: `v7`. */
  readonly variant?: string
  /** A date of RFC 3339; empty if the image has none. */
  readonly created?: string
  readonly author?: string
  readonly user?: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: readonly string[]
  readonly workingDir?: string
  /** As in `80/tcp`. */
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

/** An image manifest of the App Container specification. */
export type ImageManifest = {
  readonly acKind: 'ImageManifest'
  readonly acVersion: string
  readonly name: string
  readonly labels: readonly Annotation[]
  readonly app?: object
  readonly annotations: readonly Annotation[]
}

/** Returns the image manifest of an image that has none, because it was made for Docker (C56). */
export function imageManifest({
  reference,
  image,
}: {
  readonly reference: string
  readonly image: ShownImage
}): ImageManifest {
  return {
    acKind: 'ImageManifest',
    acVersion: '0.8.11',
    name: identifierOf(reference),
    labels: labelsOf(reference, image),
    ...appOf(image),
    annotations: annotationsOf(image),
  }
}

/** Returns the name of an image without its tag, in the characters of an identifier. */
function identifierOf(reference: string): string {
  const name = reference.slice(0, reference.length - lengthOfTag(reference))
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9\-._~/]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
}

function lengthOfTag(reference: string): number {
  const tag = imageTag(reference)
  return tag === '' ? 0 : tag.length + 1
}

function labelsOf(reference: string, { os, architecture, variant }: ShownImage): readonly Annotation[] {
  const arch = architecture === undefined ? undefined : archOf(architecture, variant)
  return Object.entries({ version: imageTag(reference), os, arch }).flatMap(([name, value = '']) =>
    value === '' ? [] : [{ name, value }],
  )
}

/** How the specification spells architectures, where it differs from Docker. */
function archOf(architecture: string, variant: string | undefined): string {
  switch (architecture) {
    case '386':
      return 'i386'
    case 'arm64':
      return 'aarch64'
    case 'arm':
      return `arm${variant ?? 'v7'}l`
    default:
      return architecture
  }
}

/** Without a program, an image only lends its files. */
function appOf(image: ShownImage): { readonly app?: object } {
  const exec = [...(image.entrypoint ?? []), ...(image.command ?? [])]
  if (exec.length === 0) return {}
  const [user = '', group = ''] = (image.user ?? '').split(':')
  const mountPoints = (image.volumes ?? []).toSorted().map(path => ({ name: nameOf(path), path }))
  const ports = (image.ports ?? []).flatMap(portOf).toSorted((a, b) => a.port - b.port)
  const environment = (image.env ?? []).map(pair => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1) }
  })
  return {
    app: {
      exec,
      user: user === '' ? '0' : user,
      group: group === '' ? '0' : group,
      ...(image.workingDir ? { workingDirectory: image.workingDir } : {}),
      ...(environment.length === 0 ? {} : { environment }),
      ...(mountPoints.length === 0 ? {} : { mountPoints }),
      ...(ports.length === 0 ? {} : { ports }),
    },
  }
}

/** Returns `volume-var-lib-data` for `/var/lib/data`. */
function nameOf(path: string): string {
  const words = path.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return ['volume', ...words].join('-')
}

type Port = { readonly name: string; readonly protocol: string; readonly port: number }

function portOf(text: string): readonly Port[] {
  const [number, protocol = 'tcp'] = text.split('/')
  const port = Number(number)
  return Number.isInteger(port) ? [{ name: `${port}-${protocol}`, protocol, port }] : []
}

function annotationsOf({ created = '', author = '', labels = {} }: ShownImage): readonly Annotation[] {
  const told = new Map(Object.entries(labels))
  const all = {
    authors: author || told.get('org.opencontainers.image.authors'),
    // The year 1 stands for none.
    created: created.startsWith('0001-') ? undefined : created,
    homepage: told.get('org.opencontainers.image.url'),
    documentation: told.get('org.opencontainers.image.documentation'),
  }
  return Object.entries(all).flatMap(([name, value = '']) => (value === '' ? [] : [{ name, value }]))
}
