import { expect } from 'chai'
import { labelMatcher } from '../../../../lib/fleet/labels/match.ts'
import { parseLabelExpression } from '../../../../lib/fleet/labels/parse.ts'
import type { SiteLabels } from '../../../../lib/state/fleet/labels.ts'

const edge = (name: string, labels: SiteLabels = {}): SiteLabels => ({
  ...{ 'system/type': 'edge', 'system/name': name },
  ...labels,
})

/** A chain of cinemas. */
const sites: Readonly<Record<string, SiteLabels>> = {
  sergel: edge('stockholm-sergel', { city: 'stockholm', country: 'se', 'floor-m2': '1200', guard: '' }),
  bergakungen: edge('gothenburg-bergakungen', { city: 'gothenburg', country: 'se', 'floor-m2': '900' }),
  helsinki: edge('helsinki', { city: 'Helsinki', country: 'fi', 'lab-site': 'true' }),
  palads: edge('palads', { country: 'dk', 'popcorn-systems.com/canary': 'yes', note: 'old "Palads"' }),
  berlin: edge('berlin', { city: 'berlin', country: 'de', 'lab-site': 'false', note: 'a\\b' }),
  centre: { 'system/type': 'control-tower', 'system/name': 'centre' },
}

const all = 'sergel bergakungen helsinki palads berlin centre'

/** An expression, and the sites that meet it. */
const cases: readonly (readonly [says: string, expression: string, met: string])[] = [
  ['A24 one site by its name', 'system/name = stockholm-sergel', 'sergel'],
  ['A24 all edge sites', 'system/type = edge', 'sergel bergakungen helsinki palads berlin'],
  ['A24 what is no edge site', 'not system/type = edge', 'centre'],
  ['A24 each site has the built-in labels', 'system/name and system/type', all],
  ['A21 upper and lower case differ', 'city = helsinki', ''],
  ['A21 and are met as they are', 'city = Helsinki', 'helsinki'],
  ['A21 in names of labels, too', 'City', ''],
  ['A21 unless the expression says otherwise', 'city ~ (?i)^helsinki$', 'helsinki'],
  ['A21 a label whose value is empty is there', 'guard', 'sergel'],
  ['A21 and equals the empty text', "guard = ''", 'sergel'],
  ['A21 an absent one does not', "city = ''", ''],
  ['A21 true is a text', 'lab-site = true', 'helsinki'],
  ['A21 and a label that says false is there', 'lab-site', 'helsinki berlin'],
  ['A21 a name with a domain', 'popcorn-systems.com/canary', 'palads'],
  ['A21 and its value', 'popcorn-systems.com/canary=yes', 'palads'],
  ['A21 one of two countries', 'country = se or country = fi', 'sergel bergakungen helsinki'],
  ['A21 and by a regular expression', 'country ~ ^(se|fi)$', 'sergel bergakungen helsinki'],
  ['A21 which is found anywhere', 'system/name ~ berg', 'bergakungen'],
  ['A21 from the beginning where it says so', 'system/name ~ ^berg', ''],
  ['A21 to the end where it says so', 'system/name ~ sergel$', 'sergel'],
  ['A21 four digits', 'floor-m2 ~ ^\\d{4}$', 'sergel'],
  ['A21 numbers are compared as texts', 'floor-m2 = 1200.0', ''],
  ['A21 quotes inside of quotes', `note = 'old "Palads"'`, 'palads'],
  ['A21 and with backslashes', 'note = "old \\"Palads\\""', 'palads'],
  ['A21 a backslash in double quotes', 'note = "a\\\\b"', 'berlin'],
  ['A21 a backslash in single quotes is itself', "note = 'a\\b'", 'berlin'],
  ['A21 a regular expression with white space in quotes', "note ~ 'old .Palads.'", 'palads'],
  ['A21 a quoted value without white space', 'city = "berlin"', 'berlin'],
  ['A21 the empty set is met by no site that has a name', '{}', ''],
  ['A21 everything but the empty set', 'not {}', all],
  [
    'A21 the example of the vendor',
    '(city and not(country = se)) or (city = \'gothenburg\') or city = "x" or {}',
    'bergakungen helsinki berlin',
  ],
  ['A22 "and" before "or"', 'country = se or country = de and lab-site', 'sergel bergakungen berlin'],
  ['A22 on both sides', 'lab-site and country = de or country = se', 'sergel bergakungen berlin'],
  ['A22 parentheses before both', '(country = se or country = de) and lab-site', 'berlin'],
  ['A22 "not" before "and"', 'not lab-site and country = se', 'sergel bergakungen'],
  ['A22 and not over it', 'not (lab-site and country = fi)', 'sergel bergakungen palads berlin centre'],
  ['A22 an absent label differs from every value', 'not country = se', 'helsinki palads berlin centre'],
  ['A22 and matches no expression', 'not city ~ .', 'palads centre'],
  ['A22 two of them are none', 'not not lab-site', 'helsinki berlin'],
  ['A22 three are one', 'not not not lab-site', 'sergel bergakungen palads centre'],
  [
    'A23 over lines, as YAML folds them',
    'system/type = edge\nand not\n(country = se)\n',
    'helsinki palads berlin',
  ],
  ['A23 without any white space', '(country=se)and(city=stockholm)', 'sergel'],
  ['A23 with tabs and line ends of other systems', 'country\t=\tse\r\nand city', 'sergel bergakungen'],
  ['A21 a label called like a word of the language', 'android or order or nothing', ''],
]

/** What is no expression of the published language, or was meant as another one. */
const refused: readonly string[] = [
  'country <> se',
  'country = se, country = fi',
  'country = se and',
  'or country = se',
  'country = se or or city',
  'not',
  '(country = se',
  'country = se)',
  'country ~ (se',
  'country ~ [',
  'country ~ (?=se)',
  'city = "stockholm',
  "city = 'stockholm",
  'city = new york',
  '{ } }',
  'country = {}',
  '= se',
  '~ se',
  'country ! se',
  'country = se; city',
  'country is se',
  'city like berl%',
]

describe('the sites of a chain of cinemas that an expression means', () => {
  for (const [says, expression, met] of cases)
    it(`${says}: ${JSON.stringify(expression)}`, () => {
      const read = parseLabelExpression(expression)
      if (!read.ok) return expect.fail(read.reason)
      const isMet = labelMatcher(read.expression)
      const found = Object.entries(sites).flatMap(([name, labels]) => (isMet(labels) ? name : []))
      return expect(found.join(' ')).to.equal(met)
    })

  for (const expression of refused)
    it(`A21 G13 ${JSON.stringify(expression)} is refused`, () => {
      expect(parseLabelExpression(expression)).to.have.property('ok', false)
    })
})
