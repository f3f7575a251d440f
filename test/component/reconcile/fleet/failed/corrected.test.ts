import { expect } from 'chai'
import { keptVersionBefore } from '../../../../../lib/answers/version/way-back.ts'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { logLines } from '../../../../../lib/cli/text/log-text.ts'
import type { Failure } from '../../../../../lib/errors.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { manifestOf } from '../../../../support/memory/memory-daemon.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

const byWord = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'

/** Version 1 is everywhere, and version 2 has failed on the canary. */
async function aborted(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', canary))
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until('done', 4)
  fleet.failing = 'c'
  fleet.commit(filesOf('2', canary))
  await fleet.until('aborted', 0)
  await waitUntil('the canary has its old version back', () => fleet.versionOn('c') === '1')
  return fleet
}

/** Waits until the canary has proved the version, and then until all sites have it. */
async function completes(fleet: Fleet): Promise<void> {
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until('done', 4)
}

describe('a deployment that failed on its canary', () => {
  it('A33 goes on with a new version, by the same strategy', async () => {
    await using fleet = await aborted()
    fleet.commit(filesOf('3', canary))
    await completes(fleet)
    expect(fleet.runs()).to.equal('3 3 3 3 -')
  })

  it('A6 X8 is not gone back to from the correction, unless somebody names it', async () => {
    await using fleet = await aborted()
    fleet.commit(filesOf('3', canary))
    await completes(fleet)
    const { journal } = fleet
    expect(journal.keptVersions('prod', 'shop').map(one => [one.version, one.hasOnlyFailed])).to.deep.equal([
      ['3', undefined],
      ['2', true],
      ['1', undefined],
    ])
    expect(keptVersionBefore(journal, 'prod', 'shop', '3')?.version).to.equal('1')
  })

  it('A33 can be paused, which holds back the correction until a person resumes it', async () => {
    await using fleet = await aborted()
    const pause = () => fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    expect(await pause()).to.deep.equal({ deployment: 'shop-everywhere', version: '2', isEnded: true })
    const again: Failure = await failureOf(pause())
    expect(again.code).to.equal('already-stopped')
    const { reason, isPaused } = await fleet.until('aborted', 0)
    expect(reason).to.match(/; paused by ann, so that no other version begins$/)
    expect(isPaused).to.equal(true)
    fleet.commit(filesOf('3', canary))
    expect((await fleet.until('paused', 0)).reason).to.equal('paused by ann')
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await completes(fleet)
    expect(fleet.runs()).to.equal('3 3 3 3 -')
  })

  it('A12 A33 is over with a revert: nothing else moves', async () => {
    await using fleet = await aborted()
    const before = ['a', 'b', 'd'].map(name => fleet.engines.get(name)?.done.length)
    fleet.commit(filesOf('1', canary))
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    expect(['a', 'b', 'd'].map(name => fleet.engines.get(name)?.done.length)).to.deep.equal(before)
  })

  it('A33 goes on with the same version once a person resumes it', async () => {
    await using fleet = await aborted()
    const said = await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop-everywhere' })
    expect(said).to.deep.equal({ resumed: true, deployment: 'shop-everywhere' })
    await completes(fleet)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A33 goes on where somebody corrected the site by hand, once a person says so, and not before', async () => {
    await using fleet = await aborted()
    fleet.failing = 'c'
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('aborted', 0)
    // Whatever was wrong on the host is not any more: nothing fails there now.
    for (const _ of [1, 2]) await fleet.daemon.pass()
    await fleet.until('aborted', 0)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await completes(fleet)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A25 A33 is not begun anew by a redeploy, and a new version goes to the canaries that there are then', async () => {
    await using fleet = await aborted()
    await fleet.restart(
      sites.map(one => ({ ...one, labels: { ...one.labels, trial: String(one.name === 'a') } })),
    )
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    await fleet.until('aborted', 0)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.commit(filesOf('3', canary.replace('labels: try', 'labels: trial = true')))
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('3 1 1 1 -')
  })

  it('G13 A33 says that it is to be resumed, because to retry does not bring it on', async () => {
    await using fleet = await aborted()
    const hints = async () => {
      await fleet.daemon.pass()
      const [{ errors }] = await fleet.daemon.ask('GET /api/v1/environments')
      return errors.map(({ hint }: { readonly hint: string }) => hint)
    }
    expect(await hints()).to.deep.equal([
      'Commit a correction, or run "tallyman resume shop-everywhere" to try the same release again.',
    ])
    const said = await fleet.daemon.ask('POST /api/v1/retry', { application: 'shop' })
    expect(said).to.deep.equal({ released: 1, stopped: ['shop-everywhere'] })
    await fleet.until('aborted', 0)
  })

  it('A33 P6 resuming it ends what bars its version from the sites, too', async () => {
    await using fleet = await aborted()
    const where = { environment: 'prod', site: 'c', application: 'shop', service: 'web' }
    fleet.journal.barVersion({ ...where, digest: 'd', message: 'm', atMs: 1 })
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    expect(fleet.journal.barred('prod')).to.deep.equal([])
  })

  it('A33 ends again if the same version fails again', async () => {
    await using fleet = await aborted()
    fleet.failing = 'c'
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await waitUntil('it fails again', () => fleet.failing === '')
    await fleet.until('aborted', 0)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('A33 A36 is not ended by what happens after it is done: that is for the site to repair', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await completes(fleet)
    fleet.engines.get('a')?.lose()
    await waitUntil('it runs again', async () => {
      await fleet.daemon.pass()
      return fleet.versionOn('a') === '1'
    })
    await fleet.until('done', 4)
  })

  it('A33 ends with an instance whose health check fails in the healthy time', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await fleet.until('proving', 1)
    fleet.shown.set('c', { health: 'unhealthy' })
    const { reason, sites: counts, batches, left } = await fleet.until('aborted', 1)
    expect(reason).to.match(/^failed on c: shop is /)
    expect([counts, batches[0]?.sites]).to.deep.equal([
      { done: 1, now: 0, toCome: 3, failed: 1 },
      [{ site: 'c', done: false }],
    ])
    expect(left.map(({ site, reason }) => `${site} ${reason}`)).to.deep.equal([
      'c failed',
      'a aborted',
      'b aborted',
      'd aborted',
    ])
  })

  it('A33 G25 is told by both logs, also once it is corrected: beside the pass that had brought the version there', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    const said: unknown[] = []
    const error = (words: string, fields?: object) => said.push({ words, ...fields })
    for (const { world } of fleet.daemon.control.running)
      Object.assign(world, { log: { ...world.log, error } })
    await fleet.until('proving', 1)
    fleet.shown.set('c', { health: 'unhealthy' })
    await fleet.until('aborted', 1)
    const where = { environment: 'prod', site: 'c', application: 'shop', version: '1' }
    expect(said).to.deep.equal([
      {
        words: 'the deployment shop-everywhere failed: shop is Degraded: the health check of shop fails',
        ...where,
      },
    ])
    fleet.shown.clear()
    fleet.nowMs += minute
    fleet.commit(filesOf('2', canary))
    await fleet.until('proving', 1)
    const entries = fleet.journal.log({ environment: 'prod', site: 'c', limit: 100 })
    const told = entries.flatMap(entry => {
      const [, ...lines] = printed(logLines(entry), false).trimEnd().split('\n')
      return lines.map(line => `${entry.outcome} ${entry.revision?.commit[0]}: ${line.trim()}`)
    })
    expect(told).to.deep.equal([
      'applied 1: the deployment shop-everywhere failed here at 1970-01-01 00:16:40 with version 1: shop is Degraded: the health check of shop fails',
    ])
  })

  it('G25 a daemon that starts anew goes on where the other one stopped', async () => {
    await using fleet = await aborted()
    await fleet.restart()
    await fleet.until('aborted', 0)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })
})

