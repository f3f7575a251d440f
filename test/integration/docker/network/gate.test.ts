import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { expect } from 'chai'
import type { Network } from '../../../../lib/state/application/network.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { nextBytes } from '../../../support/network/web-socket.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'
import { type Proxied, proxied } from './proxied.ts'

forEachEngine('gates', engine => {
  const it = sideBySide()

  it('P12 gives each a subnet of the pool that no other network has, also side by side', async () => {
    await using site = await testSite(engine)
    const create = [1, 2, 3].map(number => gateOf(site, `${number}`, '10.202.0.0/16'))
    await Promise.all(create.map(network => site.run({ do: 'create-network', network })))
    await Promise.all(create.map(network => site.run({ do: 'create-network', network })))
    const [again] = create.map(network => ({ ...network, name: `${network.name}-again` }))
    if (again === undefined) throw new Error('there are three')
    await Promise.all(
      [again, again, again].map(network => site.run({ do: 'create-network', network, ifRoom: true })),
    )
    const named = (await site.engine.resources(site.provenance, site.signal)).networks
    expect(named.filter(name => name === again.name)).to.deep.equal([again.name])
    const gates = await Promise.all(create.map(({ name }) => site.ask(`/networks/${name}`)))
    const subnets = gates.map(({ IPAM }) => String(Object(IPAM).Config[0].Subnet))
    expect(new Set(subnets).size).to.equal(3)
    for (const subnet of subnets) expect(subnet).to.match(/^10\.202\.\d+\.(0|64|128|192)\/26$/)
    expect(gates.map(({ Internal }) => Internal)).to.deep.equal([true, true, true])
  })

  it('D15 is passed over where it need not be: not made without addresses, not joined while it is not there', async () => {
    await using site = await testSite(engine)
    const [first, second] = ['1', '2'].map(number => gateOf(site, number, '10.204.0.0/26'))
    if (first === undefined || second === undefined) throw new Error('there are two')
    await site.run({ do: 'create-network', network: first })
    await site.run({ do: 'create-network', network: second, ifRoom: true })
    const { container } = await site.create(await site.push())
    const connect = { do: 'connect-network', container, network: second.name, aliases: [] } as const
    await site.run({ ...connect, ifThere: true })
    await site.run({ do: 'start-container', container })
    expect((await site.engine.resources(site.provenance, site.signal)).networks).not.to.include(second.name)
    const { code, message } = await site.fails({
      ...connect,
      container: 'nobody',
      network: first.name,
      ifThere: true,
    })
    expect([code, message]).to.deep.equal(['container-missing', 'local: nobody: No such container: nobody'])
  })

  it('P12 says when the pool is used up, and what to do', async () => {
    await using site = await testSite(engine)
    const [first, second] = ['1', '2'].map(number => gateOf(site, number, '10.203.0.0/26'))
    await site.run({ do: 'create-network', network: first as Network })
    const { code, message, hint } = await site.fails({
      do: 'create-network',
      network: second as Network,
    })
    expect({ code, message, hint }).to.deep.equal({
      code: 'address-pool-empty',
      message: `local: network ${second?.name}: no subnet of 10.203.0.0/26 is free`,
      hint: 'Remove unused networks, or give "ingress" other "subnets" in the configuration.',
    })
  })
})

