import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import {
  familiarReference,
  formatReference,
  hasHost,
  parseReference,
  pinnedReference,
  readReference,
} from '../../../../lib/state/image/reference.ts'

const digest = `sha256:${'a'.repeat(64)}`

describe('image references', () => {
  const normalised = [
    ['web', 'docker.io/library/web'],
    ['web:1.2', 'docker.io/library/web:1.2'],
    ['team/web:1.2', 'docker.io/team/web:1.2'],
    ['docker.io/web:1', 'docker.io/library/web:1'],
    ['index.docker.io/team/web', 'docker.io/team/web'],
    ['localhost/web:1', 'localhost/web:1'],
    ['localhost:5000/web', 'localhost:5000/web'],
    ['localhost:65535/web', 'localhost:65535/web'],
    ['127.0.0.1:5000/team/web:1', '127.0.0.1:5000/team/web:1'],
    ['[::1]:5000/web:1', '[::1]:5000/web:1'],
    ['registry.example.com/a/b/c:v1.0_x-y', 'registry.example.com/a/b/c:v1.0_x-y'],
    [
      'avassa-public/movie-theaters-demo/ticket-blipper:v1.0',
      'docker.io/avassa-public/movie-theaters-demo/ticket-blipper:v1.0',
    ],
    [`web@${digest}`, `docker.io/library/web@${digest}`],
    [`web:1@${digest}`, `docker.io/library/web:1@${digest}`],
    ['a__b/c---d.e', 'docker.io/a__b/c---d.e'],
  ] as const
  for (const [text, spelling] of normalised)
    it(`E26 reads ${text} as ${spelling}`, () => {
      expect(formatReference(parseReference(text))).to.equal(spelling)
    })

  const refused = [
    ['', 'has a name'],
    ['Web:1', 'has a name'],
    ['web:', 'has a tag'],
    ['web:-1', 'has a tag'],
    [`web:${'1'.repeat(129)}`, 'has a tag'],
    ['web@sha256:12', 'has a digest'],
    [`web@${digest}@${digest}`, 'has more than one "@"'],
    ['web 1', 'has a name'],
    ['../web', 'has a registry'],
    ['-host.example/web', 'has a registry'],
    ['r.example:0/web', 'has a registry whose port is not between 1 and 65535'],
    ['r.example:65536/web', 'has a registry whose port is not between 1 and 65535'],
    ['https://registry.example.com/web:1', 'has a registry'],
    [`registry.example.com/${'a'.repeat(250)}`, 'is longer than 255 characters'],
    ['a'.repeat(64), 'looks like an image id'],
  ] as const
  for (const [text, reason] of refused)
    it(`G24 refuses "${text.slice(0, 40)}" because it ${reason}`, () => {
      const reference = readReference(text)
      expect(reference.ok ? 'accepted' : reference.reason).to.include(reason)
    })

  it('fails with image-invalid and names the text', () => {
    expect(() => parseReference('Web')).to.throw(Failure, 'image reference "Web" has a name')
  })

  it('spells a reference as the engine shows it', () => {
    const texts = ['docker.io/library/web:1', 'team/web:1', 'localhost:5000/web:1']
    expect(texts.map(text => familiarReference(parseReference(text)))).to.deep.equal([
      'web:1',
      'team/web:1',
      'localhost:5000/web:1',
    ])
  })

  it('E26 pins a reference to a digest: the tag is left out, a port stays', () => {
    expect(pinnedReference('127.0.0.1:5000/team/web:1.4.0', digest)).to.equal(
      `127.0.0.1:5000/team/web@${digest}`,
    )
  })

  it('E24 tells names with a registry from names without', () => {
    expect(['web', 'team/web', 'localhost/web', 'r.example/web', 'r:5000/web'].map(hasHost)).to.deep.equal([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
