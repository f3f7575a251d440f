/** A JSON schema, as far as ours go. */
export type Schema = { readonly [key: string]: unknown }

/** A place of a schema that a text may stand in, and the smallest document that has one there. */
export type Place = { readonly place: string; readonly document: unknown }

/** Every place that takes a text, be it a value or the name of a key, each with that text in it. */
export function placesWith(text: string, schema: Schema): readonly Place[] {
  return walk(text, schema, schema, '', value => value)
}

function walk(
  text: string,
  root: Schema,
  given: Schema,
  place: string,
  wrap: (value: unknown) => unknown,
): readonly Place[] {
  const schema = resolved(root, given)
  const needed = required(root, schema)
  const deeper = (part: unknown, at: string, inner: (value: unknown) => unknown) =>
    walk(text, root, recordOf(part), `${place}/${at}`, value => wrap(inner(value)))
  const { additionalProperties, patternProperties, items } = schema
  return [
    ...(typesOf(schema).includes('string') ? [{ place, document: wrap(text) }] : []),
    ...Object.entries(recordOf(schema['properties'])).flatMap(([key, part]) =>
      deeper(part, key, value => ({ ...needed, [key]: value })),
    ),
    ...(typeof additionalProperties === 'object'
      ? [
          {
            place: `${place}/(key)`,
            document: wrap({ ...needed, [text]: sample(root, recordOf(additionalProperties)) }),
          },
          ...deeper(additionalProperties, '*', value => ({ ...needed, KEY: value })),
        ]
      : []),
    ...(patternProperties === undefined
      ? []
      : [{ place: `${place}/(x-key)`, document: wrap({ ...needed, [`x-${text}`]: text }) }]),
    ...(items === undefined ? [] : deeper(items, '*', value => [value])),
  ]
}

/** The least that is valid. */
function sample(root: Schema, given: Schema): unknown {
  const schema = resolved(root, given)
  const { enum: choices, minItems, items, minimum } = schema
  const [type] = typesOf(schema)
  if (Array.isArray(choices)) return choices[0]
  switch (type) {
    case 'string':
      return 'a'
    case 'integer':
      return minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return minItems === 1 ? [sample(root, recordOf(items))] : []
    default:
      return required(root, schema)
  }
}

function required(root: Schema, schema: Schema): Schema {
  const properties = recordOf(schema['properties'])
  const keys = [schema['required'] ?? []].flat()
  return Object.fromEntries(keys.map(key => [key, sample(root, recordOf(properties[String(key)]))]))
}

function resolved(root: Schema, schema: Schema): Schema {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  return resolved(root, recordOf(recordOf(root['definitions'])[$ref.replace('#/definitions/', '')]))
}

function typesOf({ type }: Schema): readonly unknown[] {
  return [type ?? 'object'].flat()
}

function recordOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
