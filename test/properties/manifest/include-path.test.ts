import { expect } from 'chai'
import fc from 'fast-check'
import { resolveInclude } from '../../../lib/manifest/include-path.ts'

describe('what an include means', () => {
  const from = 'environments/prod/shop/manifest.json'

  const resolved: readonly (readonly [string, string])[] = [
    ['./other.json', 'environments/prod/shop/other.json'],
    ['other.json', 'environments/prod/shop/other.json'],
    ['../base.json', 'environments/prod/base.json'],
    ['../../../teams/a b.json', 'teams/a b.json'],
    ['./a/../b//c.json', 'environments/prod/shop/b/c.json'],
  ]
  for (const [include, path] of resolved)
    it(`E12 takes ${include} relative to the file that includes it`, () => {
      expect(resolveInclude(from, include)).to.deep.equal({ ok: true, value: path })
    })

  const refused: readonly (readonly [string, string])[] = [
    ['/etc/passwd', 'is absolute; write it relative to the file that includes it'],
    ['../../../../other.json', 'leads out of the repository'],
    ['../../../../repository/environments/x.json', 'leads out of the repository'],
    ['../../../..', 'leads out of the repository'],
    ['..\\other.json', 'contains a backslash; write "/" between directories'],
    ['other.json\0', 'contains a control character'],
    ['a\nb.json', 'contains a control character'],
    ['https://example.com/other.json', 'is an address; only files of the repository'],
    ['FILE:///etc/passwd', 'is an address; only files of the repository'],
    ['./', 'names a directory; name a file'],
    ['../../../.', 'names a directory; name a file'],
    ['./payments.manifest', 'has another ending than .json'],
    ['../b.json/payments', 'has another ending than .json'],
  ]
  for (const [include, reason] of refused)
    it(`E14 refuses ${JSON.stringify(include)}`, () => {
      expect(resolveInclude(from, include)).to.deep.equal({ ok: false, reason })
    })

  it('G24 never leads out of the repository, whatever is written', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b.json', '...', '~', '%2e%2e', 'C:', '\\', '\0', '/')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), parts => {
        const target = resolveInclude(from, [...parts, 'b.json'].join('/'))
        if (target.ok) expect(target.value).to.match(/^(?!\/)(?!\.\.?(\/|$))(?!.*\/\.\.?(\/|$))[^\0\\]+$/)
      }),
    )
  })
})
