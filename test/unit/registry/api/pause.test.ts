import { expect } from 'chai'
import { createPauses, RateLimited } from '../../../../lib/registry/api/pause.ts'

describe('createPauses', () => {
  it('G21 leaves a registry alone for as long as it asked, and no other', () => {
    let nowMs = 1_000
    const pauses = createPauses(() => nowMs)
    pauses.begin('docker.io', new RateLimited('docker.io: too many requests', 60_000))
    expect(pauses.current('registry.example.com')).to.equal(undefined)
    nowMs = 20_500
    expect(pauses.current('docker.io')?.message).to.equal(
      'docker.io: too many requests; tallyman asks again in 41 s',
    )
    nowMs = 61_000
    expect(pauses.current('docker.io')).to.equal(undefined)
  })
})
