import { expect } from 'chai'
import { printable, printableJson } from '../../../lib/text/printable.ts'

const acting: Readonly<Record<string, readonly [raw: string, shown: string]>> = {
  'an escape sequence': ['\u001b[2K', '\\u001b[2K'],
  'one of a single C1 control': ['\u009b2J', '\\u009b2J'],
  'a carriage return': ['\r', '\\r'],
  'a line break': ['\n', '\\n'],
  'a tab': ['\t', '\\t'],
  'a delete': ['\u007f', '\\u007f'],
  'a NUL': ['\u0000', '\\u0000'],
  'an override of direction': ['\u202e', '\\u202e'],
  'an isolate of direction': ['\u2066', '\\u2066'],
  'a mark of direction': ['\u061c', '\\u061c'],
  'a separator of lines': ['\u2028', '\\u2028'],
  'a blank without width': ['\u200b', '\\u200b'],
  'a joiner without an emoji': ['a\u200db', 'a\\u200db'],
  'a selector of a variant without an emoji': ['a\ufe0f', 'a\\ufe0f'],
  'a soft hyphen': ['\u00ad', '\\u00ad'],
  'a byte order mark': ['\ufeff', '\\ufeff'],
  'a filler': ['\u3164', '\\u3164'],
  'an invisible tag': ['\u{e0041}', '\\udb40\\udc41'],
  'half a character': ['\ud800', '\\ud800'],
}

describe('a text that is printed', () => {
  for (const [what, [raw, shown]] of Object.entries(acting))
    it(`G24 shows ${what} and does nothing`, () => {
      expect(printable(`web${raw}.1`)).to.equal(`web${shown}.1`)
      expect(printable(printable(raw))).to.equal(shown)
    })

  it('G24 counts blanks that could push what follows to the next line of a terminal', () => {
    const forged = `a${' '.repeat(70)}+ web.2  harmless`
    expect(printable(forged)).to.equal('a (70 blanks) + web.2  harmless')
    expect(printable(`a${'\u00a0\u2003'.repeat(10)}b`)).to.equal('a (20 blanks) b')
    expect(printable(`${' '.repeat(30)}a${' '.repeat(19)}b${' '.repeat(30)}`)).to.match(/^ {30}a {19}b {30}$/)
  })

  it('G24 counts blanks that our own lines never have, at the beginning and the end as well', () => {
    for (const blank of ['\u2800', '\u00a0', '\u3000', '\u2800 ']) {
      const many = blank.repeat(600)
      expect(printable(`/a${many}`)).to.equal(`/a (${many.length} blanks) `)
      expect(printable(`${many}/a`)).to.equal(` (${many.length} blanks) /a`)
    }
  })

  it('G24 leaves alone what can be read', () => {
    const text = 'Zoë déploie 网站 "a\\b" → 👩‍💻 ❤️ 🇨🇭 e\u0301'
    expect(printable(text)).to.equal(text)
  })
})

describe('JSON that is printed', () => {
  for (const [what, [raw]] of Object.entries(acting))
    it(`G24 holds ${what} as an escape, and means it`, () => {
      const value = { [`a${raw}`]: [raw, { b: `${raw}${raw}` }] }
      const shown = printableJson(value, 2)
      expect(shown.split('\n').map(printable).join('\n')).to.equal(shown)
      expect(JSON.parse(shown)).to.deep.equal(value)
      expect(printableJson(value)).to.equal(printable(printableJson(value)))
    })
})
