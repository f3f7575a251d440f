import { randomBytes } from 'node:crypto'
import { keyBytes, keyFile, recordFile, tokenIn } from '../../metadata/place.ts'
import { recordOf } from '../../metadata/record.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { StepOf } from '../../plan/step/step.ts'
import { metadataVolume } from '../../state/application/metadata.ts'
import type { Pod } from '../../state/application/pod/pod.ts'
import type { Client } from '../api/client.ts'
import { imageOf } from '../container/config/container-config.ts'
import { type Inspected, inspectContainer } from '../container/inspect/inspect.ts'
import { listOf, otherPods } from './known-pods.ts'
import { type PodIdentity, podIdentityIn, urlIn } from './pod-identity.ts'
import { inStore, type MetadataStore } from './store.ts'

type CreateContainer = StepOf<'create-container'>

/**
 * Writes what the metadata service tells the apps of a pod, before any of them runs. The service need not run, and need
 * not even exist yet. Repeated for the same pod, it writes the same.
 */
export async function registerPod(
  client: Client,
  { container: sandbox, spec: { metadata, image }, placement: { pod, service } }: CreateContainer,
  identity: PodIdentity,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  if (metadata === undefined || pod === undefined) return
  const told = { sandbox, service, pod, volume: metadata.volume, image: imageOf(image) }
  await writePod(client, told, identity, provenance, signal)
}

/** A pod, and where what it is told is written: from an image that the engine has. */
type ToldPod = MetadataStore & {
  readonly sandbox: string
  readonly service: string
  readonly pod: Pod
}

/** Writes what the metadata service tells the apps of a pod. */
export async function writePod(
  client: Client,
  { sandbox, service, pod, volume, image }: ToldPod,
  { uuid, url }: PodIdentity,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const told = { file: recordFile(tokenIn(url)), content: JSON.stringify(recordOf(uuid, pod)) }
  await inStore(client, { volume, image }, provenance, signal, async ({ read, write }) => {
    const known = { sandbox, uuid, record: told.file }
    const others = await otherPods(client, read, { service, pod: known }, provenance, signal)
    const forgotten = others.gone.map(({ record }) => ({ file: record, content: '' }))
    // The list comes last: a pod in it counts as told, and nothing tells it again.
    await write([...forgotten, told, listOf(service, [...others.there, known])])
  })
}

/**
 * Forgets a pod whose sandbox is about to be removed, or an app of it whose sandbox somebody removed before. Other
 * containers are left alone.
 */
export async function forgetPod(
  client: Client,
  container: Inspected,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const url = podIdentityIn(container)?.url ?? (await urlOfStray(client, container, signal))
  if (url === undefined || container.Image === undefined) return
  const store = { volume: metadataVolume(provenance.environment).name, image: container.Image }
  // The engine would make a volume that is missing. Without the image, nothing could be written there.
  const volume = await client.call({ method: 'GET', path: `/volumes/${store.volume}` }, signal)
  const image = await client.call({ method: 'GET', path: `/images/${store.image}/json` }, signal)
  if (!volume.ok || !image.ok) return
  await inStore(client, store, provenance, signal, ({ write }) =>
    write([{ file: recordFile(tokenIn(url)), content: '' }]),
  )
}

/** Returns where an app asks whose sandbox is gone; undefined for any other container. */
async function urlOfStray(client: Client, app: Inspected, signal: AbortSignal): Promise<string | undefined> {
  const url = urlIn(app)
  const [, sandbox] = /^container:(.+)$/.exec(app.HostConfig.NetworkMode ?? '') ?? []
  if (url === undefined || sandbox === undefined) return undefined
  return (await inspectContainer(client, sandbox, signal)) === undefined ? url : undefined
}

/** Makes the key of all signatures, once for the volume (C54). */
export async function ensureKey(
  client: Client,
  { spec: { image } }: CreateContainer,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const store = { volume: metadataVolume(provenance.environment).name, image: imageOf(image) }
  await inStore(client, store, provenance, signal, async ({ has, write }) => {
    if (!(await has(keyFile))) await write([{ file: keyFile, content: randomBytes(keyBytes) }])
  })
}
