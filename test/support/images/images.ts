import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type Answer, httpCall } from '../network/http-call.ts'
import { busyboxLayer, textFile } from './busybox.ts'
import { type RegistryAddress, sideDoor } from './registry.ts'
import { tar } from './tar.ts'

/** What an image says of itself. The default command stays up and exits 0 at once on SIGTERM. */
export type ImageOptions = {
  readonly cmd?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly user?: string
  readonly workingDir?: string
  readonly exposedPorts?: readonly string[]
  readonly volumes?: readonly string[]
  readonly stopSignal?: string
  readonly healthcheck?: ImageHealthcheck
  /** Laid over the busybox file system, below `files`. */
  readonly layers?: readonly Layer[]
  /** Absolute path to what the symbolic link there says; laid over the busybox file system. */
  readonly links?: Readonly<Record<string, string>>
  /** Absolute path to text; laid over the busybox file system, executable. */
  readonly files?: Readonly<Record<string, string>>
  /** Whose those files are, if not root's. */
  readonly owners?: Readonly<Record<string, { readonly uid: number; readonly gid: number }>>
  /** `docker` (schema 2) is the default. */
  readonly format?: 'docker' | 'oci'
}

export type ImageHealthcheck = {
  readonly test: readonly string[]
  readonly intervalMs?: number
  readonly timeoutMs?: number
  readonly startPeriodMs?: number
  readonly retries?: number
}

/** An image in a registry. `id` is the image id the engine shows once it is pulled. */
export type PushedImage = {
  /** `host/name:tag` */
  readonly reference: string
  readonly digest: string
  /** `host/name@digest` */
  readonly pinned: string
  readonly id: string
}

export type PushedIndex = {
  readonly reference: string
  readonly indexDigest: string
  /** Of the manifest for this machine's platform. */
  readonly platformDigest: string
  /** Digest by platform, as in `linux/amd64`. */
  readonly platforms: Readonly<Record<string, string>>
  readonly id: string
}

/** Stays up until it is told to stop, and then exits 0 at once: process 1 ignores SIGTERM unless it traps it. */
export const staysUp: readonly string[] = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000000 & wait $!']

/** Serves /www over HTTP on the port until it is told to stop. */
export function serves(port: number): readonly string[] {
  return ['sh', '-c', `trap "exit 0" TERM; httpd -f -p ${port} -h /www & wait $!`]
}

/** Exits with this code after the given time. */
export function exits(code: number, afterMs = 0): readonly string[] {
  return ['sh', '-c', `sleep ${afterMs / 1000}; exit ${code}`]
}

