import { expect } from 'chai'
import { parseLabelExpression } from '../../../lib/fleet/labels/parse.ts'
import { constraintsOf, lackOfNodes } from '../../../lib/resolve/swarm/constraints.ts'

function expressionOf(text: string) {
  const read = parseLabelExpression(text)
  if (!read.ok) throw new Error(read.reason)
  return read.expression
}
const constraints = (text: string) => constraintsOf(expressionOf(text))

describe('the nodes of a Swarm that an expression means (A45)', () => {
  const table: readonly (readonly [expression: string, constraints: readonly string[]])[] = [
    ['disk = ssd', ['node.labels.disk==ssd']],
    ['not disk = ssd', ['node.labels.disk!=ssd']],
    ['d = ssd', ['node.labels.d==ssd']],
    ['disk = ssd and not zone = b', ['node.labels.disk==ssd', 'node.labels.zone!=b']],
    [
      'disk = ssd and (zone = a and not rack = "1 2")',
      ['node.labels.disk==ssd', 'node.labels.zone==a', 'node.labels.rack!=1 2'],
    ],
  ]
  for (const [expression, words] of table)
    it(`are those with ${words.join(' and ')}: ${expression}`, () => {
      expect(constraints(expression)).to.deep.equal(words)
    })

  const refused: Readonly<Record<string, readonly string[]>> = {
    'chooses nodes by more than labels with one value each': [
      ...['disk', 'disk = ssd or disk = nvme', 'disk ~ "ss."', '{}'],
      ...['not (disk = ssd and zone = a)', 'not disk'],
    ],
    'chooses nodes by a label or a value that a Swarm cannot compare': [
      ...['system/name = a', 'disk = "a==b"', 'disk = ssd and not zone = "ü"'],
    ],
  }
  for (const [why, expressions] of Object.entries(refused))
    for (const expression of expressions)
      it(`D15 cannot be told to it, and the reason is said: ${expression}`, () => {
        expect(constraints(expression)).to.equal(undefined)
        expect(lackOfNodes(expressionOf(expression))).to.match(new RegExp(`^${why}: `))
      })

  it('has no reason where it can be told to it', () => {
    expect(lackOfNodes(expressionOf('d = ssd'))).to.equal(undefined)
  })
})
