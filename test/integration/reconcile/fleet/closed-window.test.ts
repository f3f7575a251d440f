import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { weekdays } from '../../../../lib/state/fleet/window.ts'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { atTerminal } from '../../../support/command/pseudo-terminal.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

/** An hour on the day of the week that is three days from now: closed for as long as any test runs. */
function closed(): object {
  const day = weekdays[(new Date(Date.now() + 3 * 86_400_000).getUTCDay() + 6) % 7]
  return { daysOfWeek: day, startTime: '12:00', timezone: 'UTC', duration: '1h' }
}

/** `web` runs in version 1, and version 2 is wanted. The window of the site is closed. */
async function waiting(): Promise<Scene> {
  const scene = await createScene({ windows: { owner: [closed()] } })
  for (const tag of ['1', '2', '3']) scene.push('web', tag, { env: { V: tag } })
  scene.push('page', '1')
  await scene.commit({ services: [service('web', '1')] })
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  await scene.commit({ services: [service('web', '2')] })
  return scene
}

/** As if the time of the window had come: it is open the whole week. */
async function open({ tallyman }: Scene): Promise<void> {
  const file = join(tallyman.directory, 'tallyman.yaml')
  const config = parse(await readFile(file, 'utf8'))
  config.sites[0].windows = [{ startTime: '00:00', timezone: 'UTC', duration: '7d' }]
  await writeFile(file, stringify(config))
}

const runs = async (scene: Scene) =>
  (await scene.containers()).map(({ labels }) => labels['tallyman.image']?.split(':').at(-1)).join()

/** What a command says, without the time that nobody can know. */
const said = ({ stdout }: { readonly stdout: string }) =>
  stdout.replaceAll(/\d{4}-\d\d-\d\d 12:00 UTC/g, 'THEN').replaceAll(/pass \d+/g, 'pass N')

describe('apply without a daemon while the window of the site is closed', () => {
  const it = sideBySide()

  it('A60 A64 G13 does what waits for no window, and says at its end what does, until when and what to do', async () => {
    await using scene = await waiting()
    const { tallyman } = scene
    await scene.commit({ services: [service('web', '2'), service('page', '1')] })
    const applied = await tallyman.run('apply', '--yes')
    expectCode(applied, 0)
    expect(said(applied)).to.match(
      /applied: 1 of 1 changes done \(pass N\)\nweb waits for the upgrade window, which opens THEN \(on local\)\nRun "tallyman apply" again then\. To install it now, run "tallyman force-upgrade" before it\.\n$/,
    )
    expect((await runs(scene)).split(',').sort()).to.deep.equal(['1', '1'])
  })

  it('A65 A66 G13 keeps the queue in the status, and an upgrade that is forced then goes on', async () => {
    await using scene = await waiting()
    const { tallyman } = scene
    expectCode(await tallyman.run('apply', '--yes'), 0)
    await scene.commit({ services: [service('web', '3')] })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const [{ applications }] = JSON.parse((await tallyman.run('status', '--output', 'json')).stdout)
    expect(
      applications[0].queue.map(({ version, state }: Record<string, string>) => `${version} ${state}`),
    ).to.deep.equal(['2 skipped', '3 next'])
    expect(applications[0]).to.include({ version: '1', wantedVersion: '3', code: 'window-closed' })
    expect(Date.parse(applications[0].until)).to.be.greaterThan(Date.now())
    expectCode(await tallyman.run('force-upgrade', '--yes'), 0)
    const applied = await tallyman.run('apply')
    expectCode(applied, 0)
    expect([applied.stdout.includes('upgrade window'), await runs(scene)]).to.deep.equal([false, '3'])
  })

  it('A60 X18 goes on in the next apply in the window, which asks nobody again', async () => {
    await using scene = await waiting()
    const { tallyman } = scene
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await runs(scene)).to.equal('1')
    await open(scene)
    expectCode(await tallyman.run('apply'), 0)
    expect(await runs(scene)).to.equal('2')
  })

  it('A60 X18 without an answer touches nothing, and asks although the window is closed', async () => {
    await using scene = await waiting()
    const asked = await scene.tallyman.run('apply')
    expectCode(asked, 3)
    expect(asked.stderr).to.include('The plan waits for a confirmation')
    expect(await runs(scene)).to.equal('1')
  })
})

describe('approve --wait while the window of the site is closed', () => {
  it('A60 X18 G13 ends with what waits for it and until when, and not as if nothing were left', async () => {
    await using scene = await waiting()
    const { tallyman } = scene
    const daemon = await tallyman.daemon()
    const { waiting: plan } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const approved = await tallyman.run('approve', plan?.plan ?? '', '--wait')
    expectCode(approved, 0)
    expect(said(approved)).to.match(
      /^in-sync, OutOfSync( \(pass N\))?\nweb waits for the upgrade window, which opens THEN \(on local\)\n$/,
    )
    expect(await runs(scene)).to.equal('1')
  })
})

describe('an approval of what waits for the window of its site', () => {
  const it = sideBySide()

  const ways: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
    'on the terminal': async ({ tallyman: { directory } }) => {
      const variables = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }
      await using terminal = atTerminal({ directory, variables }, 'apply')
      await terminal.shows('Apply this plan? Only "yes" is accepted:')
      terminal.type('yes\r')
      expect(await terminal.ended, terminal.shown()).to.equal(0)
    },
    'with --yes': async ({ tallyman }) => {
      expectCode(await tallyman.run('apply', '--yes'), 0)
    },
    'without a daemon': async ({ tallyman }) => {
      const { id } = JSON.parse((await tallyman.run('apply', '--output', 'json')).stdout)
      expectCode(await tallyman.run('approve', id), 0)
    },
    'to the daemon': async ({ tallyman }) => {
      const daemon = await tallyman.daemon()
      const { waiting: plan } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
      expectCode(await tallyman.run('approve', plan?.plan ?? ''), 0)
    },
  }
  for (const [way, say] of Object.entries(ways))
    it(`X18 lasts 30 days, given ${way}`, async () => {
      await using scene = await waiting()
      await say(scene)
      const journal = openJournal(join(scene.tallyman.stateDir, 'tallyman.sqlite'), { readOnly: true })
      const given = journal.approvals(scene.environment, 'local', Date.now())
      journal.close()
      expect(given.map(({ expiresAtMs, atMs }) => (expiresAtMs - atMs) / 86_400_000)).to.deep.equal([30])
    })
})
