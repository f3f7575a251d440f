import { expect } from 'chai'
import { stringify } from 'yaml'
import { printed } from '../../../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../../../lib/cli/text/status/status-text.ts'
import type { ApplicationStatus } from '../../../../../../lib/reconcile/status/application/application-status.ts'
import type { DeploymentStatus } from '../../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { Files } from '../../../../../support/builders/snapshot.ts'
import { Fleet, sites } from '../../../fleet/scene.ts'

type App = {
  readonly name: string
  readonly version?: string
  readonly port?: string
  readonly requires?: Readonly<Record<string, string>>
}

/** These applications, each on all sites by a deployment, or without one. */
function repository(apps: readonly App[], { isDeployed = true, skipConfirmation = true } = {}): Files {
  const services = apps.map(({ name }) => ({ name }))
  return {
    'environments/prod/manifest.json': JSON.stringify({ services, skipConfirmation }),
    ...Object.fromEntries(
      apps.flatMap(({ name, version = '1.0.0', port, requires }) => [
        [
          `applications/${name}.yaml`,
          stringify({
            ...{ name, version },
            services: [
              {
                name,
                containers: [
                  {
                    name: 'app',
                    image: `${name}:${version}`,
                    ...(port === undefined ? {} : { ports: [`${port}:80`] }),
                  },
                ],
              },
            ],
            ...(requires === undefined ? {} : { requires }),
          }),
        ],
        ...(isDeployed
          ? [
              [
                `deployments/${name}.yaml`,
                stringify({ name, application: name, placement: { 'match-site-labels': 'system/type' } }),
              ],
            ]
          : []),
      ]),
    ),
  }
}

const where = '127.0.0.1:8088'
const [porta, portb] = [
  { name: 'porta', port: where },
  { name: 'portb', port: where },
]

/** What is told of an application: its row, its deployment, and of the plan that waits. */
async function told(fleet: Fleet, name: string) {
  await fleet.daemon.pass()
  await fleet.daemon.pass()
  const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
  const row: ApplicationStatus | undefined = environment.applications.find(
    (one: ApplicationStatus) => one.application === name && one.site === 'a',
  )
  const deployment: DeploymentStatus | undefined = environment.deployments?.find(
    (one: DeploymentStatus) => one.application === name,
  )
  return { row, deployment, plan: environment.waiting?.plan }
}

/** A fleet of so many sites, on which these ran, and on which these are wanted then. */
async function from(before: Files, after: Files, ofSites = 1): Promise<Fleet> {
  const fleet = await Fleet.start(before, sites.slice(0, ofSites), 'confirm')
  await fleet.daemon.pass()
  await fleet.daemon.pass()
  fleet.commit(after)
  return fleet
}

