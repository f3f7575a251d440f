import { format, inspect } from 'node:util'
import { expect } from 'chai'
import { Failure, formatProblem, InvalidInput } from '../../../lib/errors.ts'
import { canonical, hashOf } from '../../../lib/state/canonical.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'

const canary = 'canary-7f3a'
const secret = new Secret(canary, '0123456789abcdef')
const container = { env: { PASSWORD: secret, USER: 'shop' }, files: [{ path: '/key', content: secret }] }

describe('a secret', () => {
  const shown: Readonly<Record<string, () => string>> = {
    'as JSON': () => JSON.stringify(container),
    'as indented JSON': () => JSON.stringify(container, null, 2),
    'in a template': () => `${secret}`,
    'joined to a text': () => ['password', secret].join(' '),
    'as a string': () => String(secret),
    'as a property key': () => Object.keys({ [String(secret)]: 1 }).join(),
    'inspected as deep as can be': () => inspect(container, { depth: null, showHidden: true, getters: true }),
    formatted: () => format('%s %o %O %j', secret, secret, secret, secret),
    copied: () => JSON.stringify({ ...secret }) + JSON.stringify(Object.entries(secret)),
    cloned: () => inspect(structuredClone(secret)),
    'in an error': () => inspect(new Failure('internal', `cannot use ${secret}`, { cause: secret })),
    'in a problem': () => formatProblem({ code: 'internal', message: `needs ${secret}` }),
    'in all problems of a file': () =>
      inspect(new InvalidInput([{ code: 'internal', message: `needs ${secret}` }]), { depth: null }),
    'in its canonical spelling': () => canonical(container),
    hashed: () => hashOf(container),
  }
  for (const [how, text] of Object.entries(shown))
    it(`G16 does not show ${how}`, () => expect(text()).to.not.contain(canary))

  it('G16 is (secret) in a text', () => expect(`${secret}`).to.equal('(secret)'))

  it('G16 is its mark in the canonical spelling, so that another one is a difference', () => {
    expect(canonical({ PASSWORD: secret })).to.equal('{"PASSWORD":{"mark":"0123456789abcdef"}}')
    expect(hashOf(new Secret('other', '0123456789abcdef'))).to.equal(hashOf(secret))
    expect(hashOf(new Secret(canary, 'fedcba9876543210'))).to.not.equal(hashOf(secret))
  })

  it('G16 is given away when it is asked for', () => expect(secret.reveal()).to.equal(canary))
})
