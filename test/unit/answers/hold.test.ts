import { expect } from 'chai'
import { drain, undrain } from '../../../lib/answers/drain.ts'
import { resume } from '../../../lib/answers/resume.ts'
import { retry } from '../../../lib/answers/retry.ts'
import { suspend } from '../../../lib/answers/suspend.ts'
import { Failure } from '../../../lib/errors.ts'
import { refused } from '../../support/failures/refused.ts'
import { ann, memoryAudience, memorySubject, saidMs } from '../../support/memory/memory-audience.ts'

const bob = { ...ann, who: 'bob' }

describe('a suspension', () => {
  it('G14 holds an environment or one application until it is over, and asks for a pass that heeds it', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await suspend(audience, ann, { reason: 'stocktaking' })).to.deep.equal({ suspended: 'prod' })
    expect(
      await suspend(audience, bob, { application: 'web', reason: 'moving', untilMs: saidMs + 1 }),
    ).to.deep.equal({
      suspended: 'web',
    })
    expect(audience.journal.suspensions('prod', saidMs)).to.deep.equal([
      { environment: 'prod', reason: 'stocktaking', who: 'ann', atMs: saidMs },
      {
        environment: 'prod',
        application: 'web',
        reason: 'moving',
        who: 'bob',
        atMs: saidMs,
        untilMs: saidMs + 1,
      },
    ])
    expect(subject.asked).to.deep.equal(['request', 'request'])
  })

  it('G14 is in force once it was accepted, and replaces none by one that is over, or that lasts for ever', async () => {
    for (const untilMs of [0, saidMs / 1_000, saidMs - 1, saidMs]) {
      const audience = memoryAudience(memorySubject())
      await suspend(audience, ann, { reason: 'moving the database' })
      expect(
        await refused(suspend(audience, bob, { reason: 'three more hours', untilMs, replace: true })),
      ).to.match(/^wrong-usage: the end of the suspension, .+, is over already$/)
      expect(audience.journal.suspensions('prod', saidMs).map(({ who }) => who)).to.deep.equal(['ann'])
    }
  })

  it('G14 has a reason', async () => {
    const audience = memoryAudience(memorySubject())
    for (const given of [{}, { reason: '' }, { reason: ' ' }])
      expect(await refused(suspend(audience, ann, given))).to.equal(
        'wrong-usage: a suspension needs a reason',
      )
    expect(audience.journal.suspensions('prod', saidMs)).to.deep.equal([])
  })

  it('G14 is not replaced in silence', async () => {
    const audience = memoryAudience(memorySubject())
    await suspend(audience, ann, { reason: 'stocktaking', untilMs: saidMs + 1 })
    expect(await refused(suspend(audience, bob, { reason: 'moving' }))).to.equal(
      'already-suspended: prod has been suspended by ann since TIME until TIME: stocktaking',
    )
    expect(audience.journal.answers({ limit: 10 }), 'what was refused was not said').to.have.length(1)
    expect(await suspend(audience, bob, { reason: 'moving', replace: true })).to.deep.equal({
      suspended: 'prod',
      replaced: { reason: 'stocktaking', who: 'ann' },
    })
  })

  it('G14 is ended by a word on the same thing', async () => {
    const audience = memoryAudience(memorySubject())
    await suspend(audience, ann, { application: 'web', reason: 'moving' })
    expect(await resume(audience, bob, {})).to.deep.equal({ resumed: false, byThemselves: ['web'] })
    expect(await resume(audience, bob, { application: 'web' })).to.deep.equal({ resumed: true })
    expect(await resume(audience, bob, {})).to.deep.equal({ resumed: false })
    expect(audience.journal.suspensions('prod', saidMs)).to.deep.equal([])
  })

  it('G14 that is over already is not said to end', async () => {
    const audience = memoryAudience(memorySubject())
    await suspend(audience, ann, { application: 'web', reason: 'moving', untilMs: saidMs + 1 })
    const later = { ...audience, nowMs: () => saidMs + 1 }
    expect(await resume(later, bob, { application: 'web' })).to.deep.equal({ resumed: false })
  })

  it('G14 G25 is ended with a reason for the log, and so is a word to try again', async () => {
    const audience = memoryAudience(memorySubject())
    await suspend(audience, ann, { reason: 'moving' })
    await resume(audience, bob, { message: 'moved' })
    await retry(audience, bob, { message: 'the disk has room' })
    const said = audience.journal.answers({ limit: 10 }).map(({ verb, message }) => [verb, message])
    expect(said).to.have.deep.members([
      ['suspend', 'moving'],
      ['resume', 'moved'],
      ['retry', 'the disk has room'],
    ])
  })

  it('G14 is of something that is known, by now or after a look', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await refused(suspend(audience, ann, { application: 'wep', reason: 'x' }))).to.equal(
      'wrong-usage: there is no application "wep"; did you mean "web"?',
    )
    expect(subject.asked).to.deep.equal(['look'])
    expect(await refused(suspend(memoryAudience(memorySubject('')), ann, { reason: 'x' }))).to.equal(
      'environment-unread: the repository has not been read yet',
    )
  })
})

