import { expect } from 'chai'
import { createIngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { releaseShop } from '../../scenes/spread-shop.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { runningTasks, servicesOn } from '../../support/engine/swarm.ts'
import {
  areReady,
  changeNode,
  nodeOf,
  nodesWithTasks,
  statesOf,
  swarmOfThree,
} from '../../support/engine/swarm-nodes.ts'
import { runningFrom } from '../../support/engine/tasks-on.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** Nobody waits for it once it is told to stop. */
const endsOnTerm = 'trap "exit 0" TERM; sleep 1000000 & wait $!'

describe('a Docker Swarm of a manager and two workers', () => {
  const swarm = swarmOfThree()
  const workers = () => swarm.nodes.slice(1)

  const sceneOf = (config: object = {}) =>
    createScene({
      commands: 'here',
      machine: swarm.machine,
      config: {
        ...config,
        sites: [
          {
            ...{ name: 'cluster', endpoint: `unix://${swarm.machine.dockerSocket}`, kind: 'swarm' },
            ...{ endpointMode: 'dnsrr', publishMode: 'host' },
          },
        ],
      },
    })

  it('G12 G17 runs one task on each node, and updates them on those that are left, whichever is lost as the update begins, and removes it there', async () => {
    const { socket } = swarm.manager
    await using scene = await sceneOf()
    const tags = ['0', '1', '2', '3']
    await Promise.all(tags.map(tag => scene.push('web', tag, { env: { V: tag } })))
    for (const tag of tags.slice(0, 2)) {
      await releaseShop(scene, tag, 'mode: global')
      expectCode(await scene.tallyman.run('apply'), 0)
      const services = await servicesOn(socket)
      const own = services.find(({ Spec }) => Spec.Name.startsWith(scene.environment))
      if (own === undefined) throw new Error('there is one')
      expect(own.Spec.Labels['tallyman.version']).to.equal(tag)
      await waitUntil('one on each', async () => (await nodesWithTasks(socket)).length === 3)
      expect(await runningTasks(socket, own)).to.have.lengthOf(3)
    }
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    for (const [at, lost] of workers().entries()) {
      await releaseShop(scene, `${at + 2}`, 'mode: global')
      {
        await using _ = await lost.cutOff()
        const applied = await scene.tallyman.run('apply')
        expectCode(applied, 0)
        expect(applied.stderr, 'it is named').to.match(/a task that cannot run, on node \S+ \w{12}$/m)
        for (const node of swarm.nodes.filter(one => one !== lost)) {
          const running = await runningFrom(node.socket, scene.prefix)
          expect(running.map(({ env }) => env.includes(`V=${at + 2}`))).to.deep.equal([true])
        }
        if (at < workers().length - 1) continue
        await waitUntil('it is down', async () => (await statesOf(socket)).includes('down'))
        const other = { name: 'other', containers: [{ dockerName: 'web', dockerTag: '0' }] }
        await scene.commit({ skipConfirmation: true, services: [other] }, 'no shop')
        const begunMs = Date.now()
        expectCode(await scene.tallyman.run('apply', '--yes'), 0)
        expect(Date.now() - begunMs, 'its task on the lost node is not waited for').to.be.below(60_000)
      }
      await waitUntil('it is a node again', () => areReady(socket, 3))
    }
  })

  it('G5 G17 has a release that crashes on one node only, where one runs on each, whatever else the same commit changes', async () => {
    const { socket } = swarm.manager
    await using scene = await sceneOf({ healthyTime: '300ms' })
    await scene.push('web', '1')
    const image = `${scene.prefix}/web:1`
    const files = (version: string, command: string, healthyTime: string) => ({
      'applications/agent.yaml': `
name: agent
version: "${version}"
services:
  - name: web
    mode: global
    strategy: {type: RollingUpdate, rollingUpdate: {healthyTime: ${healthyTime}, maxUnavailable: 1, maxSurge: 0, timeoutSeconds: 60}}
    containers: [{name: web, image: "${image}", command: [sh, -c, '${command}']}]
`,
      ...Object.fromEntries(
        ['blog', 'news'].map(name => [
          `applications/${name}.yaml`,
          `
name: ${name}
version: "${version}"
services:
  - name: web
    replicas: 3
    containers: [{name: web, image: "${image}"}]
`,
        ]),
      ),
    })
    const release = (version: string, command: string, healthyTime: string, ...names: readonly string[]) =>
      scene.commit(
        { skipConfirmation: true, services: names.map(name => ({ name })) },
        version,
        files(version, command, healthyTime),
      )
    await release('1', endsOnTerm, '300ms', 'agent')
    expectCode(await scene.tallyman.run('apply'), 0)
    // Their networks come to nodes that did not have them. On a busy machine it takes seconds until a crash is told.
    await release('2', 'sleep 1; exit 7', '20s', 'agent', 'blog', 'news')
    expectCode(await scene.tallyman.run('apply'), 1)
    const agent = (await servicesOn(socket)).find(
      ({ Spec }) => Spec.Name === `${scene.environment}_agent_web`,
    )
    const filters = encodeURIComponent(JSON.stringify({ service: [agent?.ID] }))
    const tasks: readonly {
      readonly NodeID: string
      readonly Spec: { readonly ContainerSpec: object }
    }[] = JSON.parse(JSON.stringify(await engineGet(socket, `/tasks?filters=${filters}`)))
    const crashed = tasks.filter(({ Spec: { ContainerSpec } }) =>
      JSON.stringify(ContainerSpec).includes('exit 7'),
    )
    expect(new Set(crashed.map(({ NodeID }) => NodeID))).to.have.property('size', 1)
  })

  it('A45 runs tasks and hooks only on nodes with the labels and the platform that are asked for', async () => {
    const [chosen] = workers()
    if (chosen === undefined) throw new Error('there are two')
    const { socket } = swarm.manager
    const node = await nodeOf(chosen.socket)
    await changeNode(swarm.manager, chosen, { Labels: { disk: 'ssd' } })
    await using scene = await sceneOf({ healthyTime: '300ms' })
    await scene.push('web', '1')
    const placed = (labels: string, seconds: number) => `replicas: 2
    placement: {match-host-labels: "${labels}"}
    strategy:
      rollingUpdate:
        timeoutSeconds: ${seconds}
        pre: {failurePolicy: Abort, execNewPod: {containerName: web, command: [sh, -c], args: ["hostname"]}}`
    await releaseShop(
      scene,
      '1',
      placed('disk = ssd and not disk = tape', 60),
      '\n        platform: linux/amd64',
    )
    const planned = await scene.tallyman.run('plan')
    expect(planned.stdout).to.include(
      'on nodes with: node.labels.disk==ssd, node.labels.disk!=tape, linux/amd64',
    )
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await nodesWithTasks(socket)).to.deep.equal([node])

    await releaseShop(scene, '1', placed('disk = tape', 10))
    const failed = await scene.tallyman.run('apply')
    expectCode(failed, 1)
    expect(failed.stdout + failed.stderr).to.include('scheduling constraints not satisfied')
    expect(await nodesWithTasks(socket), 'those before go on').to.deep.equal([node])
  })

  it('G1 G17 publishes one port on each node that runs a task, also while the tasks are replaced', async () => {
    await using scene = await sceneOf()
    await scene.push('web', '1')
    for (const version of ['1', '2']) {
      const script = `echo ${version} > /tmp/index.html; trap "exit 0" TERM; httpd -f -p 80 -h /tmp & wait $!`
      const containers = `
        command: [sh, -c, '${script}']
        ports: ["8080:80"]`
      await releaseShop(
        scene,
        '1',
        'replicas: 3\n    network: {outbound-access: {allow-all: true}}',
        containers,
      )
      expectCode(await scene.tallyman.run('apply'), 0)
      for (const { address } of swarm.nodes) {
        const answer = await fetch(`http://${address}:8080/`)
        expect(await answer.text(), address).to.equal(`${version}\n`)
      }
    }
  })

  it('P12 P33 answers by routes on each node, wherever tasks are, and loses no request as they are replaced', async () => {
    const site = { name: 'cluster', endpoint: `unix://${swarm.machine.dockerSocket}`, kind: 'swarm' }
    await using scene = await createIngressScene(
      {},
      {
        ...{ commands: 'here', small: true },
        machine: swarm.machine,
        sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }],
      },
    )
    const { http: port, tallyman } = scene
    const host = 'shop.example'
    const shop = (version: string) =>
      scene.release({ name: 'shop', version, routes: [{ host }], checkedEvery: '3s' })
    await shop('1')
    expectCode(await tallyman.run('apply'), 0)
    const asked = swarm.nodes.map(({ address }) => ({ address, port, host, path: '/' }))
    // A node that is not back yet from what was done to it before gets its ingress once it is.
    const isAnswered = (one: (typeof asked)[number]) =>
      ask(one).then(
        ({ status }) => status === 200,
        () => false,
      )
    for (const one of asked) await waitUntil('it answers', () => isAnswered(one))
    await using stack = new AsyncDisposableStack()
    const asking = asked.map(one => stack.use(keepAsking(one, { clients: 8, pauseMs: 20 })))
    await shop('2')
    expectCode(await tallyman.run('apply'), 0)
    for (const one of asking) expect((await one.end()).failed).to.deep.equal([])
    for (const one of asked) expect((await ask(one)).body, one.address).to.equal('2')
  })
})
