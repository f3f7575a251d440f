import { expect } from 'chai'
import { citations, filesThatCite, ruleIds, rules, titles } from '../../docs/requirements.ts'

describe('docs/requirements.md', () => {
  const files = filesThatCite()

  it('has each rule once, in its group, in the order of the numbers', () => {
    const ids = rules().map(({ id }) => id)
    const groups = [...'PEAHCXDG']
    const place = (id: string) => groups.indexOf(id.charAt(0)) * 1000 + Number(id.slice(1))
    expect(ids).to.deep.equal([...new Set(ids)].toSorted((a, b) => place(a) - place(b)))
  })

  it('has every rule that code, schemas, tests and documents name', () => {
    const known = rules().map(({ id }) => id)
    const strange = files.flatMap(({ path, text }) =>
      citations(text)
        .filter(id => !known.includes(id))
        .map(id => `${path} names ${id}`),
    )
    expect(strange).to.deep.equal([])
  })

  it('has no rule that no title of a test names, unless it is marked as open', () => {
    const named = new Set(titles(files).flatMap(ruleIds))
    const idle = rules().filter(({ id, isOpen }) => !isOpen && !named.has(id))
    expect(idle.map(({ id }) => id)).to.deep.equal([])
  })

  it('has no rule marked as open that something names already', () => {
    const named = new Set(files.flatMap(({ text }) => citations(text)))
    const fulfilled = rules().filter(({ id, isOpen }) => isOpen && named.has(id))
    expect(fulfilled.map(({ id }) => id)).to.deep.equal([])
  })
})

describe('a rule is named', () => {
  for (const [text, named] of [
    ["it('G24 E14 refuses a circle', () => {", ['G24', 'E14']],
    ["it('D5, D15 refuses a tag', () => {", ['D5', 'D15']],
    ['/** The paths that lead here (A40 to A42). */', ['A40', 'A42']],
    ['/** Put away, or kept (H9), and left alone (G10, D3). */', ['H9', 'G10', 'D3']],
    ['HTTP/2 and ED25519, a SHA-1, RE2, UTF-8, X25519, 3DES, E100', []],
    ["'sha256:D1E2', '#D3', 'C1 control', 0xE5, `A4-6`, 'web/env/A100: 1', \"-----D7\", a.D9", []],
    ["['G6 nothing to do', {}, 'in-sync'],", ['G6']],
    ["'[2001:DB8::1]', 'FE80::1', '2001:D8::E1'", []],
  ] as const)
    it(`${named.length === 0 ? 'by no word of' : `as ${named.join(' and ')} in`} ${text}`, () => {
      expect(citations(text)).to.deep.equal(named)
    })
})
