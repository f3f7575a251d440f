import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { startCountingEngine } from '../../../support/engine/counting-engine.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'

const MiB = 2 ** 20

/** A container of ours that runs, with limits. */
async function running(site: TestSite) {
  const { SwapLimit } = await site.ask('/info')
  const limits = {
    memoryBytes: 64 * MiB,
    memoryReservationBytes: 16 * MiB,
    ...(SwapLimit === true ? { memorySwapBytes: 96 * MiB } : {}),
    nanoCpus: 500_000_000,
    cpuset: '0',
    cpuShares: 512,
    pidsLimit: 50,
  }
  const { container } = await site.create(await site.push(), limits)
  await site.run({ do: 'start-container', container })
  return { container, limits: { ...limits, restart: { name: 'no' as const } } }
}

async function seen(site: TestSite, engine = site.engine): Promise<LiveContainer | undefined> {
  const { containers } = await engine.observe(site.provenance, site.signal)
  return containers[0]
}

const call = async (site: TestSite, path: string, body: object = {}) => {
  const { status, body: said } = await engineCall(site.socket, 'POST', path, body)
  if (status >= 300) throw new Error(`${path}: ${status} ${said.toString()}`)
}

// It counts calls, and whoever listens asks of what other tests do on the engine, so that it has the engine for itself.
forEachEngine('drift of limits', tested => {
  it('D9 is seen of limits as soon as the event comes, with one look at that container, and undone', async () => {
    await using site = await testSite(tested)
    await using counting = await startCountingEngine(site.socket)
    const engine = connect({ name: 'local', endpoint: `unix://${counting.socket}` }, async () => undefined)
    const { container, limits } = await running(site)
    expect((await seen(site, engine))?.settings).to.deep.equal({
      limits,
      aliases: { [site.network]: ['web'] },
    })
    const events: string[] = []
    const end = new AbortController()
    const watching = engine.watch(site.provenance, ({ action }) => events.push(action), end.signal)
    const change = {
      Memory: 32 * MiB,
      MemorySwap: 32 * MiB,
      PidsLimit: 60,
      RestartPolicy: { Name: 'always' },
    }
    await waitUntil('the event', async () => {
      await call(site, `/containers/${container}/update`, change)
      return events.includes('update')
    })
    end.abort()
    await watching
    counting.forgetCalls()
    const altered = {
      ...limits,
      memoryBytes: 32 * MiB,
      ...(limits.memorySwapBytes === undefined ? {} : { memorySwapBytes: 32 * MiB }),
      pidsLimit: 60,
      restart: { name: 'always' },
    }
    const found = await seen(site, engine)
    expect(found?.settings?.limits).to.deep.equal(altered)
    // A question of whoever listened may still be on its way.
    const calls = [...new Set(counting.calls)]
    expect(calls).to.deep.equal(['GET /containers/json', `GET /containers/${found?.id}/json`])
    await engine.execute({ do: 'update-container', container, limits }, site.provenance, site.signal)
    expect((await seen(site, engine))?.settings?.limits).to.deep.equal(limits)
    counting.forgetCalls()
    await seen(site, engine)
    expect(counting.calls, 'nothing happened since').to.deep.equal(['GET /containers/json'])
  })
})

