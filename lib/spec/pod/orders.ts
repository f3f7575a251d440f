import type { Document } from '../../document/document.ts'
import { parseYaml } from '../../document/yaml.ts'
import { InvalidInput, type Position } from '../../errors.ts'
import { optional } from '../../object.ts'
import { checkSchema } from '../../schema.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import type { ApplicationSpecification } from '../application.gen.ts'
import { rootOf, type Spot } from '../spot.ts'
import type { PodManifest } from './pod.gen.ts'
import { restartAnnotation } from './restart.ts'
import { toldAnnotations } from './told-annotations.ts'

/**
 * What annotations of a pod order for which the specification has no words. Each has the text that stands under the key
 * of the same name in an application specification, in YAML or JSON.
 */
export type Orders = {
  readonly strategy?: Order<'strategy'>
  readonly requires?: Order<'requires'>
}

/** The value of a key, and the place of its document. */
type Order<Key extends OrderKey> = {
  readonly value: NonNullable<ApplicationSpecification[Key]>
  readonly spot: Spot
  readonly position: Position
}

type OrderKey = 'strategy' | 'requires'

const ours = 'tallyman/'
const orderKeys: readonly OrderKey[] = ['strategy', 'requires']

const ofPods: readonly string[] = [restartAnnotation, ...orderKeys.map(key => `${ours}${key}`)]

/** What application specifications have, and pods do not, and why. */
const refused: ReadonlyMap<string, string> = new Map([
  ['replicas', 'is not for pods; name its images several times in the manifest of the environment'],
  ['hooks', `is not for pods; hooks stand in ${ours}strategy`],
  ['routes', 'is not for pods, because the ingress needs a service with a gate; publish a port'],
  ['probes', 'is not for pods, because the specification has none; give the image a HEALTHCHECK'],
  ['variables', 'is not for pods, because nothing in a pod manifest is replaced'],
  ['secrets', 'is not for pods, because apps can read the manifest of their pod'],
])

/** Reads what the annotations of a pod order, and notes a fault for each of ours that means nothing. */
export function readOrders({ annotations = [], apps }: PodManifest, root: Spot): Orders {
  annotations.forEach(({ name }, index) => {
    if (name.startsWith(ours) && ![...ofPods, ...toldAnnotations].includes(name))
      root.at('annotations', index, 'name').fault(whyUnknown(name))
  })
  apps.forEach(({ annotations: own = [] }, app) => {
    own.forEach(({ name }, index) => {
      // That of restarts is told where it is read.
      if (!name.startsWith(ours) || toldAnnotations.includes(name) || name === restartAnnotation) return
      const why = ofPods.includes(name)
        ? `is "${name}", which is for the pod as a whole; write it among the annotations of the pod`
        : whyUnknown(name)
      root.at('apps', app, 'annotations', index, 'name').fault(why)
    })
  })
  return {
    ...optional('strategy', orderIn('strategy', annotations, root)),
    ...optional('requires', orderIn('requires', annotations, root)),
  }
}

function whyUnknown(name: string): string {
  const own = name.slice(ours.length)
  const why = refused.get(own)
  if (why !== undefined) return `is "${name}", which ${why}`
  const meant = nearest(
    own,
    [...ofPods, ...toldAnnotations].map(one => one.slice(ours.length)),
  )
  const question = meant === undefined ? '' : `; did you mean "${ours}${meant}"?`
  return `is "${name.slice(0, 60)}"; of the names that begin with ${ours} there are only ${ofPods.join(', ')}${question}`
}

function orderIn<Key extends OrderKey>(
  key: Key,
  annotations: NonNullable<PodManifest['annotations']>,
  root: Spot,
): Order<Key> | undefined {
  const index = annotations.findIndex(({ name }) => name === `${ours}${key}`)
  const text = annotations[index]?.value
  if (text === undefined) return undefined
  const place = root.at('annotations', index, 'value')
  const document = documentOf(key, text, place)
  if (document === undefined) return undefined
  const problems = checkSchema('application', document)
  for (const { message } of problems) place.fault(`says: ${message}`)
  if (problems.length > 0) return undefined
  const { [key]: value } = document.value as ApplicationSpecification
  if (value === undefined || value === null) return undefined
  const spot = rootOf(document, ({ message, code }) => place.fault(`says: ${message}`, code), 'pod-invalid')
  return { value, spot: spot.at(key), position: place.position() }
}

/**
 * Returns a text as the part of an application specification that it would be. All of it is at the place of the text,
 * because nobody counts the lines within a value.
 */
function documentOf(key: OrderKey, text: string, place: Spot): Document | undefined {
  const inner = parsedOf(text, place)
  if (inner === undefined) return undefined
  const position = () => place.position()
  const services = [{ name: 'pod', containers: [{ name: 'pod', image: 'pod' }] }]
  return {
    file: inner.file,
    tokens: inner.tokens,
    value: { name: 'pod', services, [key]: inner.value },
    position,
    keyPosition: position,
    positionWithin: position,
    spelling: pointer => inner.spelling(pointer.slice(`/${key}`.length)),
  }
}

function parsedOf(text: string, place: Spot): Document | undefined {
  try {
    return parseYaml(place.position().file, text)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    for (const { code, message } of error.problems)
      place.fault(code === 'document-too-complex' ? message : `is neither YAML nor JSON: ${message}`)
    return undefined
  }
}
