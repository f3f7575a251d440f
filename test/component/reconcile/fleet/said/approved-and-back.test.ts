import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const atOnce = 'deploy-to-sites: {}'
const first = filesOf('1', atOnce, {})
const second = filesOf('2', atOnce, {})

/** The same, with this text in its deployment in place of another one. */
function deployed(files: Files, [before, now]: readonly [string, string]): Files {
  const deployment = files['deployments/shop-everywhere.yaml']?.toString() ?? ''
  return { ...files, 'deployments/shop-everywhere.yaml': deployment.replace(before, now) }
}

/** A specification of this version, and whatever else it has. */
function specified(version: string, service: string, more = ''): Files {
  return {
    ...filesOf(version, atOnce, {}),
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'shop' }] }),
    'applications/shop.yaml': `name: shop\nversion: "${version}"\nservices: [${service}]\n${more}`,
  }
}

const running = '{name: shop, containers: [{name: shop, image: "shop:2"}]}'

async function commit(fleet: Fleet, files: Files): Promise<void> {
  fleet.nowMs += minute
  fleet.commit(files)
  await fleet.daemon.pass()
}

async function statusOf(fleet: Fleet) {
  const [status] = await fleet.daemon.ask('GET /api/v1/environments')
  return status
}

async function approve(fleet: Fleet): Promise<void> {
  const { waiting } = await statusOf(fleet)
  await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
  await fleet.daemon.pass()
}

/** A fleet that runs version 1, and whose version 2 was approved while its deployment was paused. */
async function paused(files: Files = second): Promise<Fleet> {
  const fleet = await Fleet.start(first)
  await fleet.daemon.pass()
  await approve(fleet)
  await fleet.until('done', 4)
  await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop-everywhere', who: 'ann' })
  await commit(fleet, files)
  await approve(fleet)
  expect(fleet.runs(), 'it is paused').to.equal('1 1 1 1 -')
  expect((await statusOf(fleet)).waiting, 'it is approved').to.equal(undefined)
  return fleet
}

/** What becomes of an approved version once a commit brings something else, and the next one brings it again. */
async function comesBackAfter(fleet: Fleet, other: Files, again: Files = second): Promise<string> {
  await commit(fleet, other)
  const { approved } = await statusOf(fleet)
  await commit(fleet, again)
  const { waiting } = await statusOf(fleet)
  return `${approved === undefined ? 'none' : 'still'} to carry out; then ${waiting === undefined ? 'goes on' : 'asks'}`
}

const goesOn = 'still to carry out; then goes on'
const lapsed = 'none to carry out; then asks'

describe('an approved version that has not begun, once a commit brought something else and the next one brings it again', () => {
  it('X18 asks, if another version was wanted whose image is not there, and is installed once it is approved again', async () => {
    await using fleet = await paused()
    fleet.missing = ':3'
    expect(await comesBackAfter(fleet, filesOf('3', atOnce, {}))).to.equal(lapsed)
    await approve(fleet)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('X18 asks, if another version was wanted whose registry did not answer', async () => {
    await using fleet = await paused()
    fleet.unresolved = ':3'
    expect(await comesBackAfter(fleet, filesOf('3', atOnce, {}))).to.equal(lapsed)
  })

  it('X18 A10 asks, if the deployment named a version that there is not', async () => {
    await using fleet = await paused()
    expect(
      await comesBackAfter(
        fleet,
        deployed(second, ['application: shop', 'application: shop\napplication-version: "77"']),
      ),
    ).to.equal(lapsed)
  })

  it('X18 asks, if another version was wanted whose specification has a mistake', async () => {
    const wrong =
      '{name: shop, containers: [{name: shop, image: "shop:2", env: {A: {value-from: {secret: "no"}}}}]}'
    await using fleet = await paused(specified('2', running))
    expect(await comesBackAfter(fleet, specified('3', wrong), specified('2', running))).to.equal(lapsed)
  })

  it('X18 asks, if another version was wanted that requires what is not there', async () => {
    const needy = 'requires: {database: "*"}'
    await using fleet = await paused(specified('2', running))
    expect(await comesBackAfter(fleet, specified('3', running, needy), specified('2', running))).to.equal(
      lapsed,
    )
  })

  it('X18 asks, if a third version that is the same otherwise comes after one whose image is not there', async () => {
    await using fleet = await paused(specified('2', running))
    fleet.missing = ':gone'
    const gone = specified('3', running.replace('shop:2', 'shop:gone'))
    expect(await comesBackAfter(fleet, gone, specified('4', running))).to.equal(lapsed)
  })

  it('X18 asks once only, however often the other version is looked for', async () => {
    await using fleet = await paused()
    fleet.missing = ':3'
    await commit(fleet, filesOf('3', atOnce, {}))
    await fleet.daemon.pass()
    await commit(fleet, second)
    await approve(fleet)
    await fleet.daemon.pass()
    expect((await statusOf(fleet)).waiting).to.equal(undefined)
  })

  it('X18 G13 goes on, if its own image could not be asked for meanwhile', async () => {
    await using fleet = await paused()
    fleet.unresolved = ':2'
    await fleet.restart()
    expect(await comesBackAfter(fleet, { ...second, 'README.md': 'more' })).to.equal(goesOn)
  })

  it('X18 G13 goes on, if the deployment of the same version meant no site meanwhile', async () => {
    await using fleet = await paused()
    expect(await comesBackAfter(fleet, deployed(second, ['= edge', '= nothing']))).to.equal(goesOn)
  })

  it('X18 D4 goes on, if the version had another content meanwhile: it is asked about by itself', async () => {
    await using fleet = await paused(specified('2', running))
    await commit(fleet, specified('2', running.replace('shop:2"', 'shop:2", env: {A: b}')))
    expect((await statusOf(fleet)).waiting).to.not.equal(undefined)
    await commit(fleet, specified('2', running))
    expect((await statusOf(fleet)).waiting).to.equal(undefined)
  })

  it('X18 D4 goes on, if the next version is the same otherwise', async () => {
    await using fleet = await paused(specified('2', running))
    await commit(fleet, specified('3', running))
    expect((await statusOf(fleet)).waiting).to.equal(undefined)
  })

  it('X18 G13 goes on, if nobody could tell meanwhile which version a commit wants', async () => {
    await using fleet = await paused(specified('2', running))
    const unreadable = { ...specified('3', running), 'applications/shop.yaml': 'name: shop\nversion: "3' }
    expect(await comesBackAfter(fleet, unreadable, specified('2', running))).to.equal(goesOn)
  })
})
