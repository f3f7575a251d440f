import { expect } from 'chai'
import fc from 'fast-check'
import { jsonNodes } from '../../../lib/document/json-nodes.ts'
import { spliceVariables, variablesIn } from '../../../lib/spec/splice-variables.ts'

const names = ['shop', 'cache', 'web', 'constructor', 'a"b', 'é']
const name = fc.constantFrom(...names)
const values = fc
  .uniqueArray(fc.tuple(name, fc.dictionary(fc.constantFrom('A', 'B'), fc.string({ maxLength: 4 }))), {
    selector: ([name]) => name,
  })
  .map(all => Object.fromEntries(all))
const written = fc
  .tuple(values, fc.constantFrom('', '  ', '\t'), fc.constantFrom('\n', '\r\n'))
  .map(([value, indent, line]) => JSON.stringify(value, undefined, indent).replaceAll('\n', line))

/** The members of an object as they are written, by name. */
function membersOf(text: string): ReadonlyMap<string, string> {
  const members = jsonNodes(text).members ?? new Map()
  return new Map([...members].map(([name, node]) => [name, text.slice(node.keyStart, node.end)]))
}

describe('the variables of an application that are put back in JSON', () => {
  it('A12 A70 are as they were, also if they came or went, and nothing else changes, for any two files', () => {
    fc.assert(
      fc.property(written, written, name, fc.boolean(), (now, then, application, isYaml) => {
        const there = { file: isYaml ? 'variables.yaml' : 'then.json', text: then.replaceAll('\t', ' ') }
        const spliced = spliceVariables(application, { file: 'variables.json', text: now }, there)
        const before = membersOf(now)
        const after = membersOf(spliced)
        const wanted = JSON.parse(then)
        const value = Object.hasOwn(wanted, application) ? wanted[application] : undefined
        const found = variablesIn({ file: 'variables.json', text: spliced })
        expect(found.get(application)).to.deep.equal(value)
        const others = (members: ReadonlyMap<string, string>) =>
          [...members].filter(([name]) => name !== application)
        expect(others(after)).to.deep.equal(others(before))
      }),
    )
  })
})
