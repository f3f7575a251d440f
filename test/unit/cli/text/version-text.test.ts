import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { versionLines } from '../../../../lib/cli/text/version-text.ts'

const none = { environment: 'prod', application: 'web', versions: [], others: [] }

describe('the versions of an application in words', () => {
  it('A6 G13 says that none is kept yet', () => {
    expect(printed(versionLines(none), false)).to.equal('web in prod\n  no version of it is kept yet\n')
  })

  it('A6 G13 says why none is kept of a directory, and what runs', () => {
    const others = [{ version: '1', sites: ['local'] }]
    expect(printed(versionLines({ ...none, isOfDirectory: true, others }), false)).to.equal(
      `web in prod
  version  commit  wanted since            runs on
  1                              not kept  local
  no version of it is kept: its manifests are in a directory, whose files cannot be read again as they were
`,
    )
  })

  it('A6 G13 says of what runs and is not kept that it is wanted', () => {
    const list = { ...none, wanted: '1', others: [{ version: '1', sites: ['local'] }] }
    expect(printed(versionLines(list), false)).to.match(/ {2}wanted, not kept {2}local\n/)
  })

  it('A6 G13 says where something of a version runs that has only failed', () => {
    const version = { version: '3', commit: 'c'.repeat(40), since: '1970-01-01T00:00:03.000Z' }
    const versions = [{ ...version, sites: ['east'], hasOnlyFailed: true as const }]
    expect(printed(versionLines({ ...none, versions, wanted: '3' }), false)).to.match(
      / {2}wanted, failed {2}east \(not as it is kept\)\n$/,
    )
  })

  it('A6 G13 says of which a deployment failed, and from which somebody went back', () => {
    const version = { commit: 'c'.repeat(40), since: '1970-01-01T00:00:03.000Z', sites: [] }
    const versions = [
      { ...version, version: '3', isLeft: true as const },
      { ...version, version: '2', ended: 'failed on lab', hasOnlyFailed: true as const },
    ]
    expect(printed(versionLines({ ...none, versions, wanted: '3' }), false)).to.equal(`web in prod
  version  commit        wanted since                                 runs on
  3        cccccccccccc  1970-01-01 00:00:03  wanted, gone back from
  2        cccccccccccc  1970-01-01 00:00:03  failed on lab
`)
  })
})
