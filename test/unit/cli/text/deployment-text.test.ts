import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import {
  deploymentDetail,
  deploymentHead,
  deploymentLines,
} from '../../../../lib/cli/text/deployment-text.ts'
import type { DeploymentStatus } from '../../../../lib/reconcile/status/deployment/deployment-status.ts'

const done = (site: string) => ({ site, done: true })

/** A canary has version 2, and so has the first batch after it. */
const shop: DeploymentStatus = {
  name: 'shop',
  application: 'shop',
  version: '2.0.0',
  state: 'progressing',
  reason: 'waits for south',
  since: '2026-11-23T02:00:00.000Z',
  sites: { done: 2, now: 1, toCome: 1 },
  batches: [
    { at: '2026-11-23T01:00:00.000Z', canary: true, sites: [done('lab')] },
    { at: '2026-11-23T01:30:00.000Z', sites: [done('north')] },
    { at: '2026-11-23T02:00:00.000Z', sites: [{ site: 'south', done: false }] },
  ],
  left: [
    { site: 'south', version: '1.0.0', reason: '' },
    { site: 'west', version: '1.0.0', reason: 'waits for its turn in the deployment shop' },
  ],
}

const failed: DeploymentStatus = {
  ...shop,
  state: 'aborted',
  failedOn: 'south',
  reason: 'failed on south: exited with code 3',
  sites: { done: 2, now: 0, toCome: 2 },
}

const inProd = (one: DeploymentStatus) => ({ ...one, environment: 'prod' })

