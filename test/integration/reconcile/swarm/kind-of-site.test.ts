import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { createScene, type Scene } from '../scene.ts'

const kinds = { swarm: 'a Swarm', host: 'a host' } as const
type Kind = keyof typeof kinds

/** Says what the site is, in the configuration. */
async function sayKind({ tallyman, engine, config }: Scene, kind: Kind, name = 'local'): Promise<void> {
  const mode = kind === 'swarm' ? { endpointMode: 'dnsrr', publishMode: 'host' } : {}
  const sites = [{ name, endpoint: engine.endpoint, kind, ...mode }]
  await writeFile(
    join(tallyman.directory, 'tallyman.yaml'),
    stringify({ ...config, stateDir: tallyman.stateDir, sites }),
  )
}

/** Has the application `shop` run on sites with these labels. */
async function placeShop(scene: Scene, labels: string): Promise<void> {
  const containers = [{ name: 'app', image: `${scene.prefix}/web:1` }]
  const placement = { 'match-site-labels': labels }
  await scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, labels, {
    'applications/shop.yaml': stringify({
      name: 'shop',
      version: '1',
      services: [{ name: 'web', containers }],
    }),
    'deployments/shop.yaml': stringify({ name: 'shop', application: 'shop', placement }),
  })
}

/** What runs on the Swarm of the engine, and in containers of it. */
async function running(scene: Scene, swarm: ReturnType<Scene['engine']['beginSwarm']>) {
  const containers = await scene.containers()
  return { services: swarm.list({}).length, containers: containers.length }
}

describe('a site that is said to be of another kind than before', () => {
  for (const [title, was, is, runs] of [
    [
      'G4 G13 is left alone where a Swarm is to be a host, until that is as before',
      ...(['swarm', 'host', { services: 1, containers: 0 }] as const),
    ],
    [
      'G4 G13 is left alone where a host is to be a Swarm, until that is as before',
      ...(['host', 'swarm', { services: 0, containers: 1 }] as const),
    ],
  ] as const)
    it(title, async () => {
      await using scene = await createScene({ config: { healthyTime: '0s' } })
      const { tallyman } = scene
      const swarm = scene.engine.beginSwarm()
      scene.push('web', '1')
      await sayKind(scene, was)
      await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
      expectCode(await tallyman.run('apply'), 0)
      expect(await running(scene, swarm)).to.deep.equal(runs)

      await sayKind(scene, is)
      for (const command of ['plan', 'apply']) {
        const refused = await tallyman.run(command)
        expectCode(refused, 1)
        expect(refused.stderr).to.include(
          `local: it was ${kinds[was]}, where an application runs, and is now said to be ${kinds[is]} (site-kind-changed)`,
        )
      }
      expect(await running(scene, swarm)).to.deep.equal(runs)
      {
        const daemon = await tallyman.daemon()
        await daemon.until('it was looked at', ({ applications: [web] }) => web?.sync === 'Unknown')
        expect((await tallyman.run('status')).stdout).to.match(/\n +web +local +Unknown/)
        expect((await tallyman.run('sites')).stdout).to.include('(site-kind-changed)')
        await daemon.stop()
      }

      await sayKind(scene, was)
      expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    })

  it('G4 may be so where nothing runs any more, and back again', async () => {
    await using scene = await createScene({ config: { healthyTime: '0s' } })
    const { tallyman } = scene
    const swarm = scene.engine.beginSwarm()
    scene.push('web', '1')
    for (const kind of ['swarm', 'host', 'swarm'] as const) {
      await sayKind(scene, kind)
      await placeShop(scene, 'system/name')
      expectCode(await tallyman.run('apply', '--yes'), 0)
      const runs = { services: Number(kind === 'swarm'), containers: Number(kind === 'host') }
      expect(await running(scene, swarm)).to.deep.equal(runs)
      await placeShop(scene, 'not system/name')
      expectCode(await tallyman.run('apply', '--yes'), 0)
      expect(await running(scene, swarm)).to.deep.equal({ services: 0, containers: 0 })
    }
  })

  it('G4 is another site under another name', async () => {
    await using scene = await createScene({ config: { healthyTime: '0s' } })
    const { tallyman } = scene
    const swarm = scene.engine.beginSwarm()
    scene.push('web', '1')
    await sayKind(scene, 'swarm')
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    expectCode(await tallyman.run('apply'), 0)
    await sayKind(scene, 'host', 'machine')
    expectCode(await tallyman.run('apply'), 0)
    expect(await running(scene, swarm)).to.deep.equal({ services: 1, containers: 1 })
  })
})
