import { expect } from 'chai'
import { platformsIn } from '../../../../lib/registry/api/platforms.ts'

describe('platformsIn', () => {
  it('G9 lists the platforms of an index and leaves its attestations out', () => {
    const index = JSON.stringify({
      schemaVersion: 2,
      manifests: [
        { digest: 'sha256:aa', platform: { os: 'linux', architecture: 'amd64' } },
        { digest: 'sha256:bb', platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
        { digest: 'sha256:cc', platform: { os: 'unknown', architecture: 'unknown' } },
        { digest: 'sha256:dd' },
      ],
    })
    expect(platformsIn(index)).to.deep.equal([
      { digest: 'sha256:aa', platform: 'linux/amd64' },
      { digest: 'sha256:bb', platform: 'linux/arm64' },
      { digest: 'sha256:dd' },
    ])
  })

  for (const text of ['', '[]', 'null', '{}', '{"manifests": {}}', '{"manifests": [null, {"digest": 1}]}'])
    it(`G24 finds none in ${text === '' ? 'an empty answer' : text}`, () => {
      expect(platformsIn(text)).to.deep.equal([])
    })
})
