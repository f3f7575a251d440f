import { limits } from '../../limits.ts'
import { sumOf } from '../../numbers.ts'
import type { Secrets } from '../../state/secret/secrets.ts'
import { lengthOf } from '../../state/secret/text.ts'
import type { ApplicationSpecification, Service } from '../application.gen.ts'
import { substitutePlain, variablesNamedIn } from '../read/value/dollars.ts'
import { readVariables } from '../read/value/variables.ts'
import { type ApplicationDocument, withValue } from '../specification/specification.ts'
import { muted, type Spot } from '../spot.ts'

/**
 * Returns the specification with the dollars in its services' texts replaced, by one grammar for all of them (A46):
 * `$$` and `${NAME}`, as `substitute` does it. Notes and the contents of files stay unchanged. What may hold a secret,
 * and what belongs to no single service, is expanded where it is read. If the variables would make the texts too large,
 * notes a fault and leaves the variables empty.
 * @param specifications how many share the common limit
 */
export function expandVariables(
  specification: ApplicationDocument,
  secrets: Secrets,
  root: Spot,
  specifications = 1,
): ApplicationSpecification {
  const { value } = specification
  const services = withinBounds(value, secrets, root, specifications).map((service, index) => {
    if (!hasDollar(service)) return service
    const spot = root.at('services', index)
    // Faults of variables are noted where the service is built.
    const variables = readVariables(service.variables ?? [], secrets, muted(spot.at('variables')))
    return mapTexts(service, [], (text, keys) =>
      isLeftAlone(keys) ? text : substitutePlain(text, { variables, secrets }, spot.at(...keys)),
    )
  })
  return withValue(specification, { ...value, services }).value
}

const smallestShare = 4 * 1024

/** Returns how many characters variables may add to the texts of one of this many applications. */
function shareOf(specifications: number): number {
  const share = Math.floor(limits.variableCharactersInAll / Math.max(specifications, 1))
  return Math.min(limits.variableCharacters, Math.max(share, smallestShare))
}

function tooMuch(share: number, specifications: number): string {
  const [most, why] =
    share === limits.variableCharacters
      ? ['1 MiB', '']
      : [`${Math.floor(share / 1024)} KiB`, `, which is the most for each of ${specifications} applications`]
  return `make more than ${most} of the texts that name them${why}; write shorter ones, or name them less often`
}

/**
 * Returns its services, or those without the values of their variables if these add too much: a few variables, named
 * often enough, exceed any memory (G24).
 */
function withinBounds(
  value: ApplicationSpecification,
  secrets: Secrets,
  root: Spot,
  specifications: number,
): readonly Service[] {
  const most = shareOf(specifications)
  let added = 0
  for (const [index, { variables = [], ...rest }] of value.services.entries()) {
    if (variables.length === 0) continue
    const at = root.at('services', index, 'variables')
    const lengths = new Map(
      [...readVariables(variables, secrets, muted(at))].map(([name, text]) => [name, lengthOf(text ?? '')]),
    )
    added += addedTo([rest, value.strategy], lengths)
    if (added <= most) continue
    at.fault(tooMuch(most, specifications))
    return value.services.map(withoutValues)
  }
  return value.services
}

function withoutValues(service: Service): Service {
  const { variables } = service
  return variables === undefined
    ? service
    : { ...service, variables: variables.map(({ name }) => ({ name, value: '' })) }
}

function addedTo(value: unknown, lengths: ReadonlyMap<string, number>): number {
  if (typeof value === 'string') return sumOf(variablesNamedIn(value), name => lengths.get(name) ?? 0)
  if (typeof value !== 'object' || value === null) return 0
  return sumOf(Object.values(value), inner => addedTo(inner, lengths))
}

type Keys = readonly (string | number)[]

function hasDollar(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('$')
  return typeof value === 'object' && value !== null && Object.values(value).some(hasDollar)
}

/** Changes each text in a value that has a dollar. Returns the value itself if nothing changes. `keys` lead to it. */
function mapTexts(value: unknown, keys: Keys, change: (text: string, keys: Keys) => string): unknown {
  if (typeof value === 'string') return value.includes('$') ? change(value, keys) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    const changed = items.map((item, index) => mapTexts(item, [...keys, index], change))
    return changed.some((item, index) => item !== items[index]) ? changed : value
  }
  const changed = Object.entries(value).flatMap(([key, inner]) => {
    const made = mapTexts(inner, [...keys, key], change)
    return made === inner ? [] : [[key, made] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function isLeftAlone(keys: Keys): boolean {
  return elsewhere.test(keys.join('/')) || keys.some((key, depth) => isNote(key, keys[depth - 1]))
}

/** What is expanded where it is read, has no effect, or is the content of a file. */
const elsewhere =
  /^((init-)?containers\/\d+\/(env|environment|approle)|variables|strategy|placement|pallet\/services|volumes\/\d+\/config-map\/items\/\d+\/data)(\/|$)/

/** Whether a key is free for notes. In a map with the user's own names it is one of those. */
function isNote(key: string | number, parent: string | number | undefined): boolean {
  return String(key).startsWith('x-') && !maps.includes(String(parent))
}

/** The maps whose keys are the user's own, besides those that are expanded where they are read. */
export const maps: readonly string[] = [
  'labels',
  'options',
  'driver_opts',
  'sysctls',
  'extra_hosts',
  'request',
  'response',
]
