import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { optional } from '../../../lib/object.ts'
import { documentOf, expectCode, has } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { type SwarmService, servicesOn, swarmForTests } from '../../support/engine/swarm.ts'
import { runningFrom } from '../../support/engine/tasks-on.ts'
import { type RegistryAddress, startRegistry } from '../../support/images/registry.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const endsOnTerm = 'trap "exit 0" TERM; sleep 1000000 & wait $!'

/** The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need. */
const withoutIpvs = { endpointMode: 'dnsrr', publishMode: 'host' }

describe('what went wrong on a Docker Swarm, and is corrected', () => {
  const it = sideBySide()
  const engine = swarmForTests()

  const sceneOf = async (config: object = {}, registry?: RegistryAddress, modes: object = withoutIpvs) => {
    const site = { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm', ...modes }
    const scene = await createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      ...optional('registry', registry),
      config: { sites: [site], ...config },
    })
    for (const tag of ['1', '2'])
      await scene.push('web', tag, { env: { V: tag }, cmd: ['sh', '-c', endsOnTerm] })
    return scene
  }

  const release = (scene: Scene, tag: string, container: object, parts: object = {}) => {
    const containers = [{ name: 'web', image: `${scene.prefix}/web:${tag}`, ...container }]
    const service = {
      ...{ name: 'web', replicas: 1, containers, ...parts },
      strategy: { type: 'RollingUpdate', rollingUpdate: { timeoutSeconds: 60 } },
    }
    return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
      'applications/shop.yaml': stringify({ name: 'shop', version: tag, services: [service] }),
    })
  }

  const onlyOne = async ({ environment }: Scene): Promise<SwarmService> => {
    const own = (await servicesOn(engine.socket)).filter(({ Spec }) =>
      Spec.Name.startsWith(`${environment}_`),
    )
    const [one, ...others] = own
    if (one === undefined || others.length > 0) throw new Error('there is one')
    return one
  }

  it('G15 G16 D18 G5 goes on with a secret that was wrong and is right now, without a word of either', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-secrets-'))
    // On a busy machine it takes seconds until a crash is told.
    const healthyTime = '8s'
    await using scene = await sceneOf({ secrets: { directory: place.path }, healthyTime })
    const { tallyman } = scene
    const put = (text: string) => writeFile(join(place.path, 'key'), text)
    const script = `grep -q right-canary /keys/key || exit 3; ${endsOnTerm}`
    const keys = {
      cmd: ['sh', '-c', script],
      mounts: [{ 'volume-name': 'keys', files: [{ name: 'key', 'mount-path': '/keys/key' }] }],
    }
    const volumes = [{ name: 'keys', secret: { items: [{ name: 'key', secret: 'key' }] } }]
    await put('right-canary 1')
    await release(scene, '1', keys, { volumes })
    expectCode(await tallyman.run('apply'), 0)
    const good = await onlyOne(scene)
    await put('wrong-canary')
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
    expect((await onlyOne(scene)).Spec).to.deep.equal(good.Spec)
    await put('right-canary 2')
    const made = await tallyman.run('apply')
    expectCode(made, 0)
    await waitUntil('the one before has ended', async () => {
      return (await runningFrom(engine.socket, scene.prefix)).length === 1
    })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect(failed.stdout + failed.stderr + made.stdout + made.stderr).not.to.include('canary')
  })

  it('G1 G4 G21 touches nothing while its registry is down, repairs what nodes have, and goes on by itself', async () => {
    await using registry = await startRegistry()
    await using scene = await sceneOf({}, registry)
    const { tallyman, environment } = scene
    await release(scene, '1', {})
    expectCode(await tallyman.run('apply'), 0)
    const before = await onlyOne(scene)
    await release(scene, '2', {})
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
    await registry.off()
    const refused = await tallyman.run('apply')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('(registry-unreachable)')
    expect(await onlyOne(scene)).to.deep.equal(before)
    const daemon = await tallyman.daemon()
    await daemon.until('it says so', has('registry-unreachable'))
    await registry.on()
    await daemon.until('it went on', ({ applications: [shop], sync, running }) => {
      return shop?.version === '2' && sync === 'Synced' && running === undefined
    })
    await registry.off()
    await engineCall(engine.socket, 'DELETE', `/services/${environment}_shop_web`)
    await waitUntil('it is there again', async () => {
      return (await engineCall(engine.socket, 'GET', `/services/${environment}_shop_web`)).status === 200
    })
    await daemon.until('it is repaired', ({ applications: [shop], sync }) => {
      return shop?.running === 1 && sync === 'Synced'
    })
  })

  it("G13 G10 is told that a port is that of another's service, and goes on once it is free", async () => {
    await using scene = await sceneOf({}, undefined, {})
    const { tallyman, environment } = scene
    const name = `theirs-${environment}`
    const theirs = {
      ...{ Name: name, Mode: { Replicated: { Replicas: 0 } } },
      TaskTemplate: { ContainerSpec: { Image: `${scene.prefix}/web:1` } },
      EndpointSpec: { Ports: [{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 18_093 }] },
    }
    expect((await engineCall(engine.socket, 'POST', '/services/create', theirs)).status).to.equal(201)
    const network = { 'outbound-access': { 'allow-all': true } }
    await release(scene, '1', { ports: ['18093:80'] }, { network })
    const refused = await tallyman.run('apply')
    expectCode(refused, 1)
    expect(refused.stderr).to.include(`port '18093' is already in use by service '${name}'`)
    expect(refused.stderr).to.include('(port-taken)')
    expect((await engineCall(engine.socket, 'GET', `/services/${name}`)).status, 'it is theirs').to.equal(200)
    await engineCall(engine.socket, 'DELETE', `/services/${name}`)
    expectCode(await tallyman.run('apply', '--retry'), 0)
  })
})
