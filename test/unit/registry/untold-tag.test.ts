import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { untoldTag } from '../../../lib/registry/untold-tag.ts'
import { parseReference } from '../../../lib/state/image/reference.ts'
import { digest } from '../../support/builders/builders.ts'

const tag = parseReference('shop.example/team/web:1')
const [manifest, config] = [digest('a'), digest('b')]

/** What an engine lists, by how it keeps images. */
const kept = {
  'built, by layers': { id: config, repoDigests: [] },
  'pulled, by layers': { id: config, repoDigests: [`shop.example/team/web@${manifest}`] },
  'of another repository, by layers': { id: config, repoDigests: [`shop.example/team/api@${manifest}`] },
  'with containerd': { id: manifest, repoDigests: [`shop.example/team/web@${manifest}`] },
}

const become = (code: ConstructorParameters<typeof Failure>[0], image: keyof typeof kept | 'absent') => {
  const local = image === 'absent' ? undefined : { ...kept[image], repoTags: ['shop.example/team/web:1'] }
  const resolution = untoldTag(tag, local, new Failure(code, 'no'))
  return resolution.kind === 'settled' ? resolution.pin.state : `refused: ${resolution.problem.code}`
}

describe('a tag that no registry tells about', () => {
  for (const [image, silent, withheld] of [
    ['absent', 'unknown', 'refused: image-not-found'],
    ['built, by layers', 'unverified', 'unverified'],
    ['pulled, by layers', 'unknown', 'refused: image-not-found'],
    ['of another repository, by layers', 'unverified', 'unverified'],
    ['with containerd', 'unknown', 'unverified'],
  ] as const) {
    it(`E26 D5 of an image that is ${image} is ${silent} while it is silent, and ${withheld} once it has none`, () => {
      expect([become('registry-unreachable', image), become('image-not-found', image)]).to.deep.equal([
        silent,
        withheld,
      ])
    })
  }

  it('E26 runs by its id what a registry denies and containerd has, for it denies what it does not know', () => {
    expect(become('registry-denied', 'with containerd')).to.equal('unverified')
  })

  it('G21 is refused where the password cannot be read: nobody was asked', () => {
    expect(become('registry-credentials-unreadable', 'with containerd')).to.equal(
      'refused: registry-credentials-unreadable',
    )
  })
})
