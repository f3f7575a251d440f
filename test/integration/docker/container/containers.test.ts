import { expect } from 'chai'
import type { Step } from '../../../../lib/plan/step/step.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

/** `Name` of everything in a list of the engine's. */
function namesIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.map(({ Name }) => Name) : []
}

forEachEngine('containers', engine => {
  const it = sideBySide()

  it('G2 observes what it created, in one list', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const { container } = await site.create(image)
    await site.run({ do: 'start-container', container })
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    const [{ id, status, imageId, ...live } = { id: '', status: '', imageId: '' }] = containers
    expect(containers).to.have.lengthOf(1)
    expect(id).to.match(/^[0-9a-f]{64}$/)
    expect(status).to.match(/^Up /)
    expect(imageId).to.be.oneOf([image.id, image.digest])
    expect(live).to.deep.equal({
      engineName: container,
      state: 'running',
      health: 'none',
      networks: [site.network],
      settings: { limits: { restart: { name: 'no' } }, aliases: { [site.network]: ['web'] } },
      engineDigest: image.digest,
      application: 'shop',
      service: 'web',
      instance: 1,
      container: 'web',
      role: 'app',
      version: '1.4.0',
      fingerprint: 'v1:0123abcd',
      image: image.reference,
      digest: image.digest,
      commit: 'c0ffee',
    })
  })

  it('G10 observes neither another environment nor another repository', async () => {
    await using site = await testSite(engine)
    await site.create(await site.push())
    const { environment, source, address } = site.provenance
    for (const other of [
      { environment: `${environment}-2` },
      { source: `${source}-2`, address: `${address}-2` },
    ]) {
      const scope = { ...site.provenance, ...other }
      expect((await site.engine.observe(scope, site.signal)).containers).to.deep.equal([])
    }
  })

  it('D4 does every step twice without harm', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    const { container } = create
    for (const step of [
      create,
      { do: 'start-container', container },
      { do: 'unpause-container', container },
      { do: 'stop-container', container },
      { do: 'remove-container', container },
      { do: 'stop-container', container },
    ] as const)
      await site.run(step, step)
    expect((await site.engine.observe(site.provenance, site.signal)).containers).to.deep.equal([])
  })

  it('shows exit code and state of a container that ended', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: exits(7) }))
    await site.run({ do: 'start-container', container })
    await site.fails({ do: 'await-healthy', container, healthyMs: 5_000, timeoutMs: 10_000 })
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]).to.include({ state: 'exited', exitCode: 7, health: 'none' })
  })

  it('lets a paused container go on', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    await site.foreign(`/containers/${container}/pause`, undefined)
    await site.run({ do: 'unpause-container', container })
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]?.state).to.equal('running')
  })

  it('G10 does not take the name of a container that is not ours, and never stops or removes it', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const create = await site.create(image)
    const { container } = create
    await site.run({ do: 'remove-container', container })
    await site.foreign(`/containers/create?name=${container}`, {
      Image: image.pinned,
      Labels: { 'tallyman.environment': site.provenance.environment, 'tallyman.source': 'elsewhere' },
    })
    await site.foreign(`/containers/${container}/start`, undefined)
    expect(await site.fails(create)).to.include({
      code: 'name-taken',
      message: `local: container ${container}: something else already has this name: it is that of ${site.provenance.environment} of elsewhere`,
    })
    await site.run({ do: 'stop-container', container }, { do: 'remove-container', container })
    expect((await site.ask(`/containers/${container}/json`))['State']).to.include({ Status: 'running' })
  })

  it('G10 G13 says of a step that stops or removes what is not there, or not ours, that it was left out', async () => {
    await using site = await testSite(engine)
    const { environment } = site.provenance
    const [container, network, volume] = [
      `${environment}.theirs`,
      `${environment}-theirs`,
      `${environment}-v`,
    ]
    const steps: readonly Step[] = [
      { do: 'stop-container', container },
      { do: 'remove-container', container },
      { do: 'keep-failed', container, keep: 1 },
      { do: 'put-away', container, keep: 1 },
      { do: 'abort-hook', container },
      { do: 'remove-network', network },
      { do: 'remove-volume', volume },
    ]
    const Labels = { 'tallyman.environment': environment, 'tallyman.source': 'elsewhere' }
    const skipped = "left out: nothing of this environment's own has this name"
    const endOf = (step: Step) => site.engine.execute(step, site.provenance, site.signal)
    for (const step of steps) expect(await endOf(step), step.do).to.deep.equal({ skipped })
    const image = await site.push()
    await site.create(image)
    await site.foreign(`/containers/create?name=${container}`, { Image: image.pinned, Labels })
    await site.foreign('/networks/create', { Name: network, Labels })
    await site.foreign('/volumes/create', { Name: volume, Labels })
    for (const step of steps) expect(await endOf(step), step.do).to.deep.equal({ skipped })
    for (const path of [`/containers/${container}/json`, `/networks/${network}`, `/volumes/${volume}`])
      expect(await site.ask(path), path).not.to.have.property('message')
    await site.foreign(`/containers/${container}/rename?name=${environment}.other`, undefined)
    const { container: own } = await site.create(image)
    expect(await endOf({ do: 'remove-container', container: own })).to.equal(undefined)
    expect(await endOf({ do: 'remove-network', network: site.network })).to.equal(undefined)
  })

  it('removes anonymous volumes with the container and leaves named ones (D3, P34)', async () => {
    await using site = await testSite(engine)
    const name = `${site.provenance.environment}-data`
    await site.run({ do: 'create-volume', volume: { name, application: 'shop' } })
    const { container } = await site.create(await site.push(), {
      mounts: [
        { kind: 'ephemeral', path: '/scratch' },
        { kind: 'volume', volume: name, path: '/data', exclusive: false },
      ],
    })
    const { Mounts } = await site.ask(`/containers/${container}/json`)
    const anonymous = namesIn(Mounts).find(volume => volume !== name)
    await site.run({ do: 'remove-container', container })
    const { Volumes } = await site.ask('/volumes')
    expect(namesIn(Volumes)).to.include(name).and.not.to.include(anonymous)
  })

  it('D3 G10 has a volume made as its own, and as it is declared, that is gone when its container is created', async () => {
    await using site = await testSite(engine)
    const name = `${site.provenance.environment}-data`
    const driverOptions = { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' }
    const volume = { name, application: 'shop', driverOptions }
    const { container } = await site.create(
      await site.push(),
      { mounts: [{ kind: 'volume', volume: name, path: '/data', exclusive: false }] },
      { volumes: [volume] },
    )
    const { Labels, Options } = await site.ask(`/volumes/${name}`)
    expect(Labels).to.include({
      'tallyman.environment': site.provenance.environment,
      'tallyman.application': 'shop',
    })
    expect(Options).to.deep.equal(driverOptions)
    await site.run({ do: 'create-volume', volume }, { do: 'remove-container', container })
    expect((await site.engine.resources(site.provenance, site.signal)).volumes).to.deep.equal([name])
  })

  it('C20 refuses a host path that does not exist instead of creating it', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    await site.run({ do: 'remove-container', container: create.container })
    const mounts = [{ kind: 'host', source: '/nonexistent/tallyman', path: '/srv' }] as const
    const failure = await site.fails({ ...create, spec: { ...create.spec, mounts } })
    expect(failure.code).to.equal('mount-refused')
    expect(failure.message).to.contain('/nonexistent/tallyman')
  })

  it('says which port is taken', async () => {
    await using site = await testSite(engine)
    await using other = await testSite(engine)
    const ports = [{ target: 80, published: 47_391, hostIp: '127.0.0.1', protocol: 'tcp' }] as const
    const first = await site.create(await site.push(), { ports })
    const second = await other.create(await other.push(), { ports })
    await site.run({ do: 'start-container', container: first.container })
    const failure = await other.fails({ do: 'start-container', container: second.container })
    expect(failure.code).to.equal('port-taken')
    expect(failure.message).to.contain('47391')
    const port = { of: 'port', address: '127.0.0.1', port: 47_391, protocol: 'tcp' }
    const { environment } = site.provenance
    const holder = `shop/web in environments/${environment} of ops/manifests (the container ${first.container})`
    const seenBy = ({ engine, provenance, signal }: TestSite) => engine.takenPorts(provenance, signal)
    expect(await seenBy(other)).to.deep.include({ port, holder })
    expect(await seenBy(site)).not.to.deep.include({ port, holder })
  })

  it('says that a command cannot be run', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push(), { command: ['/bin/no-such-program'] })
    const failure = await site.fails({ do: 'start-container', container })
    expect(failure).to.include({ code: 'start-refused', retry: 'never' })
    expect(failure.message).to.contain('/bin/no-such-program')
  })

  it('says that an image was never pulled', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    await site.run({ do: 'remove-container', container: create.container })
    const image = {
      reference: `${site.registry.host}/nobody/web:1`,
      pin: { state: 'pinned', digest: `sha256:${'0'.repeat(64)}` },
    } as const
    const failure = await site.fails({ ...create, spec: { ...create.spec, image } })
    expect(failure.code).to.equal('image-not-found')
  })

  it('E26 runs an image only the engine knows by its id', async () => {
    await using site = await testSite(engine)
    const pushed = await site.push()
    const create = await site.create(pushed)
    await site.run({ do: 'remove-container', container: create.container })
    const imageId = String((await site.engine.localImage(pushed.pinned, site.signal))?.id)
    const pin = { state: 'unverified', imageId } as const
    const image = { reference: pushed.reference, pin }
    await site.run({ ...create, spec: { ...create.spec, image } })
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]).to.include({ digest: '' }).and.not.to.have.property('engineDigest')
    expect((await site.ask(`/containers/${create.container}/json`))['Image']).to.equal(imageId)
  })
})