describe('an application that comes after what waits for an approval', () => {
  const removal = `waits for the removal of porta, which has host port ${where}`

  it('G13 D3 waits, and says for which removal and how that is approved', async () => {
    await using fleet = await from(repository([porta]), repository([portb]))
    const { row, deployment, plan } = await told(fleet, 'portb')
    expect(row?.reason).to.equal(`${removal}: tallyman approve ${plan}`)
    expect([deployment?.state, deployment?.reason]).to.deep.equal([
      'waiting',
      `waits for a (${removal}: tallyman approve ${plan})`,
    ])
    expect(deployment?.left.map(({ reason }) => reason)).to.deep.equal([row?.reason])
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/approve`, { who: 'ann' })
    const after = await told(fleet, 'portb')
    expect([after.row?.reason, after.row?.approval, after.deployment?.state]).to.deep.equal([
      '',
      undefined,
      'done',
    ])
  })

  it('G13 D4 says who declined that, and that another commit asks again', async () => {
    await using fleet = await from(repository([porta]), repository([portb]))
    const { plan } = await told(fleet, 'portb')
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/discard`, { who: 'lou', message: 'not today' })
    const no = `${removal}; that was discarded by lou at 1970-01-01T00:16:40.000Z (not today), and another commit asks again`
    const { row, deployment } = await told(fleet, 'portb')
    expect(row?.reason).to.equal(no)
    expect([deployment?.state, deployment?.reason]).to.deep.equal(['waiting', `waits for a (${no})`])
    fleet.commit(repository([portb]))
    const again = await told(fleet, 'portb')
    expect([again.row?.reason, again.plan]).to.deep.equal([`${removal}: tallyman approve ${plan}`, plan])
  })

  it('G13 says so of an update as well, and of what requires it', async () => {
    const moving = (port: string | undefined) => ({
      name: 'portb',
      ...(port === undefined ? { version: '1.0.0' } : { version: '2.0.0', port }),
    })
    const api = (version: string) => ({ name: 'api', version, requires: { portb: '*' } })
    await using fleet = await from(
      repository([porta, moving(undefined), api('1.0.0')]),
      repository([moving(where), api('2.0.0')]),
    )
    const { row, deployment, plan } = await told(fleet, 'portb')
    expect([row?.version, row?.wantedVersion, row?.reason]).to.deep.equal([
      ...['1.0.0', '2.0.0', `${removal}: tallyman approve ${plan}`],
    ])
    expect(deployment?.state).to.equal('waiting')
    const behind = await told(fleet, 'api')
    const reason = `waits for the change of portb, which it requires: tallyman approve ${plan}`
    expect([behind.row?.reason, behind.deployment?.state]).to.deep.equal([reason, 'waiting'])
  })

  it('G13 says so without a deployment', async () => {
    const more = { isDeployed: false }
    await using fleet = await from(repository([porta], more), repository([portb], more))
    const { row, deployment, plan } = await told(fleet, 'portb')
    expect([row?.reason, deployment]).to.deep.equal([`${removal}: tallyman approve ${plan}`, undefined])
  })

  it('G13 D4 tells of each of two sites what was said of its own plan', async () => {
    await using fleet = await from(repository([porta]), repository([portb]), 2)
    const { deployment, plan } = await told(fleet, 'portb')
    const bySite = (left: DeploymentStatus['left'] = []) =>
      Object.fromEntries(left.map(({ site, reason }) => [site, reason]))
    const open = `${removal}: tallyman approve ${plan}`
    expect(bySite(deployment?.left)).to.deep.equal({ a: open, b: open })
    const ofA = fleet.daemon.results()[0]?.parts?.find(({ site }) => site === 'a')?.plan?.id
    await fleet.daemon.ask(`POST /api/v1/plans/${ofA}/discard`, { who: 'lou' })
    const { deployment: after, plan: left } = await told(fleet, 'portb')
    expect(left).to.be.a('string').and.not.equal(plan)
    expect(after?.state).to.equal('waiting')
    expect(bySite(after?.left)).to.deep.equal({
      a: `${removal}; that was discarded by lou at 1970-01-01T00:16:40.000Z, and another commit asks again`,
      b: `${removal}: tallyman approve ${left}`,
    })
  })

  it('G13 waits as well for what cannot be given up now', async () => {
    await using fleet = await from(repository([porta]), repository([portb]))
    await fleet.daemon.ask('POST /api/v1/suspend', { application: 'porta', reason: 'frozen', who: 'ann' })
    const { row, deployment } = await told(fleet, 'portb')
    const reason = `needs host port ${where}, which porta still has: frozen`
    expect([row?.reason, row?.code]).to.deep.equal([reason, 'claim-held'])
    expect([deployment?.state, deployment?.reason]).to.deep.equal([
      'waiting',
      `waits for a (claim-held: ${reason})`,
    ])
  })

  it('G13 A12 waits as well where a person holds it at a version', async () => {
    const later = { name: 'portb', version: '2.0.0' }
    await using fleet = await Fleet.start(repository([portb]), sites.slice(0, 1), 'confirm', true)
    await fleet.daemon.pass()
    await fleet.daemon.pass()
    fleet.commit(repository([porta, later]))
    await told(fleet, 'porta')
    fleet.commit(repository([later]))
    await told(fleet, 'portb')
    await fleet.daemon.ask('POST /api/v1/rollback', {
      ...{ application: 'portb', to: '1.0.0', who: 'ann', reason: 'outage' },
    })
    const { row, deployment, plan } = await told(fleet, 'portb')
    expect(row?.reason).to.equal(`${removal}: tallyman approve ${plan}`)
    expect([deployment?.state, deployment?.version]).to.deep.equal(['waiting', '1.0.0'])
  })
})

