import type { Container } from '../../../state/application/container/container.ts'
import { digestOf } from '../../../state/application/fingerprint.ts'
import type { SwarmService } from '../../../state/application/swarm/swarm-service.ts'
import type { FieldChange } from './field-change.ts'
import { cpusText, memoryText } from './limit-text.ts'
import { touchesOf } from './touches.ts'

/** What an instance was made from, as far as a comparison needs it. */
export type InstanceSpecification = {
  readonly containers: readonly Container[]
  /** Its networks, and its names there; absent if they were not recorded. */
  readonly networks?: readonly string[]
  readonly aliases?: readonly string[]
  /** How its service runs on a Swarm. */
  readonly runs?: SwarmService
}

/** A running container, as far as its labels describe it. */
export type Labelled = { readonly container: string; readonly image: string; readonly digest: string }

/** Returns field by field what differs between what runs and what is wanted (G7). */
export function fieldChanges(
  service: string,
  before: InstanceSpecification,
  after: InstanceSpecification,
): readonly FieldChange[] {
  const own = after.containers.flatMap(container => {
    const earlier = before.containers.find(({ name }) => name === container.name)
    return differing(pathOf(service, container, after), fieldsOf(earlier), fieldsOf(container))
  })
  const gone = before.containers.filter(({ name }) => !after.containers.some(one => one.name === name))
  return [
    ...own,
    ...gone
      .flatMap(container => differing(`${service}/${container.name}`, fieldsOf(container), new Map()))
      .filter(({ touches }) => touches !== undefined),
    ...networkChanges(service, before, after),
    ...swarmChanges(service, before, after),
  ]
}

/** Returns the changes of images, if nothing but the labels is known of what runs. */
export function imageChanges(
  service: string,
  before: readonly [Labelled, ...Labelled[]],
  after: InstanceSpecification,
): readonly FieldChange[] {
  return after.containers.flatMap((container): readonly FieldChange[] => {
    const live = before.find(({ container: name }) => name === container.name) ?? before[0]
    const [from, to] = [withDigest(live.image, live.digest), imageOf(container)]
    return from === to
      ? []
      : [{ path: `${pathOf(service, container, after)}/image`, from, to, touches: 'image' }]
  })
}

/** Returns everything that is set on an instance, as fields with no value before. */
export function allFields(service: string, after: InstanceSpecification): readonly FieldChange[] {
  return fieldChanges(service, { containers: [] }, after)
}

/** Returns each field once, in the order of its first occurrence. */
export function distinctFields(fields: readonly FieldChange[]): readonly FieldChange[] {
  return [...new Map(fields.map(field => [JSON.stringify(field), field])).values()]
}

function pathOf(service: string, { name }: Container, { containers }: InstanceSpecification): string {
  return containers.length === 1 ? service : `${service}/${name}`
}

function networkChanges(
  service: string,
  before: InstanceSpecification,
  after: InstanceSpecification,
): readonly FieldChange[] {
  const isNew = before.containers.length === 0
  return (['networks', 'aliases'] as const).flatMap((key): readonly FieldChange[] => {
    const [from, to] = [before[key]?.join(', '), after[key]?.join(', ')]
    if (to === undefined || from === to || (from === undefined && !isNew)) return []
    const path = `${service}/${key}`
    return [{ path, ...(from === undefined ? {} : { from }), to, touches: 'host' }]
  })
}

/** Nothing is compared with what was never recorded. */
function swarmChanges(
  service: string,
  before: InstanceSpecification,
  after: InstanceSpecification,
): readonly FieldChange[] {
  if (after.runs === undefined) return []
  const isNew = before.containers.length === 0
  if (before.runs === undefined && !isNew) return []
  const fieldsIn = ({ runs }: InstanceSpecification): Fields => {
    const fields = new Map<string, Field>()
    for (const [key, value] of Object.entries(runs ?? {})) open(key, value, fields)
    return fields
  }
  return differing(service, fieldsIn(before), fieldsIn(after))
}

/** A field as it is compared, and as it is shown. */
type Field = { readonly compared: string; readonly shown: string }

type Fields = ReadonlyMap<string, Field>

function differing(path: string, before: Fields, after: Fields): readonly FieldChange[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key): readonly FieldChange[] => {
    const from = before.get(key)
    const to = after.get(key)
    if (from?.compared === to?.compared) return []
    const touches = touchesOf(key, at => [before.get(at)?.shown, after.get(at)?.shown])
    const isOtherSecret = from !== undefined && from.shown === to?.shown
    return [
      {
        path: `${path}/${key}`,
        ...(from === undefined || isOtherSecret ? {} : { from: from.shown }),
        ...(to === undefined ? {} : { to: isOtherSecret ? '(secret changed)' : to.shown }),
        ...(touches === undefined ? {} : { touches }),
      },
    ]
  })
}

/**
 * Returns `env/NAME → value`, `ports/0/target → 80`. Objects are expanded, and lists of words are shown as they are.
 * What an image has to have follows from other fields.
 */
function fieldsOf(container: Container | undefined): Fields {
  const fields = new Map<string, Field>()
  if (container === undefined) return fields
  const { name: _, image: __, needs: ___, ...rest } = container
  const image = imageOf(container)
  fields.set('image', { compared: image, shown: image })
  const { platform } = container.image
  if (platform !== undefined) fields.set('platform', { compared: platform, shown: platform })
  for (const [key, value] of Object.entries(rest)) open(key, value, fields)
  return fields
}

function open(path: string, value: unknown, into: Map<string, Field>): void {
  if (value === undefined) return
  if (mayBeSecret.test(path) && typeof value !== 'string') {
    into.set(path, { compared: JSON.stringify(value), shown: '(secret)' })
  } else if (value !== null && typeof value === 'object' && !isListOfWords(value)) {
    for (const [key, inner] of Object.entries(value)) open(`${path}/${key}`, inner, into)
  } else {
    const text = textOf(path, value)
    into.set(path, { compared: text, shown: text })
  }
}

/** The only places of secrets. A value there is a text or its mark, also in the journal. */
const mayBeSecret = /^(env\/.+|files\/\d+\/content)$/s

/** Values in quotes are the user's; these words without quotes are the plan's. */
const ourWords: readonly string[] = ['(secret)', '(secret changed)', '(not set)']

/** Permission bits are octal, as people write them, and limits have units. */
function textOf(path: string, value: unknown): string {
  if (typeof value === 'string') return ourWords.includes(value) ? JSON.stringify(value) : value
  if (typeof value !== 'number') return JSON.stringify(value)
  if (path.endsWith('/mode')) return `0${value.toString(8)}`
  if (path.endsWith('Bytes')) return memoryText(value)
  return path === 'nanoCpus' ? `${cpusText(value)} CPUs` : String(value)
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
