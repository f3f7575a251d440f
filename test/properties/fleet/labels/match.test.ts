import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { labelMatcher } from '../../../../lib/fleet/labels/match.ts'
import { parseLabelExpression } from '../../../../lib/fleet/labels/parse.ts'
import type { SiteLabels } from '../../../../lib/state/fleet/labels.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

describe('labels of a site and an expression', () => {
  const { sites, evaluations, documentedExpressions } = documented()

  for (const { expr, matches } of evaluations)
    it(`A21 ${JSON.stringify(expr)} matches ${matches.join(', ')}`, () => {
      expect(Object.keys(sites).filter(site => meets(expr, sites[site] ?? {}))).to.deep.equal(matches)
    })

  for (const expr of documentedExpressions)
    it(`A21 reads the vendor's ${JSON.stringify(expr)}`, () => {
      expect(parseLabelExpression(expr)).to.have.property('ok', true)
    })

  const rows: readonly (readonly [string, SiteLabels, boolean])[] = [
    ['A21 city = Berlin', { city: 'berlin' }, false],
    ['A21 city', { city: '' }, true],
    ['A21 city ~ erl', { city: 'berlin' }, true],
    ['A21 city ~ ^erl', { city: 'berlin' }, false],
    ['A21 city ~ (?i)BERLIN', { city: 'berlin' }, true],
    ['A21 city ~ .*', {}, false],
    ["A21 city = ''", {}, false],
    ['A21 city = berlin or city = stockholm and lab-site', { city: 'berlin' }, true],
    ['A22 not (city = berlin)', {}, true],
    ['A22 not city = berlin', { city: 'berlin' }, false],
    [
      'A24 system/name = berlin and system/type = edge',
      { 'system/name': 'berlin', 'system/type': 'edge' },
      true,
    ],
    ['A24 {}', { 'system/name': 'berlin' }, false],
    ['G24 constructor', {}, false],
    ['G24 __proto__', {}, false],
    ['G24 toString ~ .*', {}, false],
    ['G24 not hasOwnProperty', {}, true],
  ]
  for (const [row, labels, expected] of rows)
    it(`${row} is ${expected} of ${JSON.stringify(labels)}`, () => {
      expect(meets(row.slice(4), labels)).to.equal(expected)
    })

  it('G24 takes no more than linear time for a regular expression that makes other engines hang', async () => {
    const matches = (size: number) => meets('a ~ ^(b+)+(b|bb)*(.*.*)*$ and a ~ c$', { a: 'b'.repeat(size) })
    expect(matches(10_000)).to.equal(false)
    expect(await growth(matches, 1_000)).to.be.below(mostInProportion)
  })

  it('A22 any sequence of words is read as a second reader reads it, and means the same', () => {
    const word = fc.constantFrom('(', ')', 'and', 'or', 'not', 't', 'f')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), words => {
        expect(meaningOf(words.join(' '), { t: '' })).to.equal(second(words.join(' ')))
      }),
      { numRuns: 3_000 },
    )
  })

  it('A21, A22 an expression means the same, however many parentheses and white space it has', () => {
    fc.assert(
      fc.property(condition, labels, (written, site) => {
        expect(meaningOf(written.text, site)).to.equal(String(written.of(site)))
      }),
      { numRuns: 2_000 },
    )
  })
})

function meets(text: string, labels: SiteLabels): boolean {
  const read = parseLabelExpression(text)
  if (!read.ok) throw new Error(read.reason)
  return labelMatcher(read.expression)(labels)
}

function meaningOf(text: string, labels: SiteLabels): string {
  const read = parseLabelExpression(text)
  return read.ok ? String(labelMatcher(read.expression)(labels)) : 'invalid'
}

/**
 * Evaluates words by another method: it replaces innermost parentheses by their value until none are left. Between them
 * it splits at "or", then at "and", and counts what stands before the last word.
 */
