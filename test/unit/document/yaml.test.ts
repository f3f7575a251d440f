import { expect } from 'chai'
import { parseYaml } from '../../../lib/document/yaml.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('YAML files', () => {
  it('reads YAML 1.2: only true and false are truth values, dates and octal look-alikes are what they look like', () => {
    const text = 'a: no\nb: on\nc: true\nd: 2024-01-01\ne: 010\nf: 1.10\ng: ~\nh:'
    expect(parseYaml('a.yaml', text).value).to.deep.equal({
      a: 'no',
      b: 'on',
      c: true,
      d: '2024-01-01',
      e: 10,
      f: 1.1,
      g: null,
      h: null,
    })
  })

  it('reads an empty file as nothing', () => {
    expect(parseYaml('a.yaml', '# later\n').value).to.equal(null)
  })

  it('reads every key as a text', () => {
    expect(parseYaml('a.yaml', '8080: web\ntrue: x\nnull: y').value).to.deep.equal({
      8080: 'web',
      true: 'x',
      null: 'y',
    })
  })

  it('repeats what an alias names, and knows no merge keys', () => {
    const text = 'base: &base {a: 1}\ncopy: *base\nmerged:\n  <<: *base'
    expect(parseYaml('a.yaml', text).value).to.deep.equal({
      base: { a: 1 },
      copy: { a: 1 },
      merged: { '<<': { a: 1 } },
    })
  })

  it('takes the last anchor before an alias', () => {
    expect(parseYaml('a.yaml', '- &x 1\n- *x\n- &x 2\n- *x').value).to.deep.equal([1, 1, 2, 2])
  })

  const refused: readonly (readonly [string, string, readonly string[]])[] = [
    ['tabs as indentation', 'a:\n\tb: 1', ['2:1: Tabs are not allowed as indentation (yaml-invalid)']],
    ['tags of its own', 'a: !secret x', ['1:4: Unresolved tag: !secret (yaml-invalid)']],
    [
      'several documents',
      'a: 1\n---\nb: 2',
      ['2:1: a second document begins here; a file holds only one (yaml-invalid)'],
    ],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes', ['1:1: only YAML 1.2 is read (yaml-invalid)']],
    ['a list as a key', '? [a]\n: b', ['1:3: a key must be a plain text (yaml-invalid)']],
    ['an alias of nothing', 'a: *b', ['1:4: no anchor &b stands before the alias *b (yaml-invalid)']],
    [
      'a star without quotes',
      'a: *',
      [
        '1:4: Alias cannot be an empty string; put a text that begins with "*" or "&" in quotes (yaml-invalid)',
      ],
    ],
    [
      'an alias inside its own anchor',
      'a: &a [*a]',
      ['1:8: no anchor &a stands before the alias *a (yaml-invalid)'],
    ],
    [
      'keys that stand twice, all of them',
      'a: 1\nb: {c: 1, c: 2}\na: 3',
      [
        '2:11: "c" stands twice in one object, first in line 2 (duplicate-key)',
        '3:1: "a" stands twice in one object, first in line 1 (duplicate-key)',
      ],
    ],
  ]
  for (const [what, text, problems] of refused)
    it(`refuses ${what} and says where`, async () => {
      expect(await refusal(() => parseYaml('a.yaml', text))).to.deep.equal(
        problems.map(problem => `a.yaml:${problem}`),
      )
    })

  it('G24 bounds what aliases unfold to', async () => {
    const tenfold = (level: number) => `a${level}: &a${level} [${Array(10).fill(`*a${level - 1}`)}]`
    const text = ['a0: &a0 lol', ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(tenfold)].join('\n')
    expect(await refusal(() => parseYaml('a.yaml', text))).to.deep.equal([
      'a.yaml:7:10: has more than 200000 values, those that aliases repeat counted (document-too-complex)',
    ])
  })

  it('G24 bounds the depth that aliases build up', async () => {
    const deeper = (_: unknown, level: number) => `a${level + 1}: &a${level + 1} [*a${level}]`
    const text = ['a0: &a0 lol', ...Array.from({ length: 120 }, deeper)].join('\n')
    expect(await refusal(() => parseYaml('a.yaml', text))).to.deep.equal([
      'a.yaml:101:14: more than 100 objects and lists stand inside one another (document-too-complex)',
    ])
  })

  it('G24 takes __proto__ as a plain key', () => {
    const { value } = parseYaml('a.yaml', '__proto__: {polluted: true}')
    expect(Object.keys(value as object)).to.deep.equal(['__proto__'])
    expect(value).to.not.have.property('polluted')
  })

  it('tells where each value and its key stand, an alias where it is written', () => {
    const document = parseYaml(
      'a.yaml',
      'base: &b {x: 1}\nservices:\n  - name: web\n    env:\n      A: 1\n  - *b\n',
    )
    expect(document.position('/services/0')).to.deep.equal({ file: 'a.yaml', line: 3, column: 5 })
    expect(document.position('/services/0/env')).to.deep.equal({ file: 'a.yaml', line: 5, column: 7 })
    expect(document.keyPosition('/services/0/env')).to.deep.equal({ file: 'a.yaml', line: 4, column: 5 })
    expect(document.position('/services/1')).to.deep.equal({ file: 'a.yaml', line: 6, column: 5 })
    expect(document.position('/services/5/name')).to.deep.equal({ file: 'a.yaml', line: 3, column: 3 })
  })
})
