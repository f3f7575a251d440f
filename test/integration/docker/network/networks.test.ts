import { expect } from 'chai'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { testSite } from '../site.ts'

forEachEngine('networks and volumes', engine => {
  const it = sideBySide()

  it('G10 names its own, and only those', async () => {
    await using site = await testSite(engine)
    const { environment } = site.provenance
    await site.run(
      { do: 'create-network', network: { name: `${environment}-b` } },
      { do: 'create-network', network: { name: `${environment}-a`, application: 'shop' } },
      { do: 'create-volume', volume: { name: `${environment}-data`, application: 'shop' } },
    )
    const { networks, volumes } = await site.engine.resources(site.provenance, site.signal)
    expect({ networks, volumes }).to.deep.equal({
      networks: [`${environment}-a`, `${environment}-b`],
      volumes: [`${environment}-data`],
    })
  })

  it('D17 names neither those of another repository that calls an environment the same, nor misses older ones', async () => {
    await using site = await testSite(engine)
    const { environment, address, source, directory } = site.provenance
    const labels = (said: string) => ({ 'tallyman.environment': environment, 'tallyman.source': said })
    await site.foreign('/networks/create', { Name: `${environment}-old`, Labels: labels(address) })
    await site.foreign('/networks/create', { Name: `${environment}-other`, Labels: labels('team/shop') })
    await site.foreign('/volumes/create', { Name: `${environment}-older`, Labels: labels(address) })
    await site.run({ do: 'create-volume', volume: { name: `${environment}-data`, application: 'shop' } })
    const { networks, volumes } = await site.engine.resources(site.provenance, site.signal)
    expect({ networks, volumes }).to.deep.equal({
      networks: [`${environment}-old`],
      volumes: [`${environment}-data`, `${environment}-older`],
    })
    const holders = await site.engine.holders(site.signal)
    expect(holders.filter(holder => holder.environment === environment)).to.have.deep.members([
      { environment, source: address },
      { environment, source: 'team/shop' },
      { environment, source, directory },
    ])
  })

  it('D4 creates and removes twice without harm', async () => {
    await using site = await testSite(engine)
    const create = { do: 'create-network', network: { name: site.network } } as const
    const remove = { do: 'remove-network', network: site.network } as const
    const volume = { name: `${site.provenance.environment}-data`, application: 'shop' }
    await site.run(create, create, remove, remove)
    await site.run({ do: 'create-volume', volume }, { do: 'create-volume', volume })
    expect((await site.engine.resources(site.provenance, site.signal)).networks).to.deep.equal([])
  })

  it('G10 neither takes nor removes a network that is not ours', async () => {
    await using site = await testSite(engine)
    const Labels = { 'tallyman.environment': site.provenance.environment }
    await site.foreign('/networks/create', { Name: site.network, Labels })
    const { networks, taken } = await site.engine.resources(site.provenance, site.signal)
    expect(networks).to.deep.equal([])
    expect(taken).to.deep.include({ name: site.network, holder: 'not one that tallyman made' })
    expect(await site.fails({ do: 'create-network', network: { name: site.network } })).to.include({
      code: 'name-taken',
      resource: `network ${site.network}`,
    })
    await site.run({ do: 'remove-network', network: site.network })
    expect(await site.ask(`/networks/${site.network}`)).to.include({ Name: site.network })
  })

  it('G10 does not take a volume that is not ours', async () => {
    await using site = await testSite(engine)
    const name = `${site.provenance.environment}-data`
    const Labels = { 'tallyman.environment': site.provenance.environment }
    await site.foreign('/volumes/create', { Name: name, Labels })
    expect(await site.fails({ do: 'create-volume', volume: { name, application: 'shop' } })).to.include({
      code: 'name-taken',
      resource: `volume ${name}`,
    })
  })

  it('G10 takes a volume without labels only if a container of ours has it already', async () => {
    await using site = await testSite(engine)
    const name = `${site.provenance.environment}-data`
    const create = { do: 'create-volume', volume: { name, application: 'shop' } } as const
    await site.foreign('/volumes/create', { Name: name })
    expect(await site.fails(create)).to.include({ code: 'name-taken', resource: `volume ${name}` })
    await site.create(await site.push(), {
      mounts: [{ kind: 'volume', volume: name, path: '/data', exclusive: false }],
    })
    await site.run(create)
  })

  it('names who still uses a network that is to be removed', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    expect(await site.fails({ do: 'remove-network', network: site.network })).to.include({
      code: 'network-in-use',
      message: `local: network ${site.network}: still used by ${container}`,
    })
  })

  it('D9 attaches a container again, under its alias, and leaves an attached one alone', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    const connect = {
      do: 'connect-network',
      container,
      network: site.network,
      aliases: ['web'],
    } as const
    await site.run({ do: 'start-container', container })
    await engineCall(site.socket, 'POST', `/networks/${site.network}/disconnect`, { Container: container })
    const detached = await site.engine.observe(site.provenance, site.signal)
    await site.run(connect, connect)
    const attached = await site.engine.observe(site.provenance, site.signal)
    expect(detached.containers[0]?.networks).to.deep.equal([])
    expect(attached.containers[0]?.networks).to.deep.equal([site.network])
    const { NetworkSettings } = await site.ask(`/containers/${container}/json`)
    const { Aliases } = Object(NetworkSettings).Networks[site.network]
    expect(Aliases).to.include('web')
  })

  it('A47 makes networks that nothing leaves, and ones that only publish ports', async () => {
    await using site = await testSite(engine)
    const name = (mode: string) => `${site.provenance.environment}-${mode}`
    for (const mode of ['internal', 'published'] as const)
      await site.run({ do: 'create-network', network: { name: name(mode), mode } })
    expect(await site.ask(`/networks/${name('internal')}`)).to.include({ Internal: true })
    const published = await site.ask(`/networks/${name('published')}`)
    expect(published).to.include({ Internal: false })
    expect(published['Options']).to.deep.equal({ 'com.docker.network.bridge.enable_ip_masquerade': 'false' })
  })

  it('A47 attaches a container to further networks before it starts, also one that is there already', async () => {
    await using site = await testSite(engine)
    const { environment } = site.provenance
    const network = (name: string) => ({ name: `${environment}-${name}` })
    for (const name of ['a', 'b']) await site.run({ do: 'create-network', network: network(name) })
    const create = await site.create(await site.push(), {}, { attachments: [network('a')] })
    const { container, placement } = create
    await site.run(create)
    const more = { ...create, placement: { ...placement, attachments: [network('a'), network('b')] } }
    await site.run(more, { do: 'start-container', container }, more)
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]?.networks).to.deep.equal([`${environment}-a`, `${environment}-b`, site.network])
  })

  it("A47 puts a container on the host's own network, and makes none for it", async () => {
    await using site = await testSite(engine)
    const host = { name: 'host', mode: 'host' } as const
    await site.run({ do: 'create-network', network: host })
    const { container } = await site.create(await site.push(), {}, { network: host, aliases: [] })
    await site.run({ do: 'start-container', container })
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]).to.deep.include({ state: 'running', networks: ['host'] })
  })
})
