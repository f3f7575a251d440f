import { familiarReference, type Reference, readReference } from '../../../../lib/state/image/reference.ts'
import type { Events } from '../server/events.ts'
import { conflict, missing, Refusal } from '../server/refusal.ts'
import type { RegistryImage, SimulatedRegistry } from './registry.ts'

/** An image that the engine has, with the names that it has it by. */
export type Image = RegistryImage & { readonly tags: Set<string>; readonly digests: Set<string> }

export type Images = {
  /** Returns the image of an id, the beginning of one, or a reference. */
  find(name: string): Image | undefined
  /** The same; throws the engine's refusal. */
  get(name: string): Image
  list(): readonly Image[]
  /** Returns the lines of progress. */
  pull(name: string, tag: string): readonly object[]
  /** What a reference means at its registry. */
  ask(name: string): RegistryImage
  tag(name: string, repository: string, tag: string): void
  /** Adds an image that was made here, and that no registry has; a name, if it gets one, then means it. */
  add(image: RegistryImage, repository: string, tag: string): void
  /**
   * Removes a name, and with the last one the image. `user`: the id of a container that was created from the image.
   */
  remove(name: string, user: (image: Image) => string | undefined, force: boolean): readonly object[]
}

/** Creates the images of one engine, which has none at first. */
export function createImages(registry: SimulatedRegistry, events: Events): Images {
  const images = new Map<string, Image>()
  const find = (name: string): Image | undefined => {
    const hex = /^(?:sha256:)?([0-9a-f]{4,64})$/.exec(name)?.[1]
    const byId =
      hex === undefined ? undefined : [...images.values()].find(one => one.id.startsWith(`sha256:${hex}`))
    if (byId !== undefined) return byId
    const reference = readReference(name)
    if (!reference.ok) return undefined
    const wanted = nameOf(reference.value)
    return [...images.values()].find(({ tags, digests }) => tags.has(wanted) || digests.has(wanted))
  }
  const get = (name: string): Image => {
    const image = find(name)
    if (image === undefined) throw missing(`No such image: ${name}`)
    return image
  }
  const named = (image: Image, repository: string, tag: string) => {
    const shown = nameOf(referenceOf(repository, tag))
    for (const other of images.values()) other.tags.delete(shown)
    image.tags.add(shown)
  }
  return {
    find,
    get,
    list: () => [...images.values()],
    pull(name, tag) {
      const reference = referenceOf(name, tag)
      const shown = nameOf(reference)
      const found = lookUp(registry, reference, shown)
      const there = images.get(found.id)
      const image: Image = there ?? { ...found, tags: new Set(), digests: new Set() }
      const isNews = !image.digests.has(`${repositoryOf(reference)}@${found.digest}`)
      image.digests.add(`${repositoryOf(reference)}@${found.digest}`)
      if (reference.digest === undefined) {
        for (const other of images.values()) other.tags.delete(shown)
        image.tags.add(shown)
      }
      images.set(found.id, image)
      events.emit('image', 'pull', shown, { ...found.config.Labels, name: repositoryOf(reference) })
      return [
        { status: `Pulling from ${reference.repository}`, id: shown },
        { status: `Digest: ${found.digest}` },
        { status: `Status: ${isNews ? 'Downloaded newer image' : 'Image is up to date'} for ${shown}` },
      ]
    },
    ask(name) {
      const reference = readReference(name)
      if (!reference.ok) throw new Refusal(400, 'invalid reference format')
      return registry.find(reference.value)
    },
    tag(name, repository, tag) {
      named(get(name), repository, tag)
    },
    add(made, repository, tag) {
      const image: Image = { ...made, tags: new Set(), digests: new Set() }
      images.set(image.id, image)
      if (repository !== '') named(image, repository, tag)
    },
    remove(name, user, force) {
      const image = get(name)
      const names = image.tags.size + image.digests.size
      const using = user(image)
      const isId = /^(?:sha256:)?[0-9a-f]{4,64}$/.test(name)
      const reference = readReference(name)
      const shown = reference.ok ? nameOf(reference.value) : name
      if (using !== undefined && (isId || (names === 1 && !force)))
        throw isId
          ? conflict(
              `conflict: unable to delete ${image.id.slice(7, 19)} (${force ? 'cannot be forced' : 'must be forced'}) - image is being used by container ${using.slice(0, 12)}`,
            )
          : conflict(
              `conflict: unable to remove repository reference "${name}" (must force) - container ${using.slice(0, 12)} is using its referenced image ${image.id.slice(7, 19)}`,
            )
      const gone = isId ? [...image.tags, ...image.digests] : [shown]
      for (const one of gone) {
        image.tags.delete(one)
        image.digests.delete(one)
      }
      const isKept = image.tags.size + image.digests.size > 0 || using !== undefined
      if (!isKept) images.delete(image.id)
      for (const _ of gone) events.emit('image', 'untag', image.id, { name: image.id })
      if (!isKept) events.emit('image', 'delete', image.id, { name: image.id })
      return [...gone.map(Untagged => ({ Untagged })), ...(isKept ? [] : [{ Deleted: image.id }])]
    },
  }
}

function referenceOf(name: string, tag: string): Reference {
  const whole = tag.startsWith('sha256:') ? `${name}@${tag}` : tag === '' ? name : `${name}:${tag}`
  const reference = readReference(whole)
  if (!reference.ok) throw new Refusal(400, 'invalid reference format')
  return reference.value
}

/** Returns a reference as engines show it: by its digest alone, or by its tag. */
function nameOf({ host, repository, tag = 'latest', digest }: Reference): string {
  return familiarReference({ host, repository, ...(digest === undefined ? { tag } : { digest }) })
}

function repositoryOf({ host, repository }: Reference): string {
  return familiarReference({ host, repository })
}

function lookUp(registry: SimulatedRegistry, reference: Reference, shown: string): RegistryImage {
  try {
    return registry.find(reference)
  } catch (error) {
    if (error instanceof Refusal && error.message.startsWith('manifest unknown'))
      throw missing(`manifest for ${shown} not found: ${error.message}`)
    throw error
  }
}
