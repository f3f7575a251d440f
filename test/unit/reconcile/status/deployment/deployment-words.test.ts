import { expect } from 'chai'
import { type StandInput, standOf } from '../../../../../lib/fleet/spread/stand.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { waitOf } from '../../../../../lib/reconcile/status/deployment/deployment-words.ts'
import type { SeenOnSites } from '../../../../../lib/reconcile/status/deployment/site-reasons.ts'
import type { DeploymentRun, RunFact } from '../../../../../lib/state/fleet/run.ts'

const run: DeploymentRun = {
  ...{ id: 1, environment: 'prod', deployment: 'shop', application: 'shop', version: '2' },
  ...{ content: 'c', seed: 7, atMs: 0 },
}

const seenAs = (parts: Partial<ApplicationStatus>): ApplicationStatus => ({
  ...{ site: 'a', application: 'shop', sync: 'Synced', health: 'Healthy', version: '2' },
  ...{ running: 1, wanted: 1, commit: '', reason: '' },
  ...parts,
})

/** What the deployment says that it waits for, after these facts, where `a` was last seen like this. */
function waitAfter(
  facts: readonly RunFact[],
  seen: ApplicationStatus = seenAs({}),
  sites: readonly string[] = ['a', 'b'],
  isReady = true,
) {
  const input: StandInput = {
    ...{ strategy: { sitesInParallel: 1, healthyMs: 60_000 }, sites, facts },
    ...{ isMeant: () => true, isReady: () => isReady, hasBegun: () => false, nowMs: 1_000 },
  }
  const known: SeenOnSites = {
    ...{ on: new Map([['a', seen]]), failed: new Map(), asked: new Set(), unreached: new Map() },
  }
  return waitOf(run, standOf(input), sites, known)
}

const batch: RunFact = { kind: 'batch', atMs: 1, sites: ['a'] }
const reached: RunFact = { kind: 'reached', atMs: 2, site: 'a' }
const failed: RunFact = { kind: 'failed', atMs: 3, site: 'a', reason: 'it crashed' }
const resumed: RunFact = { kind: 'word', atMs: 4, word: 'resume', who: 'ann' }

describe('what a deployment says that it waits for', () => {
  it('G13 a reason for each site that it waits for, also where the last pass over it found nothing', () => {
    expect(waitAfter([batch]).reason).to.equal(
      'waits for a (gets the version, and has to be found healthy with it)',
    )
    expect(waitAfter([batch, reached, { kind: 'stopped', atMs: 3, site: 'a' }]).reason).to.equal(
      'waits for a (did not run, and has to be found healthy again)',
    )
    expect(waitAfter([batch, reached, { kind: 'silent', atMs: 3, site: 'a' }]).reason).to.equal(
      'waits for a (answers again, and has to be found healthy)',
    )
    expect(waitAfter([batch, reached, failed, resumed]).reason).to.equal(
      'waits for a (has to be found healthy again)',
    )
  })

  it('G13 A33 on which site it failed, if it did, and that a person aborted it otherwise', () => {
    const abort: RunFact = { kind: 'word', atMs: 3, word: 'abort', who: 'ann' }
    expect(waitAfter([batch, failed])).to.deep.equal({
      ...{ state: 'aborted', failedOn: 'a', reason: 'failed on a: it crashed' },
      since: '1970-01-01T00:00:00.003Z',
    })
    expect(waitAfter([batch, abort])).to.deep.equal({
      ...{ state: 'aborted', reason: 'aborted by ann', since: '1970-01-01T00:00:00.003Z' },
    })
  })

  it('G13 A32 which sites were to prove the last batch, if they were taken out before they had', () => {
    expect(waitAfter([batch, reached], seenAs({}), ['b']).reason).to.equal(
      'no site is left that proves the last batch, so none follows until one is back, unless a person lets the others follow: a (not among the sites any more, or a wrong file: see "tallyman sites")',
    )
  })

  it('G13 A33 that a site is tried again, and not what failed there before a person said so', () => {
    const quarantined = seenAs({
      sync: 'OutOfSync',
      code: 'quarantined',
      reason: 'failed before: it crashed',
    })
    expect(waitAfter([batch, failed, resumed], quarantined).reason).to.equal('waits for a (is tried again)')
  })

  it('G13 A32 that the other sites have the version only if there are others', () => {
    const late = seenAs({ version: '1', sync: 'OutOfSync', code: 'window-closed', reason: 'opens later' })
    expect(waitAfter([], late, ['a'], false).reason).to.equal('waits for a (window-closed: opens later)')
  })

  it('G13 A36 since when and until when the last batch proves itself', () => {
    expect(waitAfter([batch, reached], seenAs({}), ['a'])).to.deep.equal({
      state: 'proving',
      reason: 'all sites have it',
      since: '1970-01-01T00:00:00.002Z',
      until: '1970-01-01T00:01:00.002Z',
    })
  })
})