function second(text: string): string {
  const inner = /\(([^()]*)\)/.exec(text)
  if (inner === null) return flat(text)
  const value = flat(inner[1] ?? '')
  return value === 'invalid' ? value : second(text.replace(inner[0], value === 'true' ? 't' : 'f'))
}

function flat(text: string): string {
  const values = text.split(/\bor\b/).map(some => some.split(/\band\b/).map(one => single(one.trim())))
  if (values.flat().includes('invalid')) return 'invalid'
  return String(values.some(all => all.every(value => value === 'true')))
}

function single(text: string): string {
  const [, nots = '', word] = /^((?:not )*)([tf])$/.exec(text.replaceAll(/ +/g, ' ')) ?? []
  if (word === undefined) return 'invalid'
  return String((word === 't') === ((nots.length / 4) % 2 === 0))
}

/** A condition as it is written, and what it means in plain functions of the language. */
type Written = {
  readonly text: string
  /** How closely its outermost operator binds: 0 for "or", 3 for a test. */
  readonly binds: number
  readonly of: (labels: SiteLabels) => boolean
}

const names = fc.constantFrom('city', 'region', 'system/type', 'lab-site', 'x.org/y')
const values = fc.constantFrom('berlin', 'stockholm', 'a b', '"', '\\', "'", 'and', '(', '')
const labels = fc.dictionary(names, values)

const tests: fc.Arbitrary<Written> = fc.oneof(
  names.map(name => ({ text: name, binds: 3, of: (site: SiteLabels) => name in site })),
  fc.tuple(names, values).map(([name, value]) => ({
    text: `${name} = ${quoted(value)}`,
    binds: 3,
    of: (site: SiteLabels) => site[name] === value,
  })),
  fc.tuple(names, fc.constantFrom('^b', 'o', '[ab]', '(st|be)', 'n$')).map(([name, pattern]) => ({
    text: `${name} ~ ${pattern}`,
    binds: 3,
    of: (site: SiteLabels) => site[name] !== undefined && new RegExp(pattern).test(site[name]),
  })),
  fc.constant({ text: '{}', binds: 3, of: (site: SiteLabels) => Object.keys(site).length === 0 }),
)

const space = fc.constantFrom(' ', '\n', '  \t')

const { condition } = fc.letrec<{ condition: Written }>(tie => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tests,
    fc.tuple(tie('condition'), space).map(([one, gap]) => ({
      text: `not${gap}${within(one, 2)}`,
      binds: 2,
      of: (site: SiteLabels) => !one.of(site),
    })),
    fc.tuple(tie('condition'), tie('condition'), space).map(([one, other, gap]) => ({
      text: `${within(one, 1)}${gap}and${gap}${within(other, 1)}`,
      binds: 1,
      of: (site: SiteLabels) => one.of(site) && other.of(site),
    })),
    fc.tuple(tie('condition'), tie('condition'), space).map(([one, other, gap]) => ({
      text: `${within(one, 0)}${gap}or${gap}${within(other, 0)}`,
      binds: 0,
      of: (site: SiteLabels) => one.of(site) || other.of(site),
    })),
    tie('condition').map(one => ({ text: `(${one.text} )`, binds: 3, of: one.of })),
  ),
}))

/** Puts a condition in parentheses if it binds less closely than what is around it. */
function within({ text, binds }: Written, around: number): string {
  return binds < around ? `( ${text} )` : text
}

function quoted(value: string): string {
  if (/^\w+$/.test(value) && value !== 'and') return value
  return value.includes("'")
    ? `"${value}"`
    : value.includes('"')
      ? `'${value}'`
      : `"${value.replaceAll('\\', '\\\\')}"`
}

type Documented = {
  readonly sites: Readonly<Record<string, SiteLabels>>
  readonly evaluations: readonly { readonly expr: string; readonly matches: readonly string[] }[]
  readonly documentedExpressions: readonly string[]
}

/** The cases of the vendor's documentation. */
function documented(): Documented {
  const path = '../../../../fixtures/conformance/avassa/label-expressions.json'
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}