describe('a deployment that a person stops', () => {
  it('is paused before the next batch, and goes on when it is resumed', async () => {
    await using fleet = await Fleet.start(filesOf('1'))
    await fleet.until('proving', 2)
    const given = { deployment: 'shop', message: 'stocktaking', who: 'ann' }
    const said = await fleet.daemon.ask('POST /api/v1/pause', given)
    expect(said).to.deep.equal({ deployment: 'shop-everywhere', version: '1' })
    fleet.nowMs += 15 * minute
    const { reason, approve } = await fleet.until('paused', 2)
    expect([reason, approve]).to.deep.equal(['paused by ann: stocktaking', undefined])
    const again: Failure = await failureOf(fleet.daemon.ask('POST /api/v1/pause', given))
    expect(again.code).to.equal('already-stopped')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 4)
  })

  it('is paused after it is done, too: then the next version waits', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    const said = await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    expect(said).to.deep.equal({ deployment: 'shop-everywhere', version: '1', isDone: true })
    await fleet.until('paused', 4)
    fleet.commit(filesOf('2'))
    await fleet.until('paused', 0)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 2)
  })

  it('X18 is approved for all its sites while it is paused, by the same id as before: nobody is asked again after it', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await fleet.until('proving', 1)
    fleet.nowMs += minute
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', canary, {}))
    const shown = async () => {
      await fleet.daemon.pass()
      return (await fleet.daemon.ask('GET /api/v1/environments'))[0].waiting?.plan
    }
    const id = await shown()
    await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    expect(await shown()).to.equal(id)
    await fleet.daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
    await fleet.until('paused', 1)
    expect([fleet.runs(), await shown()]).to.deep.equal(['1 1 2 1 -', undefined])
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await completes(fleet)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('D4 of which another version came says on how many sites the approved one was carried out', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await completes(fleet)
    fleet.commit(filesOf('2', canary, {}))
    await fleet.daemon.pass()
    const [{ waiting }] = await fleet.daemon.ask('GET /api/v1/environments')
    await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    await fleet.until('proving', 1)
    fleet.commit(filesOf('3', canary, {}))
    await fleet.daemon.pass()
    const late: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`))
    expect(late.message).to.match(/ and ended as applied on 1 of 4 sites \(pass \d+, /)
  })

  it('is not aborted after it is done, because there is nothing to abort', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    const failure: Failure = await failureOf(fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop' }))
    expect([failure.code, failure.message]).to.deep.equal([
      'deployment-done',
      'the deployment shop-everywhere is done: all of its sites have 1',
    ])
    await fleet.until('done', 4)
    fleet.commit(filesOf('2'))
    await fleet.until('proving', 2)
  })

  it('is aborted where it is: sites that have the version keep it', async () => {
    await using fleet = await Fleet.start(filesOf('1'))
    await fleet.until('proving', 2)
    await fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop-everywhere', who: 'ann' })
    fleet.nowMs += 15 * minute
    const { reason } = await fleet.until('aborted', 2)
    expect(reason).to.equal('aborted by ann')
  })

  it('A32 goes on after an abort once it is resumed: no site twice, and none forgotten', async () => {
    await using fleet = await Fleet.start(filesOf('1'))
    await fleet.until('proving', 2)
    await fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop', who: 'ann' })
    await fleet.until('aborted', 2)
    fleet.nowMs += 15 * minute
    await fleet.restart()
    await fleet.until('aborted', 2)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await fleet.until('proving', 4)
    fleet.nowMs += 15 * minute
    const { batches } = await fleet.until('done', 4)
    const drawn = batches.flatMap(({ sites }) => sites.map(({ site }) => site))
    expect(drawn.toSorted()).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('A31 is aborted by discarding the stage that follows the canaries', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord))
    const { approve } = await fleet.until('waiting', 1)
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/discard`, { who: 'ann' })
    await fleet.until('aborted', 1)
    const late: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`))
    expect([late.code, late.message, late.hint]).to.deep.equal([
      'plan-answered',
      `${approve} was answered: shop-everywhere was ended by ann at 1970-01-01 00:16:40, and shop-everywhere waits for no word`,
      'To be asked again, run "tallyman resume shop-everywhere".',
    ])
    expect(fleet.runs()).to.equal('- - 1 - -')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    expect((await fleet.until('waiting', 1)).approve).to.equal(approve)
    await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    const early: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`))
    expect([early.code, early.message, early.hint]).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${approve} while shop-everywhere is paused, as ann said at 1970-01-01 00:16:40`,
      'To be asked again, run "tallyman resume shop-everywhere".',
    ])
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    const said = fleet.journal.answers({ application: 'shop', limit: 9 })
    const of = { deployment: 'shop-everywhere', application: 'shop' }
    expect(
      said.map(({ verb, about, deployment, application, version }) => ({
        ...{ verb, about, deployment, application, version },
      })),
      'G25 each says which deployment it was about',
    ).to.deep.equal([
      { verb: 'redeploy', about: 'shop-everywhere', ...of, version: '1' },
      { verb: 'pause', about: 'shop-everywhere', ...of, version: '1' },
      { verb: 'resume', about: 'shop', ...of, version: '1' },
      { verb: 'discard', about: approve, ...of, version: '1' },
    ])
  })

  it('D4 G13 is declined where it has not begun, and says who said so, also while only turns are waited for', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord, {}))
    const status = async () => (await fleet.daemon.ask('GET /api/v1/environments'))[0]
    await fleet.daemon.pass()
    const { plan } = (await status()).waiting
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/approve`, { who: 'ann' })
    await fleet.until('waiting', 1)
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/discard`, { who: 'bob', message: 'not today' })
    await fleet.daemon.pass()
    const { outcome, declined } = await status()
    expect([outcome, declined?.who, declined?.message]).to.deep.equal(['declined', 'bob', 'not today'])
  })

  it('A31 X20 A25 asks under another id once another site is the canary, which is drawn before', async () => {
    const byWord = (label: string) =>
      `deploy-to-sites: {canary-sites: {match-site-labels: ${label}}, canary-continue-by-action: true}`
    await using fleet = await Fleet.start(filesOf('1', byWord('try')))
    const { approve: first } = await fleet.until('waiting', 1)
    fleet.commit(filesOf('1', byWord('system/name = a')))
    const { approve: second } = await fleet.until('waiting', 2)
    expect(fleet.runs()).to.equal('1 - 1 - -')
    expect(second).to.not.equal(first)
    const late: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${first}/approve`))
    expect([late.code, late.message]).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${first} any more: shop-everywhere waits for ${second}`,
    ])
    await fleet.daemon.ask(`POST /api/v1/plans/${second}/approve`, { who: 'ann' })
    await fleet.until('done', 4)
    const again: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${second}/approve`))
    expect(again.message).to.match(/ was answered: the others were let follow by ann at .*waits for no word$/)
  })

  it('X20 G13 asks under another id about another version, and says that the earlier one is overtaken', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord))
    const { approve: first } = await fleet.until('waiting', 1)
    fleet.commit(filesOf('2', byWord))
    await fleet.until('waiting', 1)
    for (const verb of ['approve', 'discard']) {
      const late: Failure = await failureOf(fleet.daemon.ask(`POST /api/v1/plans/${first}/${verb}`))
      expect([late.code, late.message, late.hint]).to.deep.equal([
        'plan-changed',
        `nobody is asked under ${first} any more: shop-everywhere brings 2 now, and no longer 1`,
        'Look at "tallyman deployment shop-everywhere" again, and use the id that it shows.',
      ])
    }
  })

  it('G25 is recorded by the name that it has when something is said of it', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord))
    const { approve } = await fleet.until('waiting', 1)
    const { 'deployments/shop-everywhere.yaml': before, ...files } = filesOf('1', byWord)
    fleet.commit({
      ...files,
      'deployments/store.yaml': String(before).replace('name: shop-everywhere', 'name: store'),
    })
    await fleet.daemon.pass()
    await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'store' })
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'store' })
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    const said = fleet.daemon.journal.answers({ limit: 3 })
    expect(said.map(({ verb, deployment }) => `${verb} ${deployment}`)).to.deep.equal([
      'approve store',
      'resume store',
      'pause store',
    ])
  })

  it('cannot be stopped before it has begun; its application can be suspended', async () => {
    const files = filesOf('1', '')
    const pinned = `${String(files['deployments/shop-everywhere.yaml'])}application-version: "7"`
    await using fleet = await Fleet.start({ ...files, 'deployments/shop-everywhere.yaml': pinned })
    await fleet.until('waiting', 0)
    const failure: Failure = await failureOf(fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop' }))
    expect(failure.code).to.equal('deployment-not-begun')
    await fleet.daemon.ask('POST /api/v1/suspend', { application: 'shop', reason: 'stocktaking' })
    fleet.commit(filesOf('1', ''))
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('- - - - -')
  })
})

