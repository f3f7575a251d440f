import { expect } from 'chai'
import { platformsIn } from '../../../../lib/registry/api/platforms.ts'

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`

describe('platformsIn', () => {
  it('G9 lists the platforms of an index and leaves its attestations out', () => {
    const index = JSON.stringify({
      schemaVersion: 2,
      manifests: [
        { digest: digestOf('a'), platform: { os: 'linux', architecture: 'amd64' } },
        { digest: digestOf('b'), platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
        { digest: digestOf('c'), platform: { os: 'unknown', architecture: 'unknown' } },
        { digest: digestOf('d') },
      ],
    })
    expect(platformsIn(index)).to.deep.equal([
      { digest: digestOf('a'), platform: 'linux/amd64' },
      { digest: digestOf('b'), platform: 'linux/arm64' },
      { digest: digestOf('d') },
    ])
  })

  for (const digest of [
    'sha256:x y',
    'sha256:aa',
    'sha256:../../../containers/json',
    `${digestOf('a')}?force=1`,
    `${digestOf('a')}\n`,
    digestOf('A'),
    '',
  ])
    it(`G24 leaves an entry out whose digest is ${JSON.stringify(digest)}`, () => {
      const platform = { os: 'linux', architecture: 'amd64' }
      expect(platformsIn(JSON.stringify({ manifests: [{ digest, platform }] }))).to.deep.equal([])
    })

  for (const text of ['', '[]', 'null', '{}', '{"manifests": {}}', '{"manifests": [null, {"digest": 1}]}'])
    it(`G24 finds none in ${text === '' ? 'an empty answer' : text}`, () => {
      expect(platformsIn(text)).to.deep.equal([])
    })
})
