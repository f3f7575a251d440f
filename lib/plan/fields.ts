import type { Instance } from '../state/application.ts'
import type { Container } from '../state/container.ts'
import { digestOf } from '../state/fingerprint.ts'
import { membersOf } from '../state/members.ts'
import type { FieldChange } from './change.ts'
import type { LiveInstance } from './instance.ts'

/** What an instance was made from, as far as a comparison needs it. */
export type Specification = { readonly containers: readonly Container[] }

/** More differences than a person reads; the rest is counted. */
const most = 40

/**
 * Field by field, what differs between what runs and what is wanted (G7). What an instance was made from is looked
 * up by its fingerprint; where that is not known any more, its labels still tell the image.
 */
export function fieldChanges(
  service: string,
  before: LiveInstance,
  after: Instance,
  specificationOf: (fingerprint: string) => Specification | undefined,
): readonly FieldChange[] {
  const known = specificationOf(before.fingerprint)
  const members = membersOf(after)
  const alone = members.length === 1
  const changes = members.flatMap(container => {
    const path = alone ? service : `${service}/${container.name}`
    const earlier = known?.containers.find(({ name }) => name === container.name)
    if (earlier !== undefined) return differing(path, flatten(earlier), flatten(container))
    const live =
      before.containers.find(({ container: name }) => name === container.name) ?? before.containers[0]
    const image = { path: `${path}/image`, from: withDigest(live.image, live.digest), to: imageOf(container) }
    return image.from === image.to ? [{ path, from: 'not known any more', to: 'see the manifest' }] : [image]
  })
  if (changes.length <= most) return changes
  return [...changes.slice(0, most), { path: service, to: `and ${changes.length - most} more fields` }]
}

function differing(
  path: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): FieldChange[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap(key => {
    const from = before.get(key)
    const to = after.get(key)
    if (from === to) return []
    const secret = /^(.*)\/mark$/.exec(key)?.[1]
    if (secret !== undefined) return [{ path: `${path}/${secret}`, to: '(secret changed)' }]
    return [
      {
        path: `${path}/${key}`,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      },
    ]
  })
}

/** `env/NAME → value`, `ports/0 → {…}`: objects are opened, lists are shown by their entries. */
function flatten(container: Container): ReadonlyMap<string, string> {
  const { name: _, image: __, ...rest } = container
  const fields = new Map([['image', imageOf(container)]])
  for (const [key, value] of Object.entries(rest)) open(key, value, fields)
  return fields
}

function open(path: string, value: unknown, into: Map<string, string>): void {
  if (value !== null && typeof value === 'object' && !isListOfWords(value)) {
    for (const [key, inner] of Object.entries(value)) open(`${path}/${key}`, inner, into)
  } else if (value !== undefined) {
    into.set(path, typeof value === 'string' ? value : JSON.stringify(value))
  }
}

function isListOfWords(value: object): boolean {
  return Array.isArray(value) && value.every(entry => typeof entry === 'string')
}

function imageOf({ image }: Container): string {
  return withDigest(image.reference, digestOf(image.pin))
}

function withDigest(reference: string, digest: string): string {
  return digest === '' ? reference : `${reference}@${digest}`
}
