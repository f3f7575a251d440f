import { expect } from 'chai'
import { parseJson } from '../../../lib/document/json.ts'
import { parseYaml } from '../../../lib/document/yaml.ts'

/** Each text is `one and two`, in which `two` begins at 8, as far as white space goes. */
describe('a character of a text', () => {
  const rows: readonly (readonly [what: string, file: string, text: string, line: number, column: number])[] =
    [
      ['plain', 'a.yaml', 'x: one and two\n', 1, 12],
      ['plain over two lines', 'a.yaml', 'x: one\n  and two\n', 2, 7],
      ['folded', 'a.yaml', 'x: >\n  one\n  and\n  two\n', 4, 3],
      ['folded, with a comment after the sign', 'a.yaml', 'x: >- # of sites\n    one\n    and two\n', 3, 9],
      ['folded, with an anchor', 'a.yaml', 'x: &of >\n  one and\n  two\n', 3, 3],
      ['literal', 'a.yaml', 'x: |\n  one and two\n', 2, 11],
      ['in double quotes', 'a.yaml', 'x: "one and\n  two"\n', 2, 3],
      ['in single quotes', 'a.yaml', "x: 'one and two'\n", 1, 13],
      ['in JSON', 'a.json', '{\n  "x": "one and two"\n}', 2, 17],
    ]
  for (const [what, file, text, line, column] of rows)
    it(`A23 is found in a text that is ${what}`, () => {
      const document = file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
      expect(document.positionWithin('/x', 8)).to.deep.equal({ file, line, column })
    })

  it('is found behind escapes', () => {
    const document = parseYaml('a.yaml', `x: "a = \\"b\\" or \\\\ c"\n`)
    expect(document.positionWithin('/x', 13)).to.deep.equal({ file: 'a.yaml', line: 1, column: 21 })
  })

  it('is found behind doubled quotes', () => {
    const document = parseYaml('a.yaml', "x: 'a = ''b'' or c'\n")
    expect(document.positionWithin('/x', 11)).to.deep.equal({ file: 'a.yaml', line: 1, column: 18 })
  })

  it('is behind the last word if it is the end', () => {
    const document = parseYaml('a.yaml', 'x: >\n  one\n  and\n\ny: 1\n')
    expect(document.positionWithin('/x', 7)).to.deep.equal({ file: 'a.yaml', line: 3, column: 6 })
  })

  it('is at the last place that is known, where an escape cannot be followed', () => {
    const document = parseJson('a.json', '{"x": "a \\u0062 c"}')
    expect(document.positionWithin('/x', 4)).to.deep.equal({ file: 'a.json', line: 1, column: 9 })
  })

  it('is where an alias stands, if an alias repeats the text', () => {
    const document = parseYaml('a.yaml', 'x: &x one two\ny: *x\n')
    expect(document.positionWithin('/y', 4)).to.deep.equal({ file: 'a.yaml', line: 2, column: 4 })
  })

  it('is where the value stands, if that is no text', () => {
    const document = parseYaml('a.yaml', 'x: [1]\n')
    expect(document.positionWithin('/x', 4)).to.deep.equal({ file: 'a.yaml', line: 1, column: 4 })
  })
})