describe('admission and draining on a real engine', () => {
  const it = sideBySide()

  it('P12 lets requests reach what is admitted, and nothing else', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const [a] = [await scene.start('a'), await scene.start('b')]
    await site.run(scene.admit(a), scene.admit(a))
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.get('/')))
    expect(new Set(answers)).to.deep.equal(new Set(['a']))
  })

  it('P12 is over once everything under way has ended, and lets nothing new reach the instance', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    await site.run(scene.admit(a))
    const underWay = Array.from({ length: 8 }, () => scene.get('/for/1500'))
    await waitUntil('all are under way', async () => (await scene.seen(a)) === 8)
    await site.run(scene.admit(b))
    const drained = site.run(scene.drain(a))
    await isShutOut(scene, a)
    await leadsToB(scene)
    const later = await Promise.all(Array.from({ length: 20 }, () => scene.get('/')))
    const ended = Promise.all(underWay)
    await drained
    await site.run({ do: 'stop-container', container: a })
    expect(new Set(later)).to.deep.equal(new Set(['b']))
    expect(new Set(await ended)).to.deep.equal(new Set(['a']))
  })

  it('P12 drains again what a crash left half drained, and does nothing where nothing is left to do', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const a = await scene.start('a')
    const drain = scene.drain(a)
    await site.run(scene.admit(a))
    const aborted = new AbortController()
    const underWay = scene.get('/for/1000')
    await waitUntil('it is under way', async () => (await scene.seen(a)) === 1)
    const cut = site.engine
      .execute(drain, site.provenance, aborted.signal)
      .catch((error: unknown) => Object(error).code)
    await isShutOut(scene, a)
    aborted.abort()
    expect(await cut).to.equal('interrupted')
    expect((await observed(site, a))?.isDraining).to.equal(true)
    await site.run(drain, { do: 'stop-container', container: a }, drain)
    expect(await underWay).to.equal('a')
    expect(await scene.attachment(a)).to.equal(undefined)
    await site.run(drain, { do: 'remove-container', container: a }, drain)
  })

  it('P12 admits again what was being drained, without cutting its connections off', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const a = await scene.start('a')
    await site.run(scene.admit(a))
    const before = await scene.attachment(a)
    const aborted = new AbortController()
    const underWay = scene.get('/for/1500')
    await waitUntil('it is under way', async () => (await scene.seen(a)) === 1)
    const cut = site.engine.execute(scene.drain(a), site.provenance, aborted.signal).catch(() => 'cut')
    await isShutOut(scene, a)
    aborted.abort()
    await cut
    await site.run(scene.admit(a))
    expect(await underWay).to.equal('a')
    expect(await scene.get('/')).to.equal('a')
    expect(await scene.attachment(a)).to.deep.equal(before)
    expect((await observed(site, a))?.isDraining).to.equal(undefined)
  })

  it('P12 takes what does not run from its gate at once', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const a = await scene.start('a', { stopGraceMs: 3_600_000 })
    await site.run(scene.admit(a), { do: 'stop-container', container: a }, scene.drain(a))
    expect(await scene.attachment(a)).to.equal(undefined)
  })

  it('P12 waits for nobody where no ingress runs', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const a = await scene.start('a', { stopGraceMs: 3_600_000 })
    await site.run(scene.admit(a))
    await engineCall(site.socket, 'POST', `/containers/${scene.loaded}/stop`)
    await site.run(scene.drain(a))
    expect((await scene.attachment(a))?.aliases).to.deep.equal([])
  })

  it('P12 starts what was drained also when another has got its address since, and admits it anew', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    await site.run(scene.admit(a))
    const { address } = (await scene.attachment(a)) ?? {}
    await site.run(scene.drain(a), { do: 'stop-container', container: a })
    const EndpointConfig = { IPAMConfig: { IPv4Address: address } }
    await site.foreign(`/networks/${scene.gate}/connect`, { Container: b, EndpointConfig })
    await site.run({ do: 'start-container', container: a }, scene.admit(a))
    expect(await scene.get('/')).to.equal('a')
  })

  it('P12 lets a WebSocket be for the grace period; it is closed as the instance stops', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const a = await scene.start('a', { stopGraceMs: 2_000 })
    await site.run(scene.admit(a))
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' }
    const sent = request({ host: '127.0.0.1', port: scene.port, headers }).end()
    const [, socket] = await once(sent, 'upgrade')
    const says = async (words: string) => {
      socket.write(words)
      return await nextBytes(socket, words.length)
    }
    expect(await says('before')).to.equal('before')
    const drained = site.run(scene.drain(a))
    await isShutOut(scene, a)
    expect(await says('meanwhile')).to.equal('meanwhile')
    await drained
    expect(await says('still')).to.equal('still')
    socket.resume()
    await Promise.all([once(socket, 'end'), site.run({ do: 'stop-container', container: a })])
    socket.destroy()
  })

  it('P12 waits for the grace period and says so, where the ingress does not say what is under way', async () => {
    await using site = await testSite()
    // Caddy is found there, wget is not.
    const scene = await proxied(site, { env: { PATH: '/usr/bin' } })
    const a = await scene.start('a', { stopGraceMs: 1_000 })
    await site.run(scene.admit(a))
    await site.run(scene.drain(a))
    expect(site.notes.join()).to.match(/waits for its grace period.*"wget".*not found/)
  })

  it('P12 loses no request through six switches under load, to instances that die at once on TERM', async () => {
    await using site = await testSite()
    const scene = await proxied(site)
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    let old = await scene.start('number-0')
    await site.run(scene.admit(old))
    const answers = new Map<string, number>()
    let isOver = false
    const client = async () => {
      while (!isOver) {
        const answer = await scene.post('/for/20', agent).catch(error => String(error.code))
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
    }
    const clients = Array.from({ length: 16 }, client)
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const next = await scene.start(`number-${number}`)
      await site.run(scene.admit(next), scene.drain(old), { do: 'stop-container', container: old })
      old = next
    }
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    const names = Array.from({ length: 7 }, (_, number) => `number-${number}`)
    expect([...answers.keys()].sort()).to.deep.equal(names)
  })
})

function gateOf({ provenance }: TestSite, number: string, pool: string): Network {
  return { name: `${provenance.environment}.shop-${number}.ingress`, mode: 'gate', pool }
}

/** Waits until an instance is attached to its gate without the alias. */
async function isShutOut(scene: Proxied, container: string): Promise<void> {
  await waitUntil('it has no alias', async () => (await scene.attachment(container))?.aliases.length === 0)
}

/** Waits until the ingress has looked the name up again. */
async function leadsToB(scene: Proxied): Promise<void> {
  await waitUntil('the name leads to b alone', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => scene.get('/')))
    return answers.every(answer => answer === 'b')
  })
}

async function observed(site: TestSite, container: string) {
  const { containers } = await site.engine.observe(site.provenance, site.signal)
  return containers.find(({ engineName }) => engineName === container)
}
