import { type Layer, type PushedImage, pushImage } from './images.ts'
import { programLayer } from './program-layer.ts'
import type { RegistryAddress } from './registry.ts'

const once: { node?: Promise<Layer> } = {}

/** Pushes an image that runs a module with the Node of these tests; all of them share everything but the module. */
export async function pushNodeApp(
  registry: RegistryAddress,
  name: string,
  tag: string,
  source: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PushedImage> {
  once.node ??= programLayer(process.execPath, '/usr/bin/node')
  return pushImage(registry, name, tag, {
    layers: [await once.node],
    files: { '/app/server.mjs': source },
    entrypoint: ['/usr/bin/node', '/app/server.mjs'],
    env,
  })
}
