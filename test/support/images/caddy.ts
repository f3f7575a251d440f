import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unpackFromDebian } from './debian.ts'
import { type Layer, type PushedImage, pushImage } from './images.ts'
import { programLayer } from './program-layer.ts'
import type { RegistryAddress } from './registry.ts'

/** Debian's own Caddy, which is 2.6, and that of its next release, which is what `caddy:2` stands for. */
export const caddies = ['older', 'newer'] as const
export type Caddy = (typeof caddies)[number]

const once: { [caddy in Caddy]?: Promise<Layer> } = {}

/**
 * Pushes an image with a Caddy beside busybox, laid out as the official one: state in /data and /config.
 * @param caddy unless it is told, the newest one that can be had
 */
export async function pushCaddy(
  registry: RegistryAddress,
  name: string,
  tag: string,
  caddy?: Caddy,
): Promise<PushedImage> {
  const layer = await layerOf(caddy ?? (await newest()))
  const env = { PATH: '/usr/bin:/bin', XDG_DATA_HOME: '/data', XDG_CONFIG_HOME: '/config' }
  return pushImage(registry, name, tag, { layers: [layer], env })
}

/** The newest Caddy that can be had. */
export async function newest(): Promise<Caddy> {
  return (await isThere('newer')) ? 'newer' : 'older'
}

/** Whether a Caddy can be had: the newer one not everywhere. */
export async function isThere(caddy: Caddy): Promise<boolean> {
  return layerOf(caddy).then(
    () => true,
    () => false,
  )
}

function layerOf(caddy: Caddy): Promise<Layer> {
  once[caddy] ??= caddy === 'older' ? programLayer('/usr/bin/caddy', '/usr/bin/caddy') : newerLayer()
  return once[caddy]
}

/** Kept for the next process: it takes ten seconds to get. */
const cache = join(import.meta.dirname, '../../../node_modules/.cache/caddy')

async function newerLayer(): Promise<Layer> {
  const program = join(cache, 'usr/bin/caddy')
  const run = () => promisify(execFile)(program, ['version'])
  await run().catch(async () => {
    await keep()
    await run()
  })
  return programLayer(program, '/usr/bin/caddy')
}

/** Whoever comes second finds what the first one kept. */
async function keep(): Promise<void> {
  await mkdir(dirname(cache), { recursive: true })
  const directory = await mkdtemp(`${cache}-`)
  try {
    await unpackFromDebian('forky', 'caddy', directory)
    await rename(directory, cache).catch((error: unknown) => access(cache).catch(() => Promise.reject(error)))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
