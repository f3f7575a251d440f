import { expect } from 'chai'
import fc from 'fast-check'
import { parseJson } from '../../../lib/document/json.ts'
import { InvalidInput } from '../../../lib/errors.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('JSON files', () => {
  it('E2 reads standard JSON', () => {
    const text = ' {"a": [1, -0.5e3, true, null, "\\u00e9\\n\\"/"], "": {}}\r\n'
    expect(parseJson('m.json', text).value).to.deep.equal({ a: [1, -500, true, null, 'é\n"/'], '': {} })
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['a comment', '// ours\n{}', '1:1: expected a value, found a comment, which JSON does not have'],
    [
      'a comment inside',
      '{"a": 1 /* ours */}',
      '1:9: expected "," or "}", found a comment, which JSON does not have',
    ],
    ['a trailing comma in an object', '{\n  "a": 1,\n}', '2:9: a comma before "}" is not allowed in JSON'],
    ['a trailing comma in a list', '[1,]', '1:3: a comma before "]" is not allowed in JSON'],
    ['a missing comma', '{"a": 1\n "b": 2}', '2:2: expected "," or "}", found a string'],
    ['a missing colon', '{"a" 1}', '1:6: expected ":" after the key, found "1"'],
    ['a bare key', '{a: 1}', '1:2: expected a key in double quotes, found "a"'],
    ['single quotes', "['a']", '1:2: expected a value, found "\'a\'"'],
    ['a word that is no value', '{"a": True}', '1:7: expected a value, found "True"'],
    ['NaN', '[NaN]', '1:2: expected a value, found "NaN"'],
    ['a leading zero', '[01]', '1:2: expected a value, found "01"'],
    ['a plus sign', '[+1]', '1:2: expected a value, found "+1"'],
    ['an open end', '{"a": [1', '1:9: expected "," or "]", found the end of the file'],
    ['an open string', '["abc', '1:6: expected the closing quote of a string, found the end of the file'],
    [
      'a line break in a string',
      '["a\nb"]',
      '1:4: expected the closing quote of a string, found the end of the line',
    ],
    ['a wrong escape', '["\\x41"]', '1:3: a backslash that begins no escape of JSON'],
    ['something behind the end', '{} {}', '1:4: expected the end of the file, found "{"'],
    ['an empty file', '', '1:1: expected a value, found the end of the file'],
    [
      'a byte order mark',
      '\ufeff{}',
      '1:1: begins with a byte order mark, which JSON does not have; save the file without it',
    ],
  ]
  for (const [what, text, problem] of refused)
    it(`E2 refuses ${what} and says where`, async () => {
      expect(await refusal(() => parseJson('m.json', text))).to.deep.equal([
        `m.json:${problem} (json-invalid)`,
      ])
    })

  it('E2 names every key that stands twice in one object', async () => {
    const text = '{\n  "a": 1,\n  "b": {"c": 1, "c": 2},\n  "a": 3\n}'
    expect(await refusal(() => parseJson('m.json', text))).to.deep.equal([
      'm.json:3:17: "c" stands twice in one object, first in line 3 (duplicate-key)',
      'm.json:4:3: "a" stands twice in one object, first in line 2 (duplicate-key)',
    ])
  })

  it('G24 bounds how deep objects and lists are nested', async () => {
    expect(parseJson('m.json', `${'['.repeat(100)}${']'.repeat(100)}`).value).to.be.an('array')
    expect(await refusal(() => parseJson('m.json', '['.repeat(100_000)))).to.deep.equal([
      'm.json:1:102: more than 100 objects and lists stand inside one another (document-too-complex)',
    ])
  })

  it('G24 takes __proto__ as a plain key', () => {
    const { value } = parseJson('m.json', '{"__proto__": {"polluted": true}}')
    expect(Object.keys(value as object)).to.deep.equal(['__proto__'])
    expect(value).to.not.have.property('polluted')
  })

  it('tells where each value and its key stand', () => {
    const document = parseJson('m.json', '{\n  "services": [\n    {"name": "web", "a/b~c": 1}\n  ]\n}')
    expect(document.position('/services/0')).to.deep.equal({ file: 'm.json', line: 3, column: 5 })
    expect(document.position('/services/0/name')).to.deep.equal({ file: 'm.json', line: 3, column: 14 })
    expect(document.keyPosition('/services/0/name')).to.deep.equal({ file: 'm.json', line: 3, column: 6 })
    expect(document.keyPosition('/services/0/a~1b~0c')).to.deep.equal({ file: 'm.json', line: 3, column: 21 })
  })

  it('tells the place of the nearest parent where nothing stands', () => {
    const document = parseJson('m.json', '{"services":\n [{"name": "web"}]}')
    expect(document.position('/services/0/version')).to.deep.equal({ file: 'm.json', line: 2, column: 3 })
    expect(document.position('/services/7/name')).to.deep.equal({ file: 'm.json', line: 2, column: 2 })
    expect(document.position('/nothing')).to.deep.equal({ file: 'm.json', line: 1, column: 1 })
  })

  it('E2 reads what a standard parser reads, as the same value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), text => {
        expect(parseJson('m.json', text).value).to.deep.equal(JSON.parse(text))
      }),
    )
  })

  it('E2 refuses what a standard parser refuses, at a place inside the text', () => {
    const damaged = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.nat(2),
        fc.constantFrom('', ',', '"', '{', ']', ' ', '\\', '0', '\n', ':', 'e'),
      )
      .map(
        ([text, at, removed, added]) =>
          text.slice(0, at % text.length) + added + text.slice((at % text.length) + removed),
      )
    fc.assert(
      fc.property(damaged, text => {
        fc.pre(!hasDuplicates(text))
        expect(outcomeOf(text)).to.equal(isJson(text) ? 'read' : 'refused inside the text')
      }),
    )
  })
})

function outcomeOf(text: string): string {
  try {
    parseJson('m.json', text)
    return 'read'
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { line = 0, column = 0 } = error.problems[0]?.position ?? {}
    const there = text.split('\n')[line - 1]
    return there !== undefined && column >= 1 && column <= there.length + 1
      ? 'refused inside the text'
      : 'refused'
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The one thing in which we are stricter. */
function hasDuplicates(text: string): boolean {
  try {
    parseJson('m.json', text)
    return false
  } catch (error) {
    return error instanceof InvalidInput && error.problems.some(({ code }) => code === 'duplicate-key')
  }
}