describe('a deployment whose version somebody declined', () => {
  it('G13 D4 waits, and says who did, until another commit asks again', async () => {
    const asking = { skipConfirmation: false }
    await using fleet = await from(repository([]), repository([porta], asking))
    const { deployment: before, plan } = await told(fleet, 'porta')
    expect([before?.state, before?.reason]).to.deep.equal(['waiting', 'waits for a (needs an approval)'])
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/discard`, { who: 'lou' })
    const { deployment } = await told(fleet, 'porta')
    const reason =
      'was discarded by lou at 1970-01-01T00:16:40.000Z, and another commit asks again, or "tallyman retry porta"'
    expect([deployment?.state, deployment?.reason]).to.deep.equal(['waiting', `waits for a (${reason})`])
    fleet.commit(repository([porta], asking))
    const { deployment: again } = await told(fleet, 'porta')
    expect([again?.state, again?.reason]).to.deep.equal(['waiting', 'waits for a (needs an approval)'])
  })

  it('G13 D4 waits until somebody tries it again, who is told where that asks anew', async () => {
    const asking = { skipConfirmation: false }
    await using fleet = await from(repository([]), repository([porta], asking))
    const { plan } = await told(fleet, 'porta')
    await fleet.daemon.ask(`POST /api/v1/plans/${plan}/discard`, { who: 'lou' })
    await told(fleet, 'porta')
    const retry = () => fleet.daemon.ask('POST /api/v1/retry', { application: 'porta', who: 'ann' })
    expect(await retry()).to.deep.equal({ released: 0, askedAgain: ['a'] })
    const { deployment } = await told(fleet, 'porta')
    expect(deployment?.reason).to.equal('waits for a (needs an approval)')
    expect(await retry()).to.deep.equal({ released: 0 })
  })

  it('G13 D4 stays declined on its site, which its row and an approval of the plan of all sites say', async () => {
    const asking = { skipConfirmation: false }
    await using fleet = await from(repository([]), repository([porta], asking), 2)
    await told(fleet, 'porta')
    const ofA = fleet.daemon.results()[0]?.parts?.find(({ site }) => site === 'a')?.plan?.id
    await fleet.daemon.ask(`POST /api/v1/plans/${ofA}/discard`, { who: 'lou', message: 'not here' })
    const { row, plan: ofB } = await told(fleet, 'porta')
    expect(row?.approval).to.deep.equal({
      ...{ of: 'itself', plan: ofA },
      declined: {
        ...{ who: 'lou', at: '1970-01-01T00:16:40.000Z', message: 'not here' },
        again: 'tallyman retry porta',
      },
    })
    const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
    expect(printed(statusLines({ ...environment, ingress: [], engines: [] }, 0), false)).to.match(
      /^ *porta on a: .*; its plan was discarded by lou at 1970-01-01T00:16:40\.000Z \(not here\), and another commit asks again, or "tallyman retry porta"$/m,
    )
    const all = fleet.daemon.results()[0]?.plan?.id
    expect(all).not.to.be.oneOf([ofA, ofB])
    const { left } = await fleet.daemon.ask(`POST /api/v1/plans/${all}/approve`, { who: 'ann' })
    expect(left).to.deep.equal([
      { site: 'a', reason: 'its plan was discarded by lou at 1970-01-01 00:16:40' },
    ])
    const approvedOn = (site: string) => fleet.daemon.journal.approvals('prod', site, 1_000_000).length > 0
    expect([approvedOn('a'), approvedOn('b')]).to.deep.equal([false, true])
  })
})
