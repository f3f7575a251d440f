import { expect } from 'chai'
import { Secret, type Text } from '../../../../lib/state/secret/secret.ts'
import { changed, joined, lengthOf, reveal } from '../../../../lib/state/secret/text.ts'

const secrets = { compose: (text: string) => new Secret(text, 'composed') }
const password = new Secret('p@ss', 'mark')

/** A text as whoever writes it down has it, and as the engine does. */
const told = (text: Text) => [`${text}`, reveal(text)]

describe('a text made of others', () => {
  it('G16 is as secret as any of its parts, in whatever place that stands', () => {
    expect(told(joined(['user:', password], secrets))).to.deep.equal(['(secret)', 'user:p@ss'])
    expect(told(joined([password, '@host'], secrets))).to.deep.equal(['(secret)', 'p@ss@host'])
    expect(told(joined(['user', '@host'], secrets))).to.deep.equal(['user@host', 'user@host'])
  })

  it('G16 is as secret as what it was before it was changed', () => {
    expect(told(changed(password, encodeURIComponent, secrets))).to.deep.equal(['(secret)', 'p%40ss'])
    expect(told(changed('p@ss', encodeURIComponent, secrets))).to.deep.equal(['p%40ss', 'p%40ss'])
  })

  it('G16 has its own mark once it is another text than the secret it was made of', () => {
    const made = [changed(password, encodeURIComponent, secrets), joined([password], secrets)]
    expect(made.map(text => text instanceof Secret && text.mark)).to.deep.equal(['composed', 'composed'])
  })

  it('E14 stays unknown if nobody gave what it is made of, with a mark that says of what', () => {
    const unknown = (name: string) => new Secret(undefined, name)
    const made = [
      joined(['user:', unknown('a'), '@one'], secrets),
      joined(['user:', unknown('a'), '@two'], secrets),
      joined(['user:', unknown('b'), '@one'], secrets),
      changed(unknown('a'), encodeURIComponent, secrets),
      changed(unknown('b'), encodeURIComponent, secrets),
    ]
    expect(made.map(text => text instanceof Secret && text.isKnown)).to.deep.equal(made.map(() => false))
    expect(new Set(made.map(text => JSON.stringify(text))).size).to.equal(5)
  })

  it('tells of a secret how long it is', () => {
    expect([lengthOf(password), lengthOf('host')]).to.deep.equal([4, 4])
  })
})