describe('a deployment whose versions go to all sites at once', () => {
  it('A30 a pause holds back the next version, is told once, and ends with a word', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    const said = await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    expect(said).to.deep.equal({ deployment: 'shop-everywhere', version: '1', isDone: true })
    fleet.commit(filesOf('2', ''))
    const { version, reason } = await fleet.until('paused', 0)
    expect([fleet.runs(), version, reason]).to.deep.equal(['1 1 1 1 -', '2', 'paused by ann'])
    const again: Failure = await failureOf(fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop' }))
    expect([again.code, again.hint]).to.deep.equal([
      'already-stopped',
      'Run "tallyman resume shop-everywhere" if it is to go on.',
    ])
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
    const done: Failure = await failureOf(fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop' }))
    expect([done.code, done.hint]).to.deep.equal([
      'deployment-done',
      'Nothing is to be done. To hold back the next version, run "tallyman pause shop-everywhere"; to take this one back, commit another.',
    ])
  })

  it('A30 A32 A33 are one batch if only a healthy time is said: a failure in it ends the deployment', async () => {
    const watched = 'deploy-to-sites: {healthy-time: 15m}'
    await using fleet = await Fleet.start(filesOf('1', watched))
    const { reason, until } = await fleet.until('proving', 4)
    expect([reason, until]).to.deep.equal(['all sites have it', '1970-01-01T00:31:40.000Z'])
    fleet.nowMs += 15 * minute
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', watched))
    await fleet.until('proving', 4)
    fleet.shown.set('b', { health: 'unhealthy' })
    expect((await fleet.until('aborted', 4)).reason).to.match(/^failed on b: shop is /)
  })

  it('A30 A33 a failure on one of them ends it: it says the version and the site, and a correction begins anew', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    fleet.failing = 'b'
    fleet.commit(filesOf('2', ''))
    const { version, reason, sites: counts } = await fleet.until('aborted', 3)
    expect([version, counts]).to.deep.equal(['2', { done: 3, now: 0, toCome: 1 }])
    expect(reason).to.match(/^failed on b: /)
    fleet.commit(filesOf('3', ''))
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('3 3 3 3 -')
  })

  it('A30 A33 an abort and a failure hold while a commit only removes the strategy', async () => {
    await using fleet = await aborted()
    fleet.commit(filesOf('2', ''))
    const failed = await fleet.until('aborted', 0)
    expect(failed.reason).to.match(/^failed on c: /)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('done', 4)
    fleet.commit(filesOf('3'))
    await fleet.until('proving', 2)
    await fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop', who: 'ann' })
    fleet.commit(filesOf('3', ''))
    const { reason } = await fleet.until('aborted', 2)
    expect(reason).to.equal('aborted by ann')
    expect(fleet.runs().split(' ').sort()).to.deep.equal(['-', '2', '2', '3', '3'])
  })

  it('A30 A34 a site that does not answer keeps no other from a version, and gets it when it is back', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    fleet.silent = 'b'
    fleet.commit(filesOf('2', ''))
    await fleet.until('waiting', 3)
    expect(fleet.runs()).to.equal('2 1 2 2 -')
    fleet.silent = ''
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })
})

