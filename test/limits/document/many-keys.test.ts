import { expect } from 'chai'
import { parseJson } from '../../../lib/document/json.ts'
import { withoutFaults } from '../../../lib/schema.ts'
import { parseSiteVariables } from '../../../lib/spec/site-variables.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

/** About as many members as a file of 1 MiB can hold. */
const many = 70_000
const keys = Array.from({ length: many }, (_, index) => `k${index}`)

describe('an object with very many members', () => {
  const documentOf = (count: number) => {
    const members = keys.slice(0, count).map(key => `\n"${key}":"a"`)
    return parseJson('a.json', `{${members.join(',')}}`)
  }
  const ways = {
    value: pointer => document => document.position(pointer),
    key: pointer => document => document.keyPosition(pointer),
    character: pointer => document => document.positionWithin(pointer, 0),
    spelling: pointer => document => document.spelling(pointer),
  } satisfies Record<string, (pointer: string) => (document: ReturnType<typeof documentOf>) => unknown>
  for (const [what, find] of Object.entries(ways))
    it(`G24 takes no longer to find the ${what} of each of them than of few`, async () => {
      const findEach = (count: number) => {
        const document = documentOf(count)
        for (const key of keys.slice(0, count)) find(`/${key}`)(document)
      }
      expect(await growth(findEach, many / 10)).to.be.below(mostInProportion)
    })

  it('has each where it is', () => {
    const document = documentOf(many)
    const line = many + 1
    expect(document.position('/k69999')).to.deep.equal({ file: 'a.json', line, column: 10 })
    expect(document.keyPosition('/k69999')).to.deep.equal({ file: 'a.json', line, column: 1 })
    expect(document.positionWithin('/k69999', 0)).to.deep.equal({ file: 'a.json', line, column: 11 })
  })

  it('has none that is not there, also none that every object has', () => {
    const document = documentOf(many)
    expect(document.position('/constructor')).to.deep.equal({ file: 'a.json', line: 1, column: 1 })
    expect(document.positionWithin('/constructor', 3)).to.deep.equal({ file: 'a.json', line: 1, column: 1 })
  })

  it('G24 is refused as a whole where very many are no text for a program', () => {
    const texts = keys.map(key => `"${key}":"\\u0000"`).slice(0, 50_000)
    const document = parseJson('a.json', `{"name": "a", "services": [], "x-a": {${texts.join(',')}}}`)
    expect(withoutFaults('application', document)).to.equal(undefined)
  })

  it('G24 is gone through once where a hundred of its members are left out', () => {
    const mistaken = keys.slice(0, 99).map(key => `"${key}":1`)
    const noted = keys.slice(0, 60_000).map(key => `"x-${key}":1`)
    const strategy = `{${[...mistaken, ...noted].join(',')}}`
    const services = '[{"name": "w", "containers": [{"name": "c", "image": "a"}]}]'
    const text = `{"name": "a", "strategy": ${strategy}, "services": ${services}}`
    const document = parseJson('a.json', text)
    let rest: ReturnType<typeof withoutFaults>
    expect(copiesIn(() => (rest = withoutFaults('application', document)))).to.be.below(5)
    expect(rest?.without).to.have.lengthOf(99)
  })
})

/** Returns how many objects something makes of entries. */
function copiesIn(work: () => void): number {
  const { fromEntries } = Object
  let copies = 0
  Object.fromEntries = (entries: Iterable<readonly unknown[]>) => {
    copies += 1
    return fromEntries(entries)
  }
  try {
    work()
    return copies
  } finally {
    Object.fromEntries = fromEntries
  }
}

describe('the variables of a site', () => {
  const textOf = (applications: number, value: string) => {
    const values = Array.from({ length: 8 }, (_, index) => `"V${index}":"${value}"`).join(',')
    return `{${keys
      .slice(0, applications)
      .map(name => `"${name}":{${values}}`)
      .join(',')}}`
  }

  it('G24 take no longer to be read where many applications have some, also where all are mistaken', async () => {
    const read = (count: number) => parseSiteVariables('variables.json', textOf(count, '${x}'))
    expect(await growth(read, 800)).to.be.below(mostInProportion)
    const all = read(8_000)
    expect(
      'applications' in all && all.applications.get('k7999')?.values.get('V7')?.problems,
    ).to.have.lengthOf(1)
  })
})
