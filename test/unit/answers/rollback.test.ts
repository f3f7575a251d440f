import { expect } from 'chai'
import { resume } from '../../../lib/answers/resume.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { suspend } from '../../../lib/answers/suspend.ts'
import { ann, keepVersions, memoryAudience, memorySubject, saidMs } from '../../support/memory-audience.ts'
import { refused } from '../../support/refused.ts'

const bob = { ...ann, who: 'bob' }
const web = { application: 'web' }

/** Somebody to speak to, with the versions 1 to 3 of `web`. */
function audienceOfThree() {
  const subject = memorySubject()
  const audience = memoryAudience(subject)
  keepVersions(audience, '1', '2', '3')
  return { audience, subject }
}

describe('a version that somebody goes back to', () => {
  it('A6 A12 is the one before the present, unless another is named', async () => {
    const { audience, subject } = audienceOfThree()
    expect(await rollback(audience, ann, { ...web, reason: 'it leaks' })).to.deep.equal({
      environment: 'prod',
      application: 'web',
      version: '2',
      commit: '2'.repeat(40),
    })
    expect(subject.asked).to.deep.equal(['request'])
    expect(audience.journal.heldVersions('prod')).to.deep.equal([
      {
        ...{ environment: 'prod', application: 'web', version: '2', commit: '2'.repeat(40) },
        ...{ reason: 'it leaks', who: 'ann', atMs: saidMs },
      },
    ])
  })

  it('A6 A12 is one further back if it is said again, and takes the place of what was held', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, { ...web, reason: 'it leaks' })
    expect(await rollback(audience, bob, web)).to.deep.include({
      version: '1',
      replaced: { version: '2', reason: 'it leaks', who: 'ann' },
    })
    expect(await refused(rollback(audience, ann, web))).to.equal(
      'version-missing: web: there is no version before the present one; these versions are kept: 3, 2, 1',
    )
    expect(audience.journal.heldVersions('prod').map(({ version }) => version)).to.deep.equal(['1'])
  })

  it('A12 may be named by its commit, or by a pass over it', async () => {
    const { audience } = audienceOfThree()
    const { journal } = audience
    const pass = journal.beginPass({ environment: 'prod', site: 'local', trigger: 'poll', atMs: 0 })
    const commit = '2'.repeat(40)
    journal.setRevision(pass, { ref: 'main', commit, author: '', subject: '', time: '' })
    expect(await rollback(audience, ann, { ...web, to: '1111111' })).to.include({ version: '1' })
    journal.keepRelease({
      ...{ environment: 'prod', application: 'web', version: '4', commit: '4'.repeat(40) },
      ...{ mark: '', images: [], atMs: 0 },
    })
    expect(await rollback(audience, ann, { ...web, to: '1' })).to.include({ version: '1' })
    expect(pass).to.equal(1)
  })

  it('A6 A10 has to be kept, of an application that is known', async () => {
    const { audience } = audienceOfThree()
    expect(await refused(rollback(audience, ann, { ...web, to: '../1' }))).to.equal(
      'version-missing: web: there is no version ../1; these versions are kept: 3, 2, 1',
    )
    expect(await refused(rollback(audience, ann, { application: 'wep' }))).to.match(/^wrong-usage: .*wep/)
    expect(audience.journal.heldVersions('prod')).to.deep.equal([])
    expect(audience.journal.answers({ limit: 10 })).to.deep.equal([])
  })

  it('A12 G14 is left again by resume, which ends a suspension of the application with it', async () => {
    const { audience } = audienceOfThree()
    const { journal } = audience
    await rollback(audience, ann, web)
    await suspend(audience, ann, { ...web, reason: 'moving' })
    expect(await resume(audience, ann, {})).to.deep.equal({ resumed: false })
    expect(journal.heldVersions('prod')).to.have.length(1)
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: true, heldAt: '2' })
    expect([journal.heldVersions('prod'), journal.suspensions('prod', saidMs)]).to.deep.equal([[], []])
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: false })
    await rollback(audience, ann, web)
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: true, heldAt: '2' })
  })
})
