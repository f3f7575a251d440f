import { posix } from 'node:path'
import { type Document, pointerTo } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import { parseYaml } from '../document/yaml.ts'
import type { Position, Problem } from '../errors.ts'
import { onceFor } from '../memo/once-for.ts'
import { isRecord } from '../object.ts'
import { checkSchema } from '../schema.ts'
import { type SiteLabels, siteLabel } from '../state/fleet/labels.ts'
import { guessing } from '../text/suggestion/guess.ts'
import type { Service } from './application.gen.ts'
import { withoutNames } from './read/value/dollars.ts'
import { problemsOfFile, type Specification, withValue } from './specification/specification.ts'
import { rootOf, type Scalar } from './spot.ts'
import type { VariablesOfASite } from './variables.gen.ts'

/** The values that variables of one application have on a site, by their names, and what is wrong with each. */
export type SiteValues = ReadonlyMap<
  string,
  { readonly text: string; readonly position: Position; readonly problems: readonly Problem[] }
>

/** The variables of a site, by application, or why they cannot be read. */
export type SiteVariables =
  | {
      readonly applications: ReadonlyMap<string, { readonly values: SiteValues; readonly position: Position }>
    }
  | { readonly problems: readonly [Problem, ...Problem[]] }

/** Reads the variables of a site (A70). What begins with `x-` is among them, because an application may be called so. */
export function parseSiteVariables(file: string, text: string): SiteVariables {
  try {
    const document = file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
    const [first, ...more] = checkSchema('variables', document)
    return first === undefined ? { applications: applicationsIn(document) } : { problems: [first, ...more] }
  } catch (error) {
    return { problems: problemsOfFile(error, file) }
  }
}

function applicationsIn(
  document: Document,
): Extract<SiteVariables, { applications: unknown }>['applications'] {
  // The schema guarantees the type, which was generated from it.
  const written = document.value as VariablesOfASite
  return new Map(
    Object.entries(written).flatMap(([name, values]) => {
      if (!isRecord(values)) return []
      const texts = Object.entries(values).map(([variable, value]) => {
        const problems: Problem[] = []
        const spot = rootOf(document, problem => problems.push(problem), 'variables-invalid').at(
          name,
          variable,
        )
        const text = isScalar(value) ? spot.text(value) : ''
        // The schema leaves what begins with "x-" to its author: it may be a note, or the name of an application.
        if (isScalar(value)) withoutNames(text, spot)
        else spot.fault('must be a text, a number, true or false')
        return [variable, { text, position: spot.position(), problems }] as const
      })
      const position = document.keyPosition(pointerTo('', name))
      return [[name, { values: new Map(texts), position }] as const]
    }),
  )
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Returns the labels of sites that a specification takes values from (A73). */
export const labelsUsedIn = onceFor((specification: Specification): readonly string[] => [
  ...new Set(servicesOf(specification).flatMap(({ variables = [] }) => variables.flatMap(labelOf))),
])

/** Returns where a specification takes values from labels of sites, each place with its label (A73). */
export function labelPlacesIn(
  specification: Specification,
): readonly { readonly label: string; readonly position: Position }[] {
  if (labelsUsedIn(specification).length === 0 || specification.state !== 'valid') return []
  const { document } = specification
  return servicesOf(specification).flatMap(({ variables = [] }, service) =>
    variables.flatMap((variable, index) =>
      labelOf(variable).map(label => {
        const pointer = `/services/${service}/variables/${index}/value-from-site-label`
        return { label, position: document.position(pointer) }
      }),
    ),
  )
}

/** A pod has no variables. */
function servicesOf(specification: Specification): readonly Service[] {
  const isApplication = specification.state === 'valid' && specification.kind !== 'pod'
  return isApplication ? specification.value.services : []
}

function labelOf({ 'value-from-site-label': label }: Variable): readonly string[] {
  return label === undefined ? [] : [label]
}

type Variable = NonNullable<Service['variables']>[number]

/**
 * Returns a specification as it is on a site: each variable that these values name has that value, in every service,
 * and each other one that takes its value from a label has that of the site. Also returns what is wrong with the
 * values, such as a variable that no service has. A specification that is not valid stays as it is.
 */
export function specificationOn(
  specification: Specification,
  values: SiteValues,
  labels: SiteLabels,
): { readonly specification: Specification; readonly problems: readonly Problem[] } {
  if (specification.state === 'invalid') return { specification, problems: [] }
  const { file } = specification
  const written = servicesOf(specification)
  const known = new Set(written.flatMap(({ variables = [] }) => variables.map(({ name }) => name)))
  const guess = guessing(() => [...known])
  const services = written.map(service =>
    service.variables === undefined
      ? service
      : {
          ...service,
          variables: service.variables.map(variable => {
            const text = textOn(variable, values, labels)
            return text === undefined ? variable : { name: variable.name, value: text }
          }),
        },
  )
  return {
    specification:
      specification.kind === 'pod'
        ? specification
        : withValue(specification, { ...specification.value, services }),
    problems: [...values].flatMap(([name, { position, problems }]) =>
      known.has(name)
        ? problems
        : [
            {
              code: 'overlay-unmatched' as const,
              message: `no service of ${posix.basename(file)} has a variable "${name}"${guess(name)}`,
              position,
            },
          ],
    ),
  }
}

/** Undefined if it is what all sites have. */
function textOn(variable: Variable, values: SiteValues, labels: SiteLabels): string | undefined {
  const own = values.get(variable.name)
  if (own !== undefined && own.problems.length === 0) return own.text
  const [label] = labelOf(variable)
  const text = label === undefined ? undefined : siteLabel(labels, label)
  return text === undefined ? undefined : escaped(text)
}

/** A label is a text as it stands, in which a dollar names nothing. */
function escaped(text: string): string {
  return text.replaceAll('$', '$$$$')
}