/** On how many sites somebody is asked whether it goes, with the network that only it has there. */
function removalsOfShop({ daemon }: Fleet): number {
  const waiting = daemon.results()[0]?.waiting ?? []
  return waiting.filter(({ application }) => application === 'shop').length
}

describe('a deployment that is to run nowhere', () => {
  it('G4 D3 takes the application away from all sites, once that is confirmed', async () => {
    const nowhere = (files: Files): Files => ({
      ...files,
      'deployments/shop-everywhere.yaml': String(files['deployments/shop-everywhere.yaml']).replace(
        'system/type = edge',
        'not system/name',
      ),
    })
    await using fleet = await Fleet.start(filesOf('1'), sites, 'confirm')
    await fleet.until('proving', 2)
    fleet.nowMs += 15 * minute
    await fleet.until('proving', 4)
    fleet.commit(nowhere(filesOf('1')))
    await waitUntil('somebody is asked about each site', async () => {
      await fleet.daemon.pass()
      return removalsOfShop(fleet) === 4
    })
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    const [{ waiting }] = await fleet.daemon.ask('GET /api/v1/environments')
    await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    await waitUntil('it is gone', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '- - - - -'
    })
    const { state, reason } = await fleet.status()
    expect([state, reason]).to.deep.equal(['done', 'means no site'])
  })
})