/** This machine's platform in the names of image indexes. */
export const hostPlatform: string = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`

/**
 * Pushes a variant of the busybox image straight to the registry; no engine takes part.
 * Same name, tag and options: same digest; any difference in them: another one.
 */
export async function pushImage(
  registry: RegistryAddress,
  name: string,
  tag: string,
  options: ImageOptions = {},
): Promise<PushedImage> {
  const manifest = await pushManifest(registry, name, tag, hostPlatform, options)
  await upload(registry, `/v2/${name}/manifests/${tag}`, manifest.mediaType, manifest.content)
  return {
    reference: `${registry.host}/${name}:${tag}`,
    digest: manifest.digest,
    pinned: `${registry.host}/${name}@${manifest.digest}`,
    id: manifest.id,
  }
}

/** Pushes an index with one manifest for each platform; `unknown/unknown` stands for an attestation. */
export async function pushIndex(
  registry: RegistryAddress,
  name: string,
  tag: string,
  options: ImageOptions & { readonly platforms?: readonly string[] } = {},
): Promise<PushedIndex> {
  const { platforms = [hostPlatform, 'linux/s390x'], ...image } = options
  const manifests = await Promise.all(
    platforms.map(platform => pushManifest(registry, name, tag, platform, image)),
  )
  for (const one of manifests) {
    await upload(registry, `/v2/${name}/manifests/${one.digest}`, one.mediaType, one.content)
  }
  const mediaType = mediaTypes[image.format ?? 'docker'].index
  const content = JSON.stringify({
    schemaVersion: 2,
    mediaType,
    manifests: manifests.map(one => ({
      mediaType: one.mediaType,
      digest: one.digest,
      size: Buffer.byteLength(one.content),
      platform: platformFields(one.platform),
    })),
  })
  await upload(registry, `/v2/${name}/manifests/${tag}`, mediaType, content)
  const own = manifests.find(one => one.platform === hostPlatform)
  return {
    reference: `${registry.host}/${name}:${tag}`,
    indexDigest: digestOf(content),
    platformDigest: own?.digest ?? '',
    platforms: Object.fromEntries(manifests.map(one => [one.platform, one.digest])),
    id: own?.id ?? '',
  }
}

const mediaTypes = {
  docker: {
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
  oci: {
    index: 'application/vnd.oci.image.index.v1+json',
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  },
}

type Manifest = {
  readonly mediaType: string
  readonly content: string
  readonly digest: string
  readonly platform: string
  readonly id: string
}

/** Uploads the layers and the configuration, and returns the manifest that is yet to be uploaded. */
async function pushManifest(
  registry: RegistryAddress,
  name: string,
  tag: string,
  platform: string,
  options: ImageOptions,
): Promise<Manifest> {
  const types = mediaTypes[options.format ?? 'docker']
  const layers = [await busyboxBlob(), ...(options.layers ?? []), ...ownLayer(options)]
  const config = Buffer.from(imageConfig(`${name}:${tag}`, platform, layers, options))
  for (const layer of layers) await pushBlob(registry, name, layer.compressed, layer.digest)
  await pushBlob(registry, name, config, digestOf(config))
  const content = JSON.stringify({
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, size: config.length, digest: digestOf(config) },
    layers: layers.map(layer => ({
      mediaType: types.layer,
      size: layer.compressed.length,
      digest: layer.digest,
    })),
  })
  return { mediaType: types.manifest, content, digest: digestOf(content), platform, id: digestOf(config) }
}

/** Part of an image's file system, as registries keep it. */
export type Layer = { readonly compressed: Buffer; readonly digest: string; readonly diffId: string }

/** A tar archive as a layer; level 0 takes a program of 100 MB in a moment. */
export function compressed(archive: Buffer, level = 1): Layer {
  const bytes = gzipSync(archive, { level })
  return { compressed: bytes, digest: digestOf(bytes), diffId: digestOf(archive) }
}

const once: { busybox?: Promise<Layer> } = {}

function busyboxBlob(): Promise<Layer> {
  once.busybox ??= busyboxLayer().then(archive => compressed(archive))
  return once.busybox
}

function ownLayer({ files = {}, links = {}, owners = {} }: ImageOptions): readonly Layer[] {
  const entries = [
    ...Object.entries(links).map(
      ([path, target]) => ({ type: 'link', path: path.slice(1), target }) as const,
    ),
    ...Object.entries(files).map(([path, text]) => ({ ...textFile(path.slice(1), text), ...owners[path] })),
  ]
  return entries.length === 0 ? [] : [compressed(tar(entries))]
}

function imageConfig(
  name: string,
  platform: string,
  layers: readonly Layer[],
  options: ImageOptions,
): string {
  const env = { PATH: '/bin', ...options.env }
  return JSON.stringify({
    ...platformFields(platform),
    created: '2026-01-01T00:00:00Z',
    config: {
      Cmd: options.cmd ?? (options.entrypoint === undefined ? staysUp : undefined),
      Entrypoint: options.entrypoint,
      Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      Labels: options.labels,
      User: options.user,
      WorkingDir: options.workingDir,
      ExposedPorts: asSet(options.exposedPorts),
      Volumes: asSet(options.volumes),
      StopSignal: options.stopSignal,
      Healthcheck: options.healthcheck === undefined ? undefined : healthcheck(options.healthcheck),
    },
    history: layers.map(() => ({ created: '2026-01-01T00:00:00Z', created_by: name })),
    rootfs: { type: 'layers', diff_ids: layers.map(layer => layer.diffId) },
  })
}

function platformFields(platform: string): { os: string; architecture: string } {
  const [os = '', architecture = ''] = platform.split('/')
  return { os, architecture }
}

function asSet(names: readonly string[] | undefined): Record<string, object> | undefined {
  return names && Object.fromEntries(names.map(name => [name, {}]))
}

function healthcheck(check: ImageHealthcheck): Record<string, unknown> {
  const nanoseconds = (ms: number | undefined) => ms && ms * 1e6
  return {
    Test: check.test,
    Interval: nanoseconds(check.intervalMs),
    Timeout: nanoseconds(check.timeoutMs),
    StartPeriod: nanoseconds(check.startPeriodMs),
    Retries: check.retries,
  }
}

/** Where all images take the large layer from, so that it is uploaded once. */
const shelf = 'shelf'

/** Uploads that are under way, by what they upload and where to. */
const underWay = new Map<string, Promise<void>>()

/** Uploads a blob once, however many ask for it at the same time: two uploads of one blob lose it now and then. */
function pushBlob(registry: RegistryAddress, name: string, bytes: Buffer, digest: string): Promise<void> {
  const key = `${registry.url} ${name} ${digest}`
  const running = underWay.get(key)
  if (running !== undefined) return running
  const pushing = uploadBlob(registry, name, bytes, digest).finally(() => underWay.delete(key))
  underWay.set(key, pushing)
  return pushing
}

/** The registry hangs up on an upload now and then, and forgets it: it is begun again then. */
async function uploadBlob(
  registry: RegistryAddress,
  name: string,
  bytes: Buffer,
  digest: string,
  tries = 3,
): Promise<void> {
  const present = await call(registry, 'HEAD', `/v2/${name}/blobs/${digest}`)
  if (present.status === 200) return
  const large = bytes.length > 100_000
  if (large && name !== shelf) await pushBlob(registry, shelf, bytes, digest)
  const mount = large && name !== shelf ? `?mount=${digest}&from=${shelf}` : ''
  const opened = await call(registry, 'POST', `/v2/${name}/blobs/uploads/${mount}`)
  if (opened.status === 201) return
  expectStatus(opened, 202, `opening an upload to ${name}`)
  const location = new URL(opened.headers.location ?? '', registry.url)
  location.searchParams.set('digest', digest)
  const type = 'application/octet-stream'
  const done = await call(registry, 'PUT', location.pathname + location.search, type, bytes)
  if (done.status !== 201 && tries > 1) return uploadBlob(registry, name, bytes, digest, tries - 1)
  expectStatus(done, 201, `uploading ${digest} to ${name}`)
}

async function upload(registry: RegistryAddress, path: string, type: string, content: string): Promise<void> {
  expectStatus(await call(registry, 'PUT', path, type, content), 201, path)
}

function call(
  registry: RegistryAddress,
  method: string,
  path: string,
  type?: string,
  body?: Buffer | string,
): Promise<Answer> {
  const { hostname, port } = new URL(registry.url)
  const headers = { [sideDoor]: 'push', ...(type && { 'content-type': type }) }
  return httpCall({ hostname, port, method, path, headers, agent: false }, body)
}

function expectStatus(answer: Answer, status: number, what: string): void {
  if (answer.status !== status) throw new Error(`${what}: ${answer.status} ${answer.body.toString()}`)
}

/** Returns the digest of a content: `sha256:` and 64 hex digits. */
export function digestOf(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
