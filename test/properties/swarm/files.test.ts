import { expect } from 'chai'
import fc from 'fast-check'
import { filesOf } from '../../../lib/swarm/service/files.ts'
import { identity } from '../../support/builders/builders.ts'

const letter = fc.constantFrom('a', 'Z', '0')
const characters = fc.constantFrom('a', '0', '-', '_')
const inside = fc.oneof(
  fc.array(characters, { maxLength: 45 }),
  fc.array(characters, { minLength: 45, maxLength: 60, size: 'max' }),
)
const environment = fc
  .tuple(letter, inside, letter)
  .map(([first, rest, last]) => first + rest.join('') + last)

function nameIn(environment: string): string {
  const files = [{ path: '/etc/a.conf', content: 'a', mode: 0o644 }]
  return filesOf(identity(environment), { files })[0]?.name ?? ''
}

describe('a file of a Swarm', () => {
  it('G15 has a name that every Swarm takes, however long that of its environment is', () => {
    fc.assert(
      fc.property(environment, name => {
        expect(nameIn(name)).to.match(/^[a-zA-Z0-9](?:[a-zA-Z0-9_.-]{0,62}[a-zA-Z0-9])?$/)
      }),
    )
    const long = 'eu1-production-of-the-northern-region-for-customers'
    expect(nameIn(long)).to.match(/^eu1-production-of-the-northern-region--[0-9a-f]{8}-[0-9a-f]{16}$/)
    expect(nameIn('prod')).to.match(/^prod-[0-9a-f]{16}$/)
  })

  it('G15 D17 has another name in each environment, also where the names of these begin or end alike', () => {
    fc.assert(
      fc.property(environment, letter, letter, (name, one, other) => {
        fc.pre(one !== other)
        expect(nameIn(one + name)).not.to.equal(nameIn(other + name))
        expect(nameIn(name + one)).not.to.equal(nameIn(name + other))
      }),
    )
  })
})
