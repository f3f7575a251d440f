import { expect } from 'chai'
import { parseLabelExpression } from '../../../lib/fleet/labels/parse.ts'
import { constraintsOf } from '../../../lib/resolve/swarm/constraints.ts'

function constraints(text: string): readonly string[] | undefined {
  const read = parseLabelExpression(text)
  if (!read.ok) throw new Error(read.reason)
  return constraintsOf(read.expression)
}

describe('the nodes of a Swarm that an expression means (A45)', () => {
  const table: readonly (readonly [expression: string, constraints: readonly string[]])[] = [
    ['disk = ssd', ['node.labels.disk==ssd']],
    ['not disk = ssd', ['node.labels.disk!=ssd']],
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

  for (const expression of [
    ...[
      'disk',
      'disk = ssd or disk = nvme',
      'disk ~ "ss."',
      '{}',
      'not (disk = ssd and zone = a)',
      'not disk',
    ],
    ...['system/name = a', 'disk = "a==b"', 'd = ssd'],
  ])
    it(`D15 cannot be told to it: ${expression}`, () => {
      expect(constraints(expression)).to.equal(undefined)
    })
})