describe('a deployment whose sites are wrong', () => {
  it('G4 touches nothing while it means no site by mistake, until its expression is corrected', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    const files = filesOf('2', '')
    const text = String(files['deployments/shop-everywhere.yaml'])
    fleet.commit({ ...files, 'deployments/shop-everywhere.yaml': text.replace('edge', 'egde') })
    await fleet.daemon.pass()
    const [{ errors }] = await fleet.daemon.ask('GET /api/v1/environments')
    expect(errors.map(({ code }: { readonly code: string }) => code)).to.deep.equal(['deployment-refused'])
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.commit(files)
    await waitUntil('it goes on', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '2 2 2 2 -'
    })
  })

  const deployed = (labels: string, name = 'shop-everywhere'): Files => ({
    ...manifestOf('prod', { shop: '1' }, { skipConfirmation: true }),
    [`deployments/${name}.yaml`]: `name: ${name}\napplication: shop\nplacement: {match-site-labels: ${labels}}\n`,
  })
  const undeployed = manifestOf('prod', { shop: '1' }, { skipConfirmation: true })
  const before: readonly (readonly [what: string, files: Files, asked: number])[] = [
    ['on some sites', deployed('system/type = edge'), 0],
    ['nowhere, and its removal waits for a confirmation', deployed('not system/name'), 4],
    ['on some sites, by a deployment of another name', deployed('system/type = edge', 'shop'), 0],
    ['on all sites, without a deployment', undeployed, 0],
  ]
  for (const [what, files, asked] of before)
    it(`G4 touches nothing when it means none of the sites, where the application was to run ${what}`, async () => {
      await using fleet = await Fleet.start(deployed('system/type = edge'), sites, 'confirm')
      await waitUntil('four sites have it', async () => {
        await fleet.daemon.pass()
        return fleet.runs() === '1 1 1 1 -'
      })
      fleet.commit(files)
      await waitUntil('that is planned', async () => {
        await fleet.daemon.pass()
        return removalsOfShop(fleet) === asked
      })
      const running = fleet.runs()
      fleet.commit(deployed('region = venus'))
      await waitUntil('it is refused', async () => {
        await fleet.daemon.pass()
        const [{ errors }] = await fleet.daemon.ask('GET /api/v1/environments')
        return errors.some(({ code }: { readonly code: string }) => code === 'deployment-refused')
      })
      expect(fleet.daemon.results()[0]?.waiting).to.deep.equal([])
      expect([(await fleet.status()).state, fleet.runs()]).to.deep.equal(['refused', running])
    })

  it('G4 touches nothing when it means none of the sites, also if the state directory was lost', async () => {
    await using fleet = await Fleet.start(deployed('system/type = edge'))
    await fleet.until('done', 4)
    fleet.files = deployed('region = venus')
    await fleet.loseJournal()
    await fleet.daemon.pass()
    await fleet.daemon.pass()
    expect([(await fleet.status()).state, fleet.runs()]).to.deep.equal(['refused', '1 1 1 1 -'])
  })

  it('G4 waits for its sites where it means none yet and nothing of the application runs', async () => {
    await using fleet = await Fleet.start(deployed('region = venus'))
    await fleet.daemon.pass()
    await fleet.daemon.pass()
    const { state, reason } = await fleet.status()
    expect([state, reason]).to.deep.equal(['done', 'means no site'])
  })

  it('A25 A12 follows new labels where a commit names a version in the deployment, and not where the application has another', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.relabel('e', { 'system/type': 'edge' })
    fleet.commit(filesOf('2', ''))
    await fleet.daemon.pass()
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
    fleet.commit(filesOf('2', 'application-version: "2"'))
    await fleet.daemon.pass()
    await fleet.until('done', 5)
    expect(fleet.runs()).to.equal('2 2 2 2 2')
  })

  it('A25 follows new labels once somebody redeploys it', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.relabel('e', { 'system/type': 'edge' })
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    await fleet.until('done', 5)
    expect(fleet.runs()).to.equal('1 1 1 1 1')
  })

  it('A25 G13 says at once which sites a redeploy adds, and which it gives up', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    const redeploy = () => fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    const redeployed = 'shop-everywhere'
    expect(await redeploy()).to.deep.include({ redeployed, joins: [], leaves: [] })
    const types: Readonly<Record<string, string>> = { d: 'control-tower', e: 'edge' }
    await fleet.restart(
      sites.map(one => ({ ...one, labels: { 'system/type': types[one.name] ?? one.labels['system/type'] } })),
    )
    await fleet.daemon.pass()
    expect(await redeploy()).to.deep.include({ redeployed, joins: ['e'], leaves: ['d'] })
  })
})

describe('a deployment of an application that a person holds at a version', () => {
  it('X8 brings it to all sites at once: an emergency waits for no canary', async () => {
    await using fleet = await aborted()
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    await fleet.daemon.ask('POST /api/v1/rollback', {
      ...{ application: 'shop', to: '1', reason: 'outage', who: 'ann' },
    })
    const { version } = await fleet.until('done', 4)
    expect([version, fleet.runs()]).to.deep.equal(['1', '1 1 1 1 -'])
    for (const word of ['pause', 'abort']) {
      const { code, message } = await failureOf(
        fleet.daemon.ask(`POST /api/v1/${word}`, { deployment: 'shop' }),
      )
      expect([code, message]).to.deep.equal([
        'version-held',
        `shop is held at 1 by ann, so the deployment shop-everywhere brings nothing to its sites, and there is nothing to ${word}`,
      ])
    }
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 1)
  })
})
