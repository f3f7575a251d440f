import { type Layer, type PushedImage, pushImage } from './images.ts'
import { programLayer } from './program-layer.ts'
import type { RegistryAddress } from './registry.ts'

const once: { caddy?: Promise<Layer> } = {}

/** Pushes an image with Debian's Caddy beside busybox, laid out as the official one: state in /data and /config. */
export async function pushCaddy(registry: RegistryAddress, name: string, tag: string): Promise<PushedImage> {
  once.caddy ??= programLayer('/usr/bin/caddy', '/usr/bin/caddy')
  const env = { PATH: '/usr/bin:/bin', XDG_DATA_HOME: '/data', XDG_CONFIG_HOME: '/config' }
  return pushImage(registry, name, tag, { layers: [await once.caddy], env })
}
