import { expect } from 'chai'
import { firstWords, readText, tableAfter } from '../../docs/documents.ts'

type Schema = { readonly [key: string]: unknown }

describe('documented keys', () => {
  for (const [schema, document] of [
    ['manifest', 'docs/manifests.md'],
    ['application', 'docs/manifests.md'],
    ['config', 'docs/operations.md'],
  ] as const) {
    const objects = objectsOf(schema, JSON.parse(readText(`schemas/${schema}.schema.json`)))

    it(`${document} has a table for every object of the ${schema} schema, and for no other`, () => {
      const marks = [...readText(document).matchAll(/<!-- keys (\S+) -->/g)].map(([, mark = '']) => mark)
      expect(marks.filter(mark => mark.split('/')[0] === schema)).to.have.members([...objects.keys()])
    })

    for (const [mark, keys] of objects)
      it(`${document} documents every key of ${mark}, and no other`, () => {
        expect(firstWords(tableAfter(readText(document), `keys ${mark}`))).to.have.members(keys)
      })
  }
})

/** Every object of a schema by its place in it, `application/container/healthcheck`, with its keys. */
function objectsOf(name: string, schema: Schema): ReadonlyMap<string, readonly string[]> {
  const objects = new Map<string, readonly string[]>()
  visit(schema, name)
  for (const [definition, inner] of Object.entries(recordOf(schema['definitions'])))
    visit(recordOf(inner), `${name}/${definition}`)
  return objects

  function visit(part: Schema, place: string): void {
    const properties = recordOf(part['properties'])
    if (Object.keys(properties).length > 0) objects.set(place, Object.keys(properties))
    for (const [key, inner] of Object.entries(properties)) visit(recordOf(inner), `${place}/${key}`)
    if (part['items'] !== undefined) visit(recordOf(part['items']), place)
  }
}

function recordOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