forEachEngine('drift', tested => {
  const it = sideBySide()

  it('D9 is seen of a name that it was attached without, and no event is needed', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const { network } = site
    expect((await seen(site))?.settings?.aliases).to.deep.equal({ [network]: ['web'] })
    await call(site, `/networks/${network}/disconnect`, { Container: container })
    await call(site, `/networks/${network}/connect`, { Container: container })
    expect((await seen(site))?.settings?.aliases).to.deep.equal({ [network]: [] })
    await site.run({ do: 'connect-network', container, network, aliases: ['web'] })
    expect((await seen(site))?.settings?.aliases).to.deep.equal({ [network]: ['web'] })
  })

  it('P12 takes what somebody attached to its gate without a name for one that gets no requests', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const name = `${site.provenance.environment}.shop.ingress`
    await site.run({ do: 'create-network', network: { name, mode: 'gate', pool: '10.202.0.0/16' } })
    const admit = { do: 'admit', container, network: name, alias: 'shop-web' } as const
    await site.run(admit)
    expect((await seen(site))?.isDraining).to.equal(undefined)
    await call(site, `/networks/${name}/disconnect`, { Container: container })
    await call(site, `/networks/${name}/connect`, { Container: container })
    expect((await seen(site))?.isDraining).to.equal(true)
    await site.run(admit)
    expect((await seen(site))?.isDraining).to.equal(undefined)
  })

  it('A33 tells how often the engine started again what had ended, until somebody starts it', async () => {
    await using site = await testSite(tested)
    const crashing = {
      restart: { name: 'unless-stopped' },
      command: ['sh', '-c', 'sleep 0.2; exit 9'],
    } as const
    const { container } = await site.create(await site.push(), crashing)
    await site.run({ do: 'start-container', container })
    await waitUntil('the engine has started it twice', async () => ((await seen(site))?.restarts ?? 0) >= 2)
    await site.run({ do: 'stop-container', container }, { do: 'start-container', container })
    expect((await seen(site))?.restarts ?? 0).to.be.lessThan(2)
  })

  it('D9 knows a network by its id: one that is made anew under its name is another one', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const { network } = site
    await site.run({ do: 'stop-container', container })
    expect((await seen(site))?.networks).to.deep.equal([network])
    await site.run({ do: 'remove-network', network })
    expect((await seen(site))?.networks).to.deep.equal([])
    await site.run({ do: 'create-network', network: { name: network } })
    expect((await seen(site))?.networks).to.deep.equal([])
    await site.run({ do: 'connect-network', container, network, aliases: ['web'] })
    expect((await seen(site))?.networks).to.deep.equal([network])
    await site.run({ do: 'start-container', container })
    expect((await seen(site))?.settings?.aliases).to.deep.equal({ [network]: ['web'] })
  })

  it('G5 starts what ran before where its network was made anew, and its gate is gone', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const { network } = site
    const gate = `${site.provenance.environment}.shop.ingress`
    await site.run(
      { do: 'create-network', network: { name: gate, mode: 'gate', pool: '10.202.0.0/16' } },
      { do: 'admit', container, network: gate, alias: 'shop-web' },
      { do: 'stop-container', container },
      { do: 'remove-network', network: gate },
      { do: 'remove-network', network },
    )
    const failure = await site.fails({ do: 'start-container', container })
    expect(failure.message).to.match(/network .* not found/)
    await site.run({ do: 'create-network', network: { name: network } }, { do: 'start-container', container })
    const now = await seen(site)
    expect(now?.networks).to.deep.equal([network])
    expect(now?.settings?.aliases).to.deep.equal({ [network]: ['web'] })
  })

  it('D9 gives names back, also to two that bear the name of each other', async () => {
    await using site = await testSite(tested)
    const image = await site.push()
    const a = await site.create(image)
    const b = await site.create(image, {}, { suffix: '.2', instance: 2 })
    const ids = await Promise.all(
      [a, b].map(async ({ container }) => (await site.ask(`/containers/${container}/json`))['Id']),
    )
    const rename = (from: string, to: string) => call(site, `/containers/${from}/rename?name=${to}`)
    await rename(a.container, `${a.container}.tmp`)
    await rename(b.container, a.container)
    await rename(`${a.container}.tmp`, b.container)
    const { message } = await site.fails({ ...a, placement: { ...a.placement, instance: 3 } })
    expect(message).to.include('web.2 bears that name, as somebody renamed it')
    await Promise.all(
      [a, b].map(({ container }, at) => site.run({ do: 'rename-container', container, id: String(ids[at]) })),
    )
    const now = await Promise.all(
      [a, b].map(async ({ container }) => (await site.ask(`/containers/${container}/json`))['Id']),
    )
    expect(now).to.deep.equal(ids)
  })

  it('D9 leaves an instance alone that somebody gave the name of another one, whatever is done to that', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const { Id } = await site.ask(`/containers/${container}/json`)
    const other = container.replace('.web.1.', '.web.2.')
    await call(site, `/containers/${container}/rename?name=${other}`)
    await site.run(
      { do: 'stop-container', container: other },
      { do: 'keep-failed', container: other, keep: 1 },
      { do: 'put-away', container: other, keep: 1 },
      { do: 'remove-container', container: other },
    )
    const { Name, State } = await site.ask(`/containers/${Id}/json`)
    expect([Name, Object(State).Running]).to.deep.equal([`/${other}`, true])
  })

  it("G10 takes no name from somebody else's container", async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const { Id, Image } = await site.ask(`/containers/${container}/json`)
    const name = `${site.provenance.environment}-foreign`
    await site.foreign(`/containers/create?name=${name}`, { Image })
    const failure = await site.fails({ do: 'rename-container', container: name, id: String(Id) })
    expect(failure.code).to.equal('name-taken')
    await engineCall(site.socket, 'DELETE', `/containers/${name}`)
  })

  it('E26 sees a container made from another image under the same tag, with all labels copied', async () => {
    await using site = await testSite(tested)
    const { container } = await running(site)
    const other = await site.push({ env: { OTHER: 'image' } })
    await site.run({ do: 'pull-image', reference: other.reference, digest: other.digest })
    const { Config, Image } = await site.ask(`/containers/${container}/json`)
    const { Labels } = Object(Config)
    const tag = String(Labels['tallyman.image'])
    const again = async (image: string) => {
      await engineCall(site.socket, 'DELETE', `/containers/${container}?force=1`)
      await call(site, `/containers/create?name=${container}`, { Image: image, Labels })
      return (await seen(site))?.isFromOtherImage
    }
    const at = tag.lastIndexOf(':')
    const tagged = (id: string) =>
      call(site, `/images/${id}/tag?repo=${encodeURIComponent(tag.slice(0, at))}&tag=${tag.slice(at + 1)}`)
    await tagged(String(Image))
    expect(await again(tag)).to.equal(undefined)
    await tagged(other.pinned)
    expect(await again(tag)).to.equal(true)
    await engineCall(site.socket, 'DELETE', `/images/${tag}`)
  })
})