describe('a word to try again', () => {
  it('G5 ends what keeps releases from being tried, of one application or of all, and counts the applications', async () => {
    const subject = memorySubject('prod', { applications: ['web', 'api'] })
    const audience = memoryAudience(subject)
    for (const application of ['web', 'api'])
      audience.journal.quarantine({
        environment: 'prod',
        site: 'local',
        application,
        service: application,
        target: 't',
        release: 'r',
        commit: 'c',
        reason: { code: 'unhealthy', message: 'it is' },
        atMs: 0,
      })
    // Also those of earlier versions, which nobody wants any more.
    for (const digest of ['d', 'e', 'f'])
      audience.journal.barVersion({
        environment: 'prod',
        site: 'local',
        application: 'api',
        service: 'api',
        digest,
        message: 'failed',
        atMs: 0,
      })
    const hook = { code: 'job-failed', message: 'its hook failed', release: 'r', atMs: 0 }
    for (const name of ['web', 'api'])
      audience.journal.setTrouble({
        ...{ environment: 'prod', site: 'local', application: name, service: name },
        ...hook,
      })
    const left = () =>
      (['quarantined', 'barred', 'troubles'] as const).map(what =>
        audience.journal[what]('prod').map(({ application }) => application),
      )
    expect(await retry(audience, ann, { application: 'web' })).to.deep.equal({ released: 1 })
    expect(left()).to.deep.equal([['api'], ['api', 'api', 'api'], ['api']])
    expect(await retry(audience, ann, {})).to.deep.equal({ released: 1 })
    expect(left()).to.deep.equal([[], [], []])
    expect(subject.asked).to.deep.equal(['try again', 'request', 'try again', 'request'])
    audience.journal.setTrouble({
      ...{ environment: 'prod', site: 'local', application: 'web', service: 'web' },
      ...hook,
    })
    expect(await retry(audience, ann, {}), 'a hook that ran once it served').to.deep.equal({
      ...{ released: 0, toldNoMore: 1 },
    })
  })
})

describe('a word to drain a site', () => {
  it('P12 is told to the ingress of that site at once, and taken back', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await drain(audience, ann, { site: 'edge' })).to.deep.equal({ site: 'edge', isDraining: true })
    expect(await undrain(audience, bob, { site: 'edge' })).to.deep.equal({ site: 'edge', isDraining: false })
    expect(subject.asked).to.deep.equal(['drain edge for ann', 'undrain edge for bob'])
    expect(await refused(drain(audience, ann, { site: 'west' }))).to.match(
      /^wrong-usage: the file of the site "west" cannot be used: /,
    )
    expect(await refused(drain(audience, ann, { site: 'egde' }))).to.equal(
      'wrong-usage: there is no site "egde"; did you mean "edge"?',
    )
  })

  it('P12 is not on record if the ingress could not be told', async () => {
    const setDraining = async () => {
      throw new Failure('ingress-unreachable', 'no ingress runs')
    }
    const audience = memoryAudience({ ...memorySubject(), setDraining })
    expect(await refused(drain(audience, ann, { site: 'edge' }))).to.equal(
      'ingress-unreachable: no ingress runs',
    )
    expect(audience.journal.answers({ limit: 10 })).to.deep.equal([])
  })
})
