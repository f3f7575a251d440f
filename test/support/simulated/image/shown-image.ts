import type { Image } from './images.ts'
import type { RegistryImage } from './registry.ts'

const size = 1_984_210
const created = '2026-01-01T00:00:00Z'

/** Returns an image as the engine shows it. */
export function shownImage({ id, tags, digests, config, platform }: Image): object {
  const [Os = '', Architecture = '', Variant] = platform.split('/')
  return {
    ...{ Id: id, RepoTags: [...tags], RepoDigests: [...digests], Parent: '', Comment: '', Created: created },
    ...{ DockerVersion: '', Author: '', Config: config, Architecture, Os },
    ...(Variant === undefined ? {} : { Variant }),
    ...{ Size: size, VirtualSize: size, RootFS: { Type: 'layers', Layers: [id] } },
  }
}

/** Returns an image as the list of images shows it. */
export function shownImageInList({ id, tags, digests, config }: Image): object {
  return {
    ...{ Containers: -1, Created: Date.parse(created) / 1000, Id: id, Labels: config.Labels, ParentId: '' },
    RepoDigests: [...digests],
    RepoTags: tags.size === 0 ? null : [...tags],
    ...{ SharedSize: -1, Size: size, VirtualSize: size },
  }
}

/** Returns what a registry says of an image, as the engine hands it on. */
export function shownDistribution({ digest, mediaType, platform }: RegistryImage): object {
  const [os = '', architecture = ''] = platform.split('/')
  return { Descriptor: { mediaType, digest, size: 427 }, Platforms: [{ architecture, os }] }
}
