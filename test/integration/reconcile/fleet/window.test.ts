import { expect } from 'chai'
import { weekdays } from '../../../../lib/state/fleet/window.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { type SimulatedScene, service, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

/** An hour on the day of the week that is three days from now: closed for as long as any test runs. */
function closed(): object {
  const day = weekdays[(new Date(Date.now() + 3 * 86_400_000).getUTCDay() + 6) % 7]
  return { daysOfWeek: day, startTime: '12:00', timezone: 'UTC', duration: '1h' }
}

/** Two sites that run `web` in version 1. Only `west` has a window, which is closed. The registry has 2 and 3, too. */
async function deployed(): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    sites: ['east', 'west'],
    siteConfig: { west: { windows: { owner: [closed()] } } },
    config: { poll: '1h' },
  })
  for (const tag of ['1', '2', '3']) scene.registry.push('web', tag)
  scene.registry.push('page', '1')
  await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
  await scene.until('it runs', isSynced)
  return scene
}

const running = (tag: string) => [`web.1 registry.example.com/web:${tag} running`]

const reasons = ({ applications }: StatusDocument) =>
  applications.map(({ application, reason }) => `${application}: ${reason}`).join('\n')

describe('an upgrade while the window of a site is closed', () => {
  const it = sideBySide()

  it('A60 A64 goes on elsewhere and waits there, where what runs is repaired and what is new is installed', async () => {
    await using scene = await deployed()
    await scene.commit({ services: [service('web', '2'), service('page', '1')], skipConfirmation: true })
    const status = await scene.until('east has it', () =>
      scene.has('east').some(line => line.includes('web:2')),
    )
    expect(reasons(status)).to.match(/^web: waits for the upgrade window, which opens .* 12:00 UTC$/m)
    expect(scene.has('west')).to.deep.equal(['page.1 registry.example.com/page:1 running', ...running('1')])
    const web = scene
      .site('west')
      .containers()
      .find(({ name }) => name.includes('web'))
    await engineCall(scene.site('west').socket, 'DELETE', `/containers/${web?.id}?force=true`)
    await waitUntil(
      'it is there again, as it was',
      () =>
        scene.has('west').join() === ['page.1 registry.example.com/page:1 running', ...running('1')].join(),
    )
  })

  it('A60 waits over a restart, and is over when the commit is reverted', async () => {
    await using scene = await deployed()
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('east has it', () => scene.has('east').join() === running('2').join())
    await scene.restart()
    await scene.commit({ services: [service('web', '3')], skipConfirmation: true })
    await scene.until('east has that', () => scene.has('east').join() === running('3').join())
    expect(scene.has('west')).to.deep.equal(running('1'))
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await scene.until('both are as wanted', isSynced)
    expect([scene.has('east'), scene.has('west')]).to.deep.equal([running('1'), running('1')])
  })

  it('A65 A66 goes by way of a version of many commits ago when somebody forces it, also after a restart', async () => {
    await using scene = await deployed()
    const release = (version: string, tag: string, from = '.*') =>
      scene.commit(
        { services: [{ name: 'web' }], skipConfirmation: true },
        {
          'applications/web.yaml': `name: web
version: "${version}"
services: [{name: web, containers: [{name: web, image: "registry.example.com/web:${tag}"}]}]
upgrade-from: [{version-regexp: '${from}', method: stop-and-restart}]
`,
        },
      )
    for (const tag of ['a', 'b']) scene.registry.push('web', tag, { env: { TAG: tag } })
    await release('3.0', 'a')
    await scene.until('east has it', () => scene.has('east').join() === running('a').join())
    for (const minor of ['1', '2', '3', '4', '5']) {
      const commit = await release(`3.0.${minor}`, 'b', '^3')
      await scene.until('east has that', ({ revision }) => revision?.commit === commit)
    }
    const waits = await scene.until('west waits', ({ applications }) =>
      applications.some(({ queue = [] }) => queue.at(-1)?.version === '3.0.5'),
    )
    const queue = waits.applications.find(({ site }) => site === 'west')?.queue ?? []
    expect(queue.map(({ version, state }) => `${version} ${state}`)).to.deep.equal([
      ...['3.0 next', '3.0.1 skipped', '3.0.2 skipped', '3.0.3 skipped', '3.0.4 skipped', '3.0.5 later'],
    ])
    await scene.restart()
    await scene.ask('POST /api/v1/force-upgrade', { site: ['west'] })
    const after = await scene.until('both are as wanted', isSynced)
    expect([scene.has('west'), after.applications.map(({ version }) => version)]).to.deep.equal([
      running('b'),
      ['3.0.5', '3.0.5'],
    ])
  })

  it('A66 installs a version that somebody deleted only if it is forced, or a newer one comes', async () => {
    await using scene = await deployed()
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('east has it', () => scene.has('east').join() === running('2').join())
    await scene.until('west waits', ({ applications }) =>
      applications.some(({ queue }) => queue !== undefined),
    )
    await scene.ask('POST /api/v1/delete-upgrade', { application: 'web', who: 'ann' })
    const deleted = await scene.until('it is deleted', ({ applications }) =>
      applications.some(({ queue = [] }) => queue.some(({ state }) => state === 'deleted')),
    )
    expect(reasons(deleted)).to.match(
      /^web: this version was deleted from the queue by ann; "tallyman force-upgrade web 2 --site west" installs it there after all$/m,
    )
    expect([deleted.errors, scene.has('west')]).to.deep.equal([[], running('1')])
    await scene.ask('POST /api/v1/force-upgrade', {})
    await scene.until('both are as wanted', isSynced)
    expect(scene.has('west')).to.deep.equal(running('2'))
  })
})
