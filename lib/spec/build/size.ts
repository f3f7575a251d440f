import { limits } from '../../limits.ts'
import type { Spot } from '../spot.ts'

/** The numbers that grow when an application is expanded. */
export type Size = {
  /** Containers of all instances, including sandboxes and jobs. */
  readonly containers: number
  readonly ports: number
  readonly files: number
  /** Characters of everything that is set on containers and jobs, once for equal instances. */
  readonly characters: number
}

/** The size of nothing. */
export const noSize: Size = { containers: 0, ports: 0, files: 0, characters: 0 }

/** Adds two sizes. */
export function together(one: Size, other: Size): Size {
  return {
    containers: one.containers + other.containers,
    ports: one.ports + other.ports,
    files: one.files + other.files,
    characters: one.characters + other.characters,
  }
}

/** What a part of an application, such as a service, becomes once it is expanded, and where it is written. */
export type CountedPart = Partial<Growth> & { readonly spot: Spot }

/** All that grows. */
type Growth = Size & { readonly instances: number }

/** What is counted, and what to do about it, in words. */
export type Advice = Readonly<Record<keyof Growth, string>>

/**
 * Returns the size of all parts of an application together. Undefined if that is too much, by itself or together with
 * the applications before it (G24). A fault then names the limit and what to do.
 */
export function sizeWithin(parts: readonly CountedPart[], taken: Size, advice: Advice): Size | undefined {
  const sizes = new Map<keyof Growth, number>()
  for (const { key, most, mostTogether } of bounds) {
    let size = 0
    const before = key === 'instances' ? 0 : taken[key]
    const excess = parts.find(part => {
      size += part[key] ?? 0
      return size > most || before + size > mostTogether
    })
    sizes.set(key, size)
    if (excess === undefined) continue
    const bound =
      size > most
        ? `the application to more than ${most}`
        : `all applications together to more than ${mostTogether}`
    excess.spot.fault(`brings ${bound} ${advice[key]}`, 'application-too-large')
    return undefined
  }
  const sizeOf = (key: keyof Size) => sizes.get(key) ?? 0
  return {
    containers: sizeOf('containers'),
    ports: sizeOf('ports'),
    files: sizeOf('files'),
    characters: sizeOf('characters'),
  }
}

type Bound = { readonly key: keyof Growth; readonly most: number; readonly mostTogether: number }

const anyNumber = Number.POSITIVE_INFINITY

/** In the order in which they are compared. */
const bounds: readonly Bound[] = [
  { key: 'instances', most: limits.instances, mostTogether: anyNumber },
  { key: 'containers', most: limits.containersTogether, mostTogether: limits.containersTogether },
  { key: 'ports', most: limits.ports, mostTogether: limits.portsTogether },
  { key: 'files', most: limits.files, mostTogether: limits.filesTogether },
  {
    key: 'characters',
    most: limits.definitionCharacters,
    mostTogether: limits.definitionCharactersTogether,
  },
]

/** Returns about the length of a value in JSON. */
export function jsonLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 5
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + jsonLengthOf(inner), 2)
}
