import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { runningTasks, type SwarmService, servicesOn } from '../../support/engine/swarm.ts'
import { swarmApart } from '../../support/engine/swarm-nodes.ts'
import { runningFrom } from '../../support/engine/tasks-on.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** It ends by itself once somebody makes a file. */
const endsOnFile = 'trap "exit 0" TERM; until [ -e /data/bad ]; do sleep 0.1; done; echo full; exit 7'

describe('a Docker Swarm that others use, too', () => {
  const it = sideBySide()
  const machine = swarmApart()

  const sceneOf = async () => {
    const site = { name: 'cluster', endpoint: `unix://${machine.dockerSocket}`, kind: 'swarm' }
    const scene = await createScene({
      commands: 'here',
      machine,
      // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
      config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
    })
    await scene.push('web', '1', { cmd: ['sh', '-c', endsOnFile] })
    return scene
  }

  const within = (timeoutSeconds: number) => ({ type: 'RollingUpdate', rollingUpdate: { timeoutSeconds } })

  /** Commits `shop` with a file of this content, a volume, and maybe more. */
  const release = (scene: Scene, content: string, container: object = {}, parts: object = {}) => {
    const mounts = [
      { 'volume-name': 'conf', files: [{ name: 'web.conf', 'mount-path': '/etc/web.conf' }] },
      { 'volume-name': 'data', 'mount-path': '/data' },
    ]
    const web = {
      ...{ name: 'web', replicas: 1, strategy: within(60), ...parts },
      containers: [{ name: 'web', image: `${scene.prefix}/web:1`, mounts, ...container }],
      volumes: [
        { name: 'conf', 'config-map': { items: [{ name: 'web.conf', data: content }] } },
        { name: 'data', 'persistent-volume': {} },
      ],
    }
    return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, 'shop', {
      'applications/shop.yaml': stringify({ name: 'shop', services: [web] }),
    })
  }

  const onlyOne = async ({ environment }: Scene): Promise<SwarmService> => {
    const [one, ...others] = (await servicesOn(machine.dockerSocket)).filter(({ Spec }) =>
      Spec.Name.startsWith(`${environment}_`),
    )
    if (one === undefined || others.length > 0) throw new Error('there is one')
    return one
  }

  /** Configs and networks of an environment by their names. */
  const heldBy = async ({ environment }: Scene): Promise<readonly string[]> => {
    const filters = JSON.stringify({ label: [`tallyman.environment=${environment}`] })
    const list = async (path: string): Promise<readonly { Name?: string; Spec?: { Name: string } }[]> =>
      JSON.parse(
        JSON.stringify(
          await engineGet(machine.dockerSocket, `${path}?filters=${encodeURIComponent(filters)}`),
        ),
      )
    const all = [...(await list('/configs')), ...(await list('/networks'))]
    return all.flatMap(({ Name, Spec }) => Name ?? Spec?.Name ?? [])
  }

  it('G10 has two environments with the same application side by side, and one goes without the other', async () => {
    await using here = await sceneOf()
    await using there = await sceneOf()
    for (const scene of [here, there]) {
      await release(scene, 'the same')
      expectCode(await scene.tallyman.run('apply'), 0)
    }
    for (const scene of [here, there]) expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    const [stays, held] = [await onlyOne(there), await heldBy(there)]
    await here.commit({
      skipConfirmation: true,
      services: [{ name: 'other', containers: [{ dockerTag: '1' }] }],
    })
    await here.push('other', '1')
    expectCode(await here.tallyman.run('apply', '--yes'), 0)
    expect((await onlyOne(here)).Spec.Name).to.equal(`${here.environment}_other`)
    expect(await heldBy(here)).to.deep.equal([`${here.environment}__default`])
    expect(await onlyOne(there)).to.deep.equal(stays)
    expect(await heldBy(there)).to.deep.equal(held)
    expect(await runningTasks(machine.dockerSocket, stays)).to.have.lengthOf(1)
    expectCode(await there.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it("G13 G10 is told in the Swarm's words that a port of its only node is that of another environment", async () => {
    await using here = await sceneOf()
    await using there = await sceneOf()
    const port = { ports: ['18094:80'] }
    const network = { 'outbound-access': { 'allow-all': true } }
    await release(here, 'a', port, { network })
    expectCode(await here.tallyman.run('apply'), 0)
    const before = await onlyOne(here)
    await release(there, 'a', port, { network, strategy: within(4) })
    const failed = await there.tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.include({ code: 'task-unplaced' })
    expect(failed.stdout).to.include('host-mode port already in use')
    expect(await onlyOne(here)).to.deep.equal(before)
  })

  it('D2 D18 makes a network anew that somebody removed with its service, once the nodes have forgotten it', async () => {
    await using scene = await sceneOf()
    const { tallyman, environment } = scene
    await release(scene, 'a')
    const daemon = await tallyman.daemon()
    const runs = () =>
      daemon.until('it runs', ({ applications: [shop], sync, running }) => {
        return shop?.running === 1 && sync === 'Synced' && running === undefined
      })
    await runs()
    const [held, before] = [await heldBy(scene), await onlyOne(scene)]
    expect((await engineCall(machine.dockerSocket, 'DELETE', `/services/${before.ID}`)).status).to.equal(200)
    await waitUntil('the network is removed', async () => {
      const { status } = await engineCall(machine.dockerSocket, 'DELETE', `/networks/${environment}_shop`)
      return status === 204
    })
    await waitUntil('it is there again', async () => {
      const there = await engineCall(machine.dockerSocket, 'GET', `/services/${environment}_shop_web`)
      return there.status === 200 && !there.body.toString().includes(before.ID)
    })
    await runs()
    expect(await heldBy(scene)).to.have.members(held)
    expect(await runningTasks(machine.dockerSocket, await onlyOne(scene))).to.have.lengthOf(1)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G13 D18 says of tasks that fail long after their release why they do, and blames nothing else for it', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await release(scene, 'a')
    const daemon = await tallyman.daemon()
    await daemon.until(
      'it runs',
      ({ applications: [shop], sync }) => shop?.running === 1 && sync === 'Synced',
    )
    const { Spec } = await onlyOne(scene)
    const [one] = await runningFrom(machine.dockerSocket, scene.prefix)
    await execIn(machine.dockerSocket, one?.id ?? '', 'touch /data/bad')
    await daemon.until('it is degraded', ({ applications: [shop] }) => shop?.health === 'Degraded')
    const status = await tallyman.run('status')
    expectCode(status, 0)
    expect(status.stdout).to.include('0 of 1 task of web run: again and again: task: non-zero exit (7)')
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await onlyOne(scene)).Spec, 'the Swarm starts it again, and nobody else').to.deep.equal(Spec)
    expect((await tallyman.run('log')).stdout).not.to.include('rolled-back')
  })
})
