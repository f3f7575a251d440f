import { expect } from 'chai'
import {
  type Claim,
  claimText,
  hostPort,
  meet,
  nameOn,
  rivalsAmong,
} from '../../../../lib/state/application/claim.ts'

/** `127.0.0.1:53/udp` */
function port(text: string): Claim {
  const [, hostIp, published, protocol = 'tcp'] = /^(?:(.+):)?(\d+)(?:\/(\w+))?$/.exec(text) ?? []
  const claim = hostPort({
    published: Number(published),
    protocol: protocol === 'udp' ? 'udp' : protocol === 'sctp' ? 'sctp' : 'tcp',
    ...(hostIp === undefined ? {} : { hostIp: hostIp.replaceAll(/[[\]]/g, '') }),
  })
  if (claim === undefined) throw new Error(text)
  return claim
}

describe('a claim', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['80', '80', true],
    ['80', '81', false],
    ['80', '80/udp', false],
    ['80/udp', '80/sctp', false],
    ['19100', '127.0.0.1:19100', true],
    ['19100', '[::1]:19100', true],
    ['0.0.0.0:80', '127.0.0.1:80', true],
    ['0.0.0.0:80', '[::1]:80', false],
    ['0.0.0.0:80', '[::]:80', false],
    ['[::]:80', '[fe80::1]:80', true],
    ['127.0.0.1:80', '127.0.0.2:80', false],
    ['[::1]:80', '[0:0:0:0:0:0:0:1]:80', true],
    ['[FE80::1]:80', '[fe80::1]:80', true],
    ['[::ffff:127.0.0.1]:80', '127.0.0.1:80', true],
    ['[::ffff:127.0.0.1]:80', '[::]:80', false],
  ]
  for (const [one, other, expected] of cases)
    it(`D19 on ${one} ${expected ? 'meets' : 'leaves room for'} one on ${other}`, () => {
      expect([meet(port(one), port(other)), meet(port(other), port(one))]).to.deep.equal([expected, expected])
    })

  it('D19 is none where the engine chooses the port', () => {
    expect(hostPort({ protocol: 'tcp' })).to.equal(undefined)
  })

  it('D19 on a name knows no upper and lower case, and is of one network', () => {
    expect(meet(nameOn('prod', 'Web'), nameOn('prod', 'web'))).to.equal(true)
    expect(meet(nameOn('prod', 'web'), nameOn('prod.shop', 'web'))).to.equal(false)
  })

  it('P31 D19 on everything below a path meets what lies there, and nothing that only begins like it', () => {
    const files: Claim = { of: 'requests', text: 'shop.example/static', isSubtree: true }
    const others = ['/static', '/static/admin', '/static/a/b', '/statics', '/', '/a/static/b'].map(
      (path): Claim => ({ of: 'requests', text: `shop.example${path}` }),
    )
    expect(others.map(other => [meet(files, other), meet(other, files)])).to.deep.equal(
      [true, true, true, false, false, false].map(is => [is, is]),
    )
    const all = [...others, files, { of: 'requests', text: 'other.example/static/a' } as const].map(
      claim => ({ claim }),
    )
    const rivalsOf = rivalsAmong(all)
    for (const one of all)
      expect(
        [...rivalsOf(one)].filter(({ claim }) => meet(claim, one.claim)).toSorted(),
        claimText(one.claim),
      ).to.have.members(all.filter(({ claim }) => meet(claim, one.claim)))
  })

  it('G24 is compared with what it may exclude, and not with every other one', () => {
    const count = 3_000
    const paths = Array.from({ length: count }, (_, index) => `/static/${index}`)
    const claims: readonly Claim[] = [
      ...paths.map(path => ({ of: 'requests', text: `a.example${path}` }) as const),
      { of: 'requests', text: 'a.example/static', isSubtree: true },
    ]
    const all = claims.map(claim => ({ claim }))
    const rivalsOf = rivalsAmong(all)
    const compared = all.reduce((sum, one) => sum + [...rivalsOf(one)].length, 0)
    // Each with itself and with the subtree, and the subtree with each and with itself.
    expect(compared).to.equal(count * 2 + count + 1)
  })

  it('is told as it is written', () => {
    expect(['80', '127.0.0.1:53/udp', '[0::1]:80'].map(text => claimText(port(text)))).to.deep.equal([
      'host port 80',
      'host port 127.0.0.1:53/udp',
      'host port [::1]:80',
    ])
  })
})
