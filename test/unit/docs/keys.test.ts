import { expect } from 'chai'
import { firstWords, readText, tableAfter } from '../../docs/documents.ts'

type Schema = { readonly [key: string]: unknown }

describe('documented keys', () => {
  for (const [schema, ...documents] of [
    ['manifest', 'docs/manifests.md'],
    ['application', 'docs/manifests.md', 'docs/hooks.md', 'docs/pallet.md'],
    ['deployment', 'docs/deployments.md'],
    ['pod', 'docs/pods.md'],
    [
      'config',
      'docs/configuration.md',
      'docs/sites.md',
      'docs/windows.md',
      'docs/ingress.md',
      'docs/secrets.md',
      'docs/commands.md',
      'docs/rollback.md',
    ],
  ] as const) {
    const where = documents.join(' and ')
    const text = documents.map(readText).join('\n')
    const objects = objectsOf(schema, JSON.parse(readText(`schemas/${schema}.schema.json`)))

    it(`${where} has a table for every object of the ${schema} schema, and for no other`, () => {
      const marks = [...text.matchAll(/<!-- keys (\S+) -->/g)].map(([, mark = '']) => mark)
      expect(marks.filter(mark => mark.split('/')[0] === schema)).to.have.members([...objects.keys()])
    })

    for (const [mark, keys] of objects)
      it(`${where} documents every key of ${mark}, and no other`, () => {
        expect(firstWords(tableAfter(text, `keys ${mark}`))).to.have.members(keys)
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
