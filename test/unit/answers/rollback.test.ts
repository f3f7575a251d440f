import { expect } from 'chai'
import { resume } from '../../../lib/answers/resume.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { suspend } from '../../../lib/answers/suspend.ts'
import { sayOfLastEntry } from '../../../lib/answers/version/queue-word.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import type { Deployment } from '../../../lib/state/fleet/deployment.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  ann,
  keepVersions,
  lookAgain,
  memoryAudience,
  memorySubject,
  saidMs,
} from '../../support/memory/memory-audience.ts'

const bob = { ...ann, who: 'bob' }
const web = { application: 'web' }

/** Closed at the time at which everything is said, and open until one hour before. */
const closed = {
  provider: [{ days: [], startMinutes: 10 * 60, zone: 'UTC', durationMs: 3_600_000 }],
  owner: [],
}

/** Somebody to speak to, with the versions 1 to 3 of `web`, of which these sites run 3. */
function audienceOfThree(...sites: readonly string[]) {
  const windows = new Map(sites.map(site => [site, closed]))
  const subject = memorySubject('prod', undefined, windows.set('edge', closed))
  const audience = memoryAudience(subject)
  keepVersions(audience, '1', '2', '3')
  for (const site of sites) runs(audience.journal, site, '3')
  return { audience, subject }
}

const toTwo = { ...web, to: '2' }
const noWay = 'no entry of "upgrade-from" leads from 3 to 2'

/** Somebody to speak to, with the versions 1 to 3 of `web`, of which 2 may follow what this pattern matches. */
function audienceOfPath(pattern: string) {
  const audience = memoryAudience(memorySubject('prod'))
  for (const version of ['1', '2', '3'])
    audience.journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version, commit: version.repeat(40) },
      ...{ mark: version, images: [], paths: version === '2' ? [pattern] : 'any', atMs: saidMs },
    })
  return { audience }
}

function failedOnLab(journal: Journal, version: string): void {
  const at = { environment: 'prod', deployment: 'web', application: 'web', atMs: saidMs }
  const { id } = journal.beginRun({ ...at, version, content: version, seed: 1 })
  journal.addFact(id, { kind: 'failed', atMs: saidMs, site: 'lab', reason: 'it crashed' })
}

function runs(journal: Journal, site: string, version: string): void {
  journal.keepState('prod', site, { applications: [{ application: 'web', site, version, running: 1 }] }, 1)
}

