import { expect } from 'chai'
import type { TallymanConfig } from '../support/command/tallyman.ts'
import { engineCall } from '../support/engine/engine-call.ts'
import { runningTasks, type SwarmService, servicesOn } from '../support/engine/swarm.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { expectCode } from './plan-document.ts'
import { type AnyScene, service } from './scene.ts'

/**
 * The same tests for a simulated Swarm of one node and a real one: what passes on one and not on the other shows where
 * the simulation is wrong. `sceneOf` has the site `cluster`, and no port of the host in use.
 */
export function servicesOfSwarm(
  it: (title: string, body: () => Promise<void>) => void,
  sceneOf: (config?: TallymanConfig) => Promise<AnyScene & AsyncDisposable>,
): void {
  it('G2 G5 D3 gets services that are made, changed and removed as planned, and once only', async () => {
    await using scene = await sceneOf()
    const { tallyman, environment, dockerSocket } = scene
    for (const tag of ['1', '2']) await scene.push('web', tag, { env: { V: tag } })
    await release(scene, '1')
    const made = await tallyman.run('apply')
    expectCode(made, 0)
    expect(made.stdout).to.include(
      '2 tasks of the Swarm, replaced 1 at a time, each started before another is stopped',
    )
    expect(made.stderr).to.include(`create-service ${environment}_shop_web`)
    const first = await onlyOne(scene)
    expect(first.Spec.Mode).to.deep.equal({ Replicated: { Replicas: 2 } })
    expect(first.Spec.TaskTemplate.ContainerSpec.Image).to.match(/\/web@sha256:[0-9a-f]{64}$/)
    const before = await runningTasks(dockerSocket, first)
    expect(before.length).to.equal(2)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await onlyOne(scene)).Version, 'nothing was done').to.deep.equal(first.Version)

    await release(scene, '2', 'replicas: 3')
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('web/replicas: 2 → 3')
    expect(planned.stdout).to.match(/web\/image: \S+\/web:1@\S+ → \S+\/web:2@/)
    expect(planned.stdout).to.include(
      'rolling: the Swarm starts each task before it stops the one in its place',
    )
    expectCode(await tallyman.run('apply'), 0)
    const second = await onlyOne(scene)
    expect(second.ID).to.equal(first.ID)
    const after = await runningTasks(dockerSocket, second)
    expect(after.filter(task => before.includes(task))).to.deep.equal([])
    expect(after.length).to.equal(3)

    await scene.commit({ skipConfirmation: true, services: [service('other', '1')] })
    await scene.push('other', '1')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect((await ofScene(scene)).map(({ Spec }) => Spec.Name)).to.deep.equal([`${environment}_other`])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D2 G18 is told by an event of a service that was removed by hand, and has it again', async () => {
    // No look at the repository comes in between.
    await using scene = await sceneOf({ poll: '1h' })
    const { tallyman, dockerSocket } = scene
    await scene.push('web', '1')
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    const own = await onlyOne(scene)
    const daemon = await tallyman.daemon()
    await daemon.until('it has looked', ({ sync, running }) => sync === 'Synced' && running === undefined)
    await engineCall(dockerSocket, 'DELETE', `/services/${own.ID}`)
    const again = await waitUntil('another one is there', async () => {
      const [one] = await ofScene(scene)
      return one !== undefined && one.ID !== own.ID ? one : undefined
    })
    expect(again.Spec.TaskTemplate.ContainerSpec).to.deep.equal(own.Spec.TaskTemplate.ContainerSpec)
    await daemon.until('all run', ({ applications: [shop] }) => shop?.running === 2)
    const passes: readonly { readonly trigger: string }[] = JSON.parse(
      (await tallyman.run('log', '--output', 'json')).stdout,
    )
    expect(passes.map(({ trigger }) => trigger)).to.include('engine-event')
  })

  it('D15 G10 refuses what it cannot do before anything is touched, and leaves services of others alone', async () => {
    await using scene = await sceneOf()
    const { tallyman, environment, dockerSocket } = scene
    await scene.push('web', '1')
    await release(scene, '1', 'replicas: 1', '        cpuset: "0"\n')
    const refused = await tallyman.run('apply')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('shop: web chooses its CPUs (swarm-unsupported)')
    expect(await ofScene(scene)).to.deep.equal([])

    const theirs = { Name: `${environment}_shop_web`, TaskTemplate: { ContainerSpec: { Image: 'theirs' } } }
    expect((await engineCall(dockerSocket, 'POST', '/services/create', theirs)).status).to.equal(201)
    await release(scene, '1', 'replicas: 1')
    const taken = await tallyman.run('apply')
    expectCode(taken, 1)
    expect(taken.stderr).to.include('(name-taken)')
    expect((await onlyOne(scene)).Spec.TaskTemplate.ContainerSpec.Image).to.equal('theirs')
    await engineCall(dockerSocket, 'DELETE', `/services/${environment}_shop_web`)
    expectCode(await tallyman.run('apply', '--retry'), 0)
  })

  it('G13 holds what needs a port of the nodes that a service of others has, and names it in the plan', async () => {
    await using scene = await sceneOf()
    const { tallyman, environment, dockerSocket } = scene
    await scene.push('web', '1')
    const Name = `${environment}-theirs`
    const theirs = {
      Name,
      Mode: { Global: {} },
      TaskTemplate: { ContainerSpec: { Image: `${scene.prefix}/web:1` } },
      EndpointSpec: {
        Mode: 'dnsrr',
        Ports: [{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 8099, PublishMode: 'host' }],
      },
    }
    expect((await engineCall(dockerSocket, 'POST', '/services/create', theirs)).status).to.equal(201)
    await waitUntil('it runs', async () => {
      const one = (await servicesOn(dockerSocket)).find(({ Spec }) => Spec.Name === Name)
      return one !== undefined && (await runningTasks(dockerSocket, one)).length === 1
    })
    const ports = '        ports: ["8099:80"]\n'
    await release(scene, '1', 'replicas: 1\n    network: {outbound-access: {allow-all: true}}', ports)
    const held = await tallyman.run('apply', '--output', 'json')
    expectCode(held, 1)
    expect(held.stdout + held.stderr).to.include(`the service ${Name} publishes host port 8099`)
    expect(await ofScene(scene)).to.deep.equal([])
    await engineCall(dockerSocket, 'DELETE', `/services/${Name}`)
    expectCode(await tallyman.run('apply'), 0)
  })
}

/** Commits `shop`, with its only service `web` in this tag and number. */
export function release(scene: AnyScene, tag: string, more = 'replicas: 2', container = ''): Promise<string> {
  return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': `
name: shop
version: "${tag}"
services:
  - name: web
    ${more}
    containers:
      - name: web
        image: ${scene.prefix}/web:${tag}
${container}`,
  })
}

/** The services of an environment, and those of others that begin with its name as these do. */
export async function ofScene({ environment, dockerSocket }: AnyScene): Promise<readonly SwarmService[]> {
  return (await servicesOn(dockerSocket)).filter(({ Spec }) => Spec.Name.startsWith(`${environment}_`))
}

export async function onlyOne(scene: AnyScene): Promise<SwarmService> {
  const [one, ...others] = await ofScene(scene)
  if (one === undefined || others.length > 0) throw new Error('there is one')
  return one
}
