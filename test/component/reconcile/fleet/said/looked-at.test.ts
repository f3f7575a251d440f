import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

/** `c` goes first; the others follow after an hour. */
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 60m}'

/** A fleet on which version 2 has just failed on its canary. */
async function failedOnCanary(more?: object): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', canary))
  await fleet.until('proving', 1)
  fleet.nowMs += 60 * minute
  await fleet.until('done', 4)
  fleet.failing = 'c'
  fleet.commit(filesOf('2', canary, more))
  fleet.looks.clear()
  await fleet.daemon.pass()
  return fleet
}

/** How often the sites that wait were looked at. */
function looksAtOthers({ looks }: Fleet): readonly (number | undefined)[] {
  return ['a', 'b', 'd'].map(site => looks.get(site))
}

async function seenOf(fleet: Fleet): Promise<readonly string[]> {
  const [{ applications }] = await fleet.daemon.ask('GET /api/v1/environments')
  return applications.flatMap(({ site, application, code, reason }: ApplicationStatus) =>
    application === 'shop' && site !== 'c' && site !== 'e' ? [`${site} ${code}: ${reason}`] : [],
  )
}

function onOthers(text: string): readonly string[] {
  return ['a', 'b', 'd'].map(site => `${site} ${text}`)
}

describe('the sites that are looked at because of a deployment', () => {
  it('A33 G13 a failure on one of them, and the word that goes on, lead to no look at sites that only wait; all say why they do', async () => {
    await using fleet = await failedOnCanary()
    await waitUntil('it is stopped', async () => (await fleet.status()).state === 'aborted')
    expect(await seenOf(fleet)).to.deep.equal(
      onOthers('deployment-stopped: the deployment shop-everywhere failed on c'),
    )
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await waitUntil('the canary has it', async () => (await fleet.status()).state === 'proving')
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    expect(await seenOf(fleet)).to.deep.equal(
      onOthers('not-its-turn: waits for its turn in the deployment shop-everywhere'),
    )
    expect(looksAtOthers(fleet), 'the look for the commit').to.deep.equal([1, 1, 1])
  })

  it('A33 X18 where a person is asked, a word about the deployment leads to a look, because nobody is asked while it is stopped', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await fleet.until('proving', 1)
    fleet.nowMs += 60 * minute
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', canary, {}))
    const isAsked = async () => (await fleet.daemon.ask('GET /api/v1/environments'))[0].waiting !== undefined
    await fleet.daemon.pass()
    expect(await isAsked()).to.equal(true)
    await fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop-everywhere', who: 'ann' })
    await waitUntil('nobody is asked', async () => !(await isAsked()))
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await waitUntil('somebody is asked', isAsked)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('A33 a word about the deployment leads to a look where something went wrong, although it waits there', async () => {
    await using fleet = await failedOnCanary()
    await waitUntil('it is stopped', async () => (await fleet.status()).state === 'aborted')
    fleet.unfit = 'a'
    // Its pause gets longer each time, and is longer by then than this test would wait.
    for (let count = 0; count < 10; count += 1) await fleet.daemon.pass()
    const [before = 0] = looksAtOthers(fleet)
    fleet.unfit = ''
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await waitUntil('it is looked at again', async () => looksAtOthers(fleet)[0] === before + 1)
  })
})