describe('a version that somebody goes back to', () => {
  it('A6 G13 is refused while its commit cannot be read, and nothing is held: the hint says what helps', async () => {
    const away = new Map([['2'.repeat(40), '/srv/git: no such file or directory']])
    const audience = memoryAudience(memorySubject('prod', undefined, new Map(), away))
    keepVersions(audience, '1', '2', '3')
    const { code, message, hint } = await failureOf(rollback(audience, ann, web))
    expect([code, message, hint]).to.deep.equal([
      'version-unreadable',
      'web: version 2 of commit 222222222222 cannot be read, and nothing was changed: /srv/git: no such file or directory',
      'Name another kept version with --to, or try again once the repository is there.',
    ])
    expect(audience.journal.heldVersions('prod')).to.deep.equal([])
    expect(await rollback(audience, ann, { ...web, to: '1' })).to.include({ version: '1' })
  })

  const waits = (site: string) => ({
    site,
    reason: 'waits for the upgrade window, which opens 2026-03-02 10:00 UTC',
    opensMs: Date.parse('2026-03-02T10:00:00Z'),
  })

  it('A60 A66 waits on sites whose window is closed, and they are named: where another version runs', async () => {
    const { audience } = audienceOfThree('north', 'local')
    runs(audience.journal, 'local', '2')
    expect((await rollback(audience, ann, web)).closed).to.deep.equal([waits('north')])
    expect(audience.journal.queueWords('prod', 'north')).to.deep.equal([])
  })

  it('A66 needs one word more to go back outside of the windows, which is recorded, and used up by resume', async () => {
    const { audience } = audienceOfThree('north', 'local')
    const { journal } = audience
    const said = { ...web, outsideWindow: true, reason: 'it leaks' }
    const answer = await rollback(audience, ann, said)
    expect([answer.closed, answer.outsideWindow]).to.deep.equal([undefined, ['local', 'north']])
    const forced = { environment: 'prod', site: 'north', application: 'web', version: '2', entry: 2 }
    expect(journal.queueWords('prod', 'north')).to.deep.equal([
      { ...forced, word: 'forced', who: 'ann', atMs: saidMs },
    ])
    expect(journal.answers({ limit: 1 })[0]?.message).to.equal(
      'to version 2, outside of the windows of 2 sites: local, north: it leaks',
    )
    await resume(audience, ann, web)
    expect(journal.queueWords('prod', 'north')).to.deep.equal([])
  })

  it('A66 X18 asks nothing anew if the same is said with the word that ignores the windows', async () => {
    const { audience } = audienceOfThree('north')
    const { journal } = audience
    await rollback(audience, ann, toTwo)
    const item = { resource: 'web/web', action: 'replace', release: 'that of 2' } as const
    const parts = [{ site: 'north', planId: 'p1', commit: '2'.repeat(40), items: [item] }]
    const said = {
      environment: 'prod',
      planId: 'p1',
      commit: '2'.repeat(40),
      who: 'ann',
      via: 'control',
    } as const
    journal.approve({ ...said, parts, atMs: saidMs, expiresAtMs: saidMs + 1_000 })
    const approved = () => journal.approvals('prod', 'north', saidMs).map(({ release }) => release)
    await rollback(audience, ann, { ...toTwo, outsideWindow: true })
    expect(approved()).to.deep.equal(['that of 2'])
    await rollback(audience, ann, { ...web, to: '1' })
    expect(approved(), 'another version').to.deep.equal([])
    await rollback(audience, ann, toTwo)
    journal.approve({ ...said, parts, atMs: saidMs, expiresAtMs: saidMs + 1_000 })
    journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version: '2', commit: '4'.repeat(40) },
      ...{ mark: '2 of another commit', images: [], paths: 'any', atMs: saidMs },
    })
    await rollback(audience, ann, toTwo)
    expect(approved(), 'the version of another commit').to.deep.equal([])
  })

  it('A66 takes the word back if another version is held instead', async () => {
    const { audience } = audienceOfThree('north')
    const { journal } = audience
    await rollback(audience, ann, { ...web, outsideWindow: true })
    expect((await rollback(audience, ann, web)).closed).to.deep.equal([waits('north')])
    expect(journal.queueWords('prod', 'north')).to.deep.equal([])
    expect((await rollback(audience, ann, { ...web, to: '3' })).closed).to.equal(undefined)
  })

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
    expect((await failureOf(rollback(audience, ann, web))).hint).to.equal(
      'Name the version that is meant: --to 3 or --to 2. What somebody went back from, and what failed or was aborted, does not count as the version before.',
    )
    expect(await refused(rollback(audience, ann, web))).to.equal(
      'version-missing: web: there is no version before the present one; these versions are kept: 3, 2, 1',
    )
    expect(audience.journal.heldVersions('prod').map(({ version }) => version)).to.deep.equal(['1'])
    expect(await rollback(audience, ann, { ...web, to: '3' })).to.include({ version: '3' })
  })

  it('A6 A12 G13 is named by whoever says so, if what came before the wanted one is not kept, and nor is that', async () => {
    const audience = memoryAudience(memorySubject('prod'))
    keepVersions(audience, '1', '2', '3', '4', '5')
    const deployment: Deployment = {
      ...{ name: 'web', application: 'web', version: '1', revision: 'r', healthyMs: 0 },
      placement: { kind: 'all-sites' },
    }
    audience.journal.setPlacement('prod', { deployment, sites: ['edge'], canaries: [] })
    const { message, hint } = await failureOf(rollback(audience, ann, web))
    expect([message, hint]).to.deep.equal([
      'web: there is no version before 1, which is wanted now and is not kept; these versions are kept: 5, 4, 3, 2',
      'Name the version that is meant: --to 5 or --to 4 or --to 3 or --to 2. What somebody went back from, and what failed or was aborted, does not count as the version before.',
    ])
  })

  it('A6 A12 never leads forward to what a commit went back from, also where that still runs', async () => {
    const { audience } = audienceOfThree('north')
    keepVersions(audience, '2')
    expect(await rollback(audience, ann, { ...web, outsideWindow: true })).to.include({ version: '1' })
    expect(await refused(rollback(audience, ann, web))).to.match(
      /^version-missing: .* before the present one/,
    )
  })

  it('A6 A12 has to be named if a site never got as far', async () => {
    const audience = memoryAudience(memorySubject('prod'))
    keepVersions(audience, '2', '4', '5')
    runs(audience.journal, 'north', '2')
    expect(await refused(rollback(audience, ann, web))).to.equal(
      'version-unclear: web: the version before the present one is 4, and north runs 2, which is older or not known; these versions are kept: 4, 2 (on north), 5 (the present one)',
    )
    expect((await failureOf(rollback(audience, ann, web))).hint).to.equal(
      'Name the version that is meant: --to 4 or --to 2.',
    )
    expect(audience.journal.heldVersions('prod')).to.deep.equal([])
    expect(await rollback(audience, ann, { ...web, to: '2' })).to.include({ version: '2' })
  })

  it('A6 A12 A33 is none whose deployment failed or was aborted, although it ran, until somebody resumed that', async () => {
    const audience = memoryAudience(memorySubject('prod'))
    keepVersions(audience, '1', '2', '3')
    failedOnLab(audience.journal, '2')
    expect(await rollback(audience, ann, web)).to.include({ version: '1' })
    const [run] = audience.journal.lastRuns('prod', 'web')
    audience.journal.addFact(run?.id ?? 0, { kind: 'word', atMs: saidMs, word: 'resume', who: 'ann' })
    await resume(audience, ann, web)
    lookAgain(audience)
    expect(await rollback(audience, ann, web)).to.include({ version: '2' })
  })

  it('A6 A12 A33 is offered last if its deployment failed, or if somebody went back from it', async () => {
    const audience = memoryAudience(memorySubject('prod'))
    const { journal } = audience
    keepVersions(audience, '1', '2', '3', '4')
    for (const site of ['north', 'south', 'east', 'west']) runs(journal, site, '1')
    runs(journal, 'lab', '0')
    for (const version of ['2', '3', '4']) failedOnLab(journal, version)
    const { hint, message } = await failureOf(rollback(audience, ann, web))
    expect([message, hint]).to.deep.equal([
      'web: the version before the present one is 1, and lab runs 0, which is older or not known; these versions are kept: 1 (on east, north, south and 1 more), 4 (the present one; failed on lab), 3 (failed on lab), 2 (failed on lab)',
      'Name the version that is meant: --to 1.',
    ])
    failedOnLab(journal, '1')
    expect((await failureOf(rollback(audience, ann, web))).hint).to.equal(
      'Name the version that is meant: --to 3 or --to 2 or --to 1. What somebody went back from, and what failed or was aborted, does not count as the version before.',
    )
    expect(await rollback(audience, ann, { ...web, to: '1' })).to.include({ version: '1' })
  })

  it('A12 A42 names the sites from which no upgrade path leads to it, and is refused if that is so on all', async () => {
    const { audience } = audienceOfPath('^1$')
    const { journal } = audience
    runs(journal, 'north', '3')
    expect(await refused(rollback(audience, ann, toTwo))).to.equal(
      `no-upgrade-path: web would stay as it is: ${noWay}`,
    )
    expect([journal.heldVersions('prod'), journal.answers({ limit: 1 })]).to.deep.equal([[], []])
    runs(journal, 'local', '1')
    expect((await rollback(audience, ann, toTwo)).noWay).to.deep.equal([{ site: 'north', reason: noWay }])
    const { audience: wide } = audienceOfPath('^[13]$')
    runs(wide.journal, 'north', '3')
    expect(await rollback(wide, ann, toTwo)).not.to.have.property('noWay')
  })

  it('A42 A66 waits for the window of no site to which no upgrade path leads', async () => {
    const windows = new Map(['north', 'south'].map(site => [site, closed]))
    const audience = memoryAudience(memorySubject('prod', undefined, windows))
    keepVersions(audience, '1', '3')
    audience.journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version: '2', commit: '2'.repeat(40) },
      ...{ mark: '2', images: [], paths: ['^1$'], atMs: saidMs },
    })
    runs(audience.journal, 'north', '3')
    runs(audience.journal, 'south', '1')
    const { noWay: stays = [], closed: waiting = [] } = await rollback(audience, ann, toTwo)
    expect([stays, waiting].map(sites => sites.map(({ site }) => site))).to.deep.equal([['north'], ['south']])
  })

  it('A12 A42 leads from what was complete last where nothing runs', async () => {
    const { audience } = audienceOfPath('^1$')
    const { journal } = audience
    const key = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
    journal.setApplied({ ...key, target: 't', version: '3', commit: 'c', atMs: 0 })
    const seen = { application: 'web', site: 'local', version: '', running: 0 }
    journal.keepState('prod', 'local', { applications: [seen] }, 1)
    expect(await refused(rollback(audience, ann, toTwo))).to.equal(
      `no-upgrade-path: web would stay as it is: ${noWay}`,
    )
  })

  it('A12 may be named by its commit, or by a pass over it', async () => {
    const { audience } = audienceOfThree()
    const { journal } = audience
    const pass = journal.beginPass({ environment: 'prod', site: 'local', trigger: 'poll', atMs: 0 })
    const commit = '2'.repeat(40)
    journal.setRevision(pass, { ref: 'main', commit, author: '', subject: '', time: '' })
    expect(await rollback(audience, ann, { ...web, to: '1111111' })).to.include({ version: '1' })
    journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version: '4', commit: '4'.repeat(40) },
      ...{ mark: '', images: [], atMs: 0 },
    })
    for (const to of ['version:2', 'commit:2222222', `pass:${pass}`])
      expect(await rollback(audience, ann, { ...web, to }), to).to.include({ version: '2' })
  })

  it('A12 G13 is no pass if it is a plain number, of which no version is kept any more', async () => {
    const { audience } = audienceOfThree()
    const { journal } = audience
    const pass = journal.beginPass({ environment: 'prod', site: 'local', trigger: 'poll', atMs: 0 })
    journal.setRevision(pass, { ref: 'main', commit: '2'.repeat(40), author: '', subject: '', time: '' })
    keepVersions(audience, '4', '5')
    expect(journal.keptVersions('prod', 'web').map(({ version }) => version)).to.deep.equal([
      '5',
      '4',
      '3',
      '2',
    ])
    const { code, message, hint } = await failureOf(rollback(audience, ann, { ...web, to: String(pass) }))
    expect([code, message, hint]).to.deep.equal([
      'version-missing',
      'web: there is no version 1; these versions are kept: 5, 4, 3, 2',
      'If you mean the pass of that number in "tallyman log", write --to pass:1.',
    ])
    expect(journal.heldVersions('prod')).to.deep.equal([])
    expect(await rollback(audience, ann, { ...web, to: `pass:${pass}` })).to.include({ version: '2' })
  })

  it('A12 G13 is refused with why if what is behind a prefix cannot be one, or is not there', async () => {
    const { audience } = audienceOfThree()
    for (const [to, told] of [
      ['pass:x', 'wrong-usage: pass:x: a pass is called by its number'],
      ['commit:main', 'wrong-usage: commit:main: a commit is 7 to 40 hexadecimal digits'],
      ['commit:222', 'wrong-usage: commit:222: a commit is 7 to 40 hexadecimal digits'],
      ['pass:7', 'version-missing: web: there is no pass 7; these versions are kept: 3, 2, 1'],
      ['version:9', 'version-missing: web: there is no version 9; these versions are kept: 3, 2, 1'],
      [
        'commit:9999999',
        'version-missing: web: there is no version of commit 9999999; these versions are kept: 3, 2, 1',
      ],
      ['9', 'version-missing: web: there is no version 9; these versions are kept: 3, 2, 1'],
    ] as const)
      expect(await refused(rollback(audience, ann, { ...web, to }))).to.equal(told)
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
    expect(await resume(audience, ann, {})).to.deep.equal({ resumed: false, byThemselves: ['web'] })
    expect(journal.heldVersions('prod')).to.have.length(1)
    expect(await resume(audience, ann, web)).to.deep.equal({
      ...{ resumed: true, heldAt: '2', wasSuspended: true },
    })
    const [word] = audience.journal.answers({ limit: 1 })
    expect([word?.verb, word?.message]).to.deep.equal(['resume', 'it is no longer suspended, either'])
    expect([journal.heldVersions('prod'), journal.suspensions('prod', saidMs)]).to.deep.equal([[], []])
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: false })
    await rollback(audience, ann, web)
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: true, heldAt: '2' })
  })

  it('A6 A12 never leads to what somebody went back from without a commit, also once that is over', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, web)
    keepVersions(audience, '4')
    await resume(audience, ann, web)
    expect(await rollback(audience, ann, web)).to.include({ version: '2' })
  })

  it('A6 A12 leads to it once it was wanted again, by a commit or by who resumed it', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, { ...web, to: '1' })
    await resume(audience, ann, web)
    lookAgain(audience)
    keepVersions(audience, '4')
    expect(await rollback(audience, ann, web), 'resumed').to.include({ version: '3' })
    keepVersions(audience, '5')
    await resume(audience, ann, web)
    keepVersions(audience, '4', '6')
    expect(await rollback(audience, ann, web), 'committed').to.include({ version: '4' })
  })

  it('A6 A12 never leads to it where a correction was wanted by then, and could not be had yet', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, web)
    audience.journal.wantAbsent({ environment: 'prod', ...web, version: '4', atMs: saidMs })
    await resume(audience, ann, web)
    lookAgain(audience)
    keepVersions(audience, '5')
    expect(await rollback(audience, ann, web)).to.include({ version: '2' })
  })

  it('A6 A12 what was gone back from before stays so, whatever is resumed later', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, web)
    keepVersions(audience, '4')
    await resume(audience, ann, web)
    const later = { ...audience, nowMs: () => saidMs + 1 }
    await rollback(later, ann, web)
    await resume(later, ann, web)
    lookAgain(later)
    expect(await rollback(later, ann, web)).to.include({ version: '2' })
  })

  it('A6 A12 what was gone back from stays so where its correction is gone back from too, and that is resumed', async () => {
    const { audience } = audienceOfThree()
    await rollback(audience, ann, web)
    keepVersions(audience, '4')
    expect(await rollback(audience, ann, web), 'further back').to.include({ version: '1' })
    await resume(audience, ann, web)
    lookAgain(audience)
    expect(await rollback(audience, ann, web), 'neither 3 nor 2').to.include({ version: '1' })
  })

  it('A6 A12 never leads to what was gone back from by way of an earlier commit of the same version', async () => {
    const audience = memoryAudience(memorySubject())
    keepVersions(audience, '1', '2', '1')
    await rollback(audience, ann, toTwo)
    expect(await refused(rollback(audience, ann, web))).to.match(
      /^version-missing: .* before the present one/,
    )
  })

  it('X8 A66 takes the place of versions that were forced before: they are forced no longer, also afterwards', async () => {
    const { audience } = audienceOfThree('north')
    const { journal } = audience
    for (const version of ['1', '3'])
      sayOfLastEntry(journal, {
        ...{ environment: 'prod', site: 'north', application: 'web', version },
        ...{ word: 'forced', who: 'ann', atMs: 0 },
      })
    await rollback(audience, ann, { ...toTwo, outsideWindow: true })
    expect(journal.queueWords('prod', 'north').map(({ version }) => version)).to.deep.equal(['2'])
    await resume(audience, ann, web)
    expect(journal.queueWords('prod', 'north')).to.deep.equal([])
  })

  it('A12 A33 is left by resume for a version that is tried again where it failed before, if it has a deployment', async () => {
    const { audience } = audienceOfThree()
    const { journal } = audience
    const deployment = {
      ...{ name: 'web', application: 'web', placement: { kind: 'all-sites' as const }, sitesInParallel: 1 },
      ...{ healthyMs: 0, revision: 'r' },
    } as const
    journal.setPlacement('prod', { deployment, sites: ['local'], canaries: [] })
    journal.beginRun({
      ...{ environment: 'prod', deployment: 'web', application: 'web', version: '2', content: 'c' },
      ...{ seed: 1, atMs: 0 },
    })
    journal.quarantine({
      ...{
        environment: 'prod',
        site: 'local',
        application: 'web',
        service: 'web',
        target: 't',
        release: 'r',
      },
      ...{ commit: 'c', reason: { code: 'unhealthy', message: 'it is' }, atMs: 0 },
    })
    await resume(audience, ann, web)
    expect(journal.quarantined('prod', 'local')).to.have.length(1)
    await rollback(audience, ann, web)
    expect(await resume(audience, ann, web)).to.deep.equal({ resumed: true, heldAt: '2' })
    expect(journal.quarantined('prod', 'local')).to.deep.equal([])
  })
})