describe('a deployment for people', () => {
  it('G13 A32 shows its canaries, its batches, and the sites without the version', () => {
    expect(printed(deploymentDetail(inProd(shop), false), false)).to.equal(
      `Deployment shop in prod
  shop 2.0.0  progressing  2 of 4 sites done, 1 now, 1 to come
  waits for south (since 2026-11-23T02:00:00.000Z)
  canary, drawn 2026-11-23T01:00:00.000Z, 1 of 1 done: lab
  batch 1, drawn 2026-11-23T01:30:00.000Z, 1 of 1 done: north
  batch 2, drawn 2026-11-23T02:00:00.000Z, 0 of 1 done: south (not done)
  site   version  reason
  south  1.0.0
  west   1.0.0    waits for its turn in the deployment shop
`,
    )
  })

  it('G13 A12 says that its application is held at a version, by whom, and how that ends', () => {
    const commit = '4d6fb803c6d5dff399ac028a3110f50c2663f890'
    const held = { application: 'shop', version: '1.0.0', commit, reason: 'it leaks', who: 'kim' }
    const lines = deploymentDetail({ ...inProd(shop), held: { ...held, since: '' } }, false)
    expect(printed(lines, false)).to.include(
      '\n  shop held at version 1.0.0 (4d6fb803c6d5) by kim: it leaks; to end it: tallyman resume shop\n',
    )
  })

  it('G13 A11 says which batch has the sites that had the version with another content', () => {
    const [first, ...others] = shop.batches
    const batches = first === undefined ? [] : [{ ...first, otherContent: true as const }, ...others]
    expect(printed(deploymentDetail(inProd({ ...shop, batches }), false), false)).to.include(
      '  canary, with the sites that had the version, drawn 2026-11-23T01:00:00.000Z, 1 of 1 done: lab\n',
    )
  })

  it('G13 A33 says of one that has ended and is paused what both need', () => {
    const both: DeploymentStatus = { ...failed, isPaused: true }
    expect(printed(deploymentDetail(inProd(both), false), false)).to.include(
      '  to go on: tallyman resume shop, after a correction or a revert if the same is not to be tried again\n',
    )
  })

  it('G13 A33 shows a site that failed and keeps the version, and does not count it as done', () => {
    const afterwards: DeploymentStatus = {
      ...failed,
      sites: { done: 2, now: 0, toCome: 2, failed: 1 },
      batches: [{ at: '2026-11-23T01:00:00.000Z', canary: true, sites: [{ site: 'lab', done: false }] }],
      left: [
        { site: 'lab', version: '2.0.0', reason: 'failed' },
        { site: 'west', version: '1.0.0', reason: 'aborted' },
      ],
    }
    expect(printed(deploymentDetail(inProd(afterwards), false), false)).to.equal(
      `Deployment shop in prod
  shop 2.0.0  failed  1 of 4 sites done, 1 failed, 2 without it
  failed on south: exited with code 3 (since 2026-11-23T02:00:00.000Z)
  to go on: commit a correction or a revert; to try the same again: tallyman resume shop
  canary, drawn 2026-11-23T01:00:00.000Z, 0 of 1 done: lab (not done)
  site  version  reason
  lab   2.0.0    failed
  west  1.0.0    failed on south
`,
    )
  })

  it('G13 D15 counts no site as done or not while it is not known which version is meant', () => {
    const { version: _, ...rest } = shop
    const blocked = {
      ...rest,
      state: 'blocked',
      reason: 'it is wrong',
      sites: { done: 0, now: 0, toCome: 4 },
    } as const
    expect(printed(deploymentLines([blocked]), false)).to.equal(
      `  deployment shop  blocked  4 sites keep 1.0.0
    it is wrong (since 2026-11-23T02:00:00.000Z)
`,
    )
    const head = (...versions: readonly string[]) =>
      deploymentHead({
        ...blocked,
        left: versions.map(version => ({ site: 's', version, reason: 'blocked' })),
      })
    expect(head('1', '2', '1', '')).to.equal('shop  blocked  4 sites keep 1 and 2')
    expect(head('', ''), 'nobody knows what they have').to.equal('shop  blocked  4 sites')
  })

  it('G13 A33 says of one that failed that it did and where, how many sites are without the version, and how to go on', () => {
    expect(printed(deploymentLines([failed]), false)).to.equal(
      `  deployment shop 2.0.0  failed  2 of 4 sites done, 2 without it
    failed on south: exited with code 3 (since 2026-11-23T02:00:00.000Z)
    to go on: commit a correction or a revert; to try the same again: tallyman resume shop
`,
    )
  })

  it('G13 A33 says of one that a person aborted that this is so, and not that it failed', () => {
    const { failedOn: _, ...rest } = failed
    const [south] = shop.left
    const left = south === undefined ? [] : [{ ...south, reason: 'aborted' }]
    const aborted: DeploymentStatus = { ...rest, reason: 'aborted by ann', left }
    const lines = printed(deploymentDetail(inProd(aborted), false), false).split('\n')
    expect([lines[1], lines[2], lines.at(-2)]).to.deep.equal([
      '  shop 2.0.0  aborted  2 of 4 sites done, 2 without it',
      '  aborted by ann (since 2026-11-23T02:00:00.000Z)',
      '  south  1.0.0    aborted',
    ])
  })

  it('G13 says how a paused one goes on', () => {
    const paused: DeploymentStatus = { ...shop, state: 'paused', reason: 'paused by ann' }
    expect(printed(deploymentLines([paused]), false)).to.include('    to go on: tallyman resume shop\n')
  })

  const refused: DeploymentStatus = {
    ...shop,
    state: 'refused',
    reason: 'the deployment shop has no canary',
    hint: 'Correct its label expressions.',
    sites: { done: 0, now: 0, toCome: 4 },
    batches: [],
    left: [
      {
        site: 'west',
        version: '1.0.0',
        reason: 'the site does not answer',
        since: '2026-11-23T01:10:00.000Z',
      },
    ],
  }

  it('G13 says of a refused one why, since when and what to do, and of a silent site since when', () => {
    expect(printed(deploymentDetail(inProd(refused), false), false)).to.equal(
      `Deployment shop in prod
  shop 2.0.0  refused  it had 4 sites, without this version
  the deployment shop has no canary (since 2026-11-23T02:00:00.000Z)
  hint: Correct its label expressions.
  site  version  reason
  west  1.0.0    the site does not answer (since 2026-11-23T01:10:00.000Z)
`,
    )
  })

  it('G13 does not say again what an error above it says', () => {
    expect(printed(deploymentLines([refused], [{ message: refused.reason }]), false)).to.equal(
      `  deployment shop 2.0.0  refused  it had 4 sites, without this version
    the error above says why (since 2026-11-23T02:00:00.000Z)
`,
    )
  })

  it('G13 A31 tells of a refused one which sites it had, and not that they are done: it means others now', () => {
    const reason = 'the deployment shop has no canary: none of its 3 sites matches "lab"'
    const head = (done: number) => {
      const sites = { done, now: 0, toCome: 4 - done }
      return deploymentLines([{ ...refused, reason, sites, left: [] }])[0]
    }
    expect(head(4)).to.equal('  deployment shop 2.0.0  refused  it had 4 sites, with this version')
    expect(head(3)).to.equal('  deployment shop 2.0.0  refused  it had 4 sites, 3 of them with this version')
  })

  it('G13 counts no sites where none are known', () => {
    const unknown = { ...refused, sites: { done: 0, now: 0, toCome: 0 }, left: [] }
    expect(deploymentLines([unknown])[0]).to.equal('  deployment shop 2.0.0  refused')
  })

  it('G13 A31 says how the others follow the canaries', () => {
    const waiting: DeploymentStatus = { ...shop, state: 'waiting', approve: 'db84430209462214' }
    expect(printed(deploymentLines([waiting]), false)).to.include(
      '    to let them follow: tallyman approve db84430209462214\n',
    )
  })

  it('G13 names the application beside a deployment of another name', () => {
    const [line] = deploymentLines([{ ...shop, name: 'shop-everywhere' }])
    expect(line).to.equal(
      '  deployment shop-everywhere: shop 2.0.0  progressing  2 of 4 sites done, 1 now, 1 to come',
    )
  })

  it('G13 names five sites of a batch, and all of them if it is asked to', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const large: DeploymentStatus = {
      ...shop,
      batches: [{ at: '2026-11-23T01:00:00.000Z', canary: true, sites: names.map(done) }],
      left: [],
    }
    const line = (every: boolean) => deploymentDetail(inProd(large), every).at(-1)
    const begin = '  canaries, drawn 2026-11-23T01:00:00.000Z, 6 of 6 done: '
    expect(line(false)).to.equal(`${begin}a, b, c, d, e … (--all lists them)`)
    expect(line(true)).to.equal(`${begin}a, b, c, d, e, f`)
  })
})
