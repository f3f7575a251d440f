import { expect } from 'chai'
import { isMadeAsLabelled, withoutInherited, withoutReserved } from '../../../lib/state/copied-labels.ts'

const one = `sha256:${'1'.repeat(64)}`
const other = `sha256:${'2'.repeat(64)}`
const ours = {
  'tallyman.environment': 'prod',
  'tallyman.source': 'ops/manifests',
  'tallyman.fingerprint': 'v1:0123abcd',
  'tallyman.digest': one,
  team: 'shop',
}

describe('labels that a container has from its image', () => {
  it('G10 D9 are those of a copy that docker commit made, whatever it is started with besides', () => {
    expect(withoutInherited(ours, ours)).to.deep.equal({ team: 'shop' })
    const more = { ...ours, 'tallyman.instance': '7', stage: 'debug' }
    expect(withoutInherited(more, ours)).to.deep.equal({
      'tallyman.instance': '7',
      team: 'shop',
      stage: 'debug',
    })
    const blanked = { ...ours, 'tallyman.digest': '' }
    expect(withoutInherited(blanked, ours)).to.deep.equal({ 'tallyman.digest': '', team: 'shop' })
  })

  it('G10 are those of an image that claims to be of an environment, with or without a digest', () => {
    const { 'tallyman.digest': _, 'tallyman.fingerprint': __, ...claims } = ours
    expect(withoutInherited(claims, claims)).to.deep.equal({ team: 'shop' })
    const spelled = { ...claims, 'Tallyman.Ingress': 'prod' }
    expect(withoutInherited(spelled, spelled)).to.deep.equal({ team: 'shop' })
  })

  it('G10 are none where it was created with another digest, as from an image that is itself a copy', () => {
    const made = { ...ours, 'tallyman.digest': other }
    expect(withoutInherited(made, ours)).to.equal(made)
  })

  it('E26 are none where its image has none, whatever image it was recreated from', () => {
    expect(withoutInherited(ours, null)).to.equal(ours)
    expect(withoutInherited(ours, { team: 'shop' })).to.equal(ours)
  })

  it('G10 E26 are told by the id where the image has no digest', () => {
    const local = { ...ours, 'tallyman.digest': '', 'tallyman.image-id': one }
    expect(withoutInherited(local, local)).to.deep.equal({ team: 'shop' })
    const made = { ...local, 'tallyman.image-id': other }
    expect(withoutInherited(made, local)).to.equal(made)
  })

  it('G10 E26 are told by the fingerprint, which contains the id, where an older version wrote no id', () => {
    const older = { ...ours, 'tallyman.digest': '' }
    expect(withoutInherited(older, older)).to.deep.equal({ team: 'shop' })
    const made = { ...older, 'tallyman.fingerprint': 'v1:4567cdef' }
    expect(withoutInherited(made, older)).to.equal(made)
  })

  it('G10 cannot be any where it shows that it was made of the image that they name', () => {
    expect(isMadeAsLabelled(ours, { name: `registry.example.com/web@${one}` })).to.equal(true)
    expect(isMadeAsLabelled(ours, { name: 'registry.example.com/web:1', id: one })).to.equal(false)
    expect(isMadeAsLabelled(ours, { name: `registry.example.com/web@${other}` })).to.equal(false)
    const local = { ...ours, 'tallyman.digest': '', 'tallyman.image-id': one }
    expect(isMadeAsLabelled(local, { name: 'web:1', id: one })).to.equal(true)
    expect(isMadeAsLabelled(local, { name: 'dbg:2', id: other })).to.equal(false)
    expect(isMadeAsLabelled({}, { name: 'web:1' })).to.equal(false)
  })

  it('G10 are all of ours where nothing is known of its image', () => {
    expect(withoutReserved(ours)).to.deep.equal({ team: 'shop' })
    expect(withoutReserved(null)).to.deep.equal({})
  })
})
