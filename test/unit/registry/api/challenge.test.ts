import { expect } from 'chai'
import { parseChallenge } from '../../../../lib/registry/api/challenge.ts'

describe('parseChallenge', () => {
  it('E24 reads where to get a token, for which service and scope', () => {
    const header =
      'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/web:pull,push"'
    expect(parseChallenge(header)).to.deep.equal({
      scheme: 'bearer',
      realm: 'https://auth.docker.io/token',
      service: 'registry.docker.io',
      scope: 'repository:library/web:pull,push',
    })
  })

  it('E24 takes bare values, any case and blanks', () => {
    expect(parseChallenge('bearer Realm=https://a.example/t , Service = s')).to.deep.equal({
      scheme: 'bearer',
      realm: 'https://a.example/t',
      service: 's',
    })
  })

  it('E24 reads a basic challenge', () => {
    expect(parseChallenge('Basic realm="registry"')).to.deep.equal({ scheme: 'basic' })
  })

  it('E24 prefers the token when both are offered', () => {
    expect(parseChallenge('Basic realm="registry", Bearer realm="https://a.example/t"')).to.deep.equal({
      scheme: 'bearer',
      realm: 'https://a.example/t',
    })
  })

  it('E24 falls back to basic when the token has no place to come from', () => {
    expect(parseChallenge('Bearer service="s", Basic realm="registry"')).to.deep.equal({ scheme: 'basic' })
  })

  for (const header of ['', 'Negotiate', 'realm="Basic"', 'Digest realm="Bearer"']) {
    it(`E24 finds nothing to answer in "${header}"`, () => {
      expect(parseChallenge(header)).to.equal(undefined)
    })
  }
})
