import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { Engine } from '../../../../lib/engine.ts'
import { startCountingEngine } from '../../../support/engine/counting-engine.ts'
import { engineCall, engineGet } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

/** What somebody makes by hand, and its removal, also that of images. */
async function byHand(site: TestSite) {
  const stack = new AsyncDisposableStack()
  const { environment } = site.provenance
  const remove = async (path: string) => {
    await engineCall(site.socket, 'DELETE', path)
  }
  return {
    /** `docker commit`. */
    async commit(container: string, name: string) {
      const image = `${environment}-${name}:2`
      stack.defer(() => remove(`/images/${image}?force=1`))
      await site.foreign(`/commit?container=${container}&repo=${environment}-${name}&tag=2`, undefined)
      return image
    },
    /** `docker create`, and `docker start` unless it is to stay as it is. */
    async run(Image: string, name: string, more: object = {}, isStarted = true) {
      const container = `${environment}-${name}`
      stack.defer(() => remove(`/containers/${container}?force=1&v=1`))
      await site.foreign(`/containers/create?name=${container}`, { Image, ...more })
      if (isStarted) await site.foreign(`/containers/${container}/start`, undefined)
      return container
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function namesIn(site: TestSite, engine: Engine = site.engine): Promise<readonly string[]> {
  const { containers } = await engine.observe(site.provenance, site.signal)
  return containers.map(({ engineName }) => engineName)
}

const exists = async (site: TestSite, container: string) => {
  const { status } = await engineCall(site.socket, 'GET', `/containers/${container}/json`)
  return status === 200
}

forEachEngine('a container whose labels are those of one of ours', tested => {
  const it = sideBySide()

  it('G10 is not seen as ours beside that one, whether it runs or not, and which one of them does', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const image = await site.push()
    const { container } = await site.create(image)
    const { Config } = await site.ask(`/containers/${container}/json`)
    const labels = { Labels: Object(Config).Labels }
    await hand.run(image.pinned, 'created', labels, false)
    await hand.run(image.pinned, 'running', labels)
    expect(await namesIn(site)).to.deep.equal([container])
    await site.run({ do: 'start-container', container })
    expect(await namesIn(site)).to.deep.equal([container])
  })

  it('G10 D15 has its ports itself, which a plan finds taken while that one does not run', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const image = await site.push()
    const ports = [{ target: 80, published: 47_397, hostIp: '127.0.0.1', protocol: 'tcp' }] as const
    const { container } = await site.create(image, { ports })
    const { Config, HostConfig } = await site.ask(`/containers/${container}/json`)
    const { PortBindings } = Object(HostConfig)
    const { Labels, ExposedPorts } = Object(Config)
    const publishing = { Labels, ExposedPorts, HostConfig: { PortBindings } }
    const copy = await hand.run(image.pinned, 'publishing', publishing)
    const taken = await site.engine.takenPorts(site.provenance, site.signal)
    const { environment } = site.provenance
    expect(taken).to.deep.include({
      port: { of: 'port', address: '127.0.0.1', port: 47_397, protocol: 'tcp' },
      holder: `shop/web in environments/${environment} of ops/manifests (the container ${copy})`,
    })
  })

  it('G10 D9 is seen as ours where there is no other one, as ours is that somebody renamed', async () => {
    await using site = await testSite(tested)
    const { container } = await site.create(await site.push())
    const name = `${site.provenance.environment}-renamed`
    await site.foreign(`/containers/${container}/rename?name=${name}`, undefined)
    expect(await namesIn(site)).to.deep.equal([name])
    await site.foreign(`/containers/${name}/rename?name=${container}`, undefined)
  })
})

forEachEngine('a container whose labels are from its image', tested => {
  const it = sideBySide()

  it('G10 D9 is not seen as ours where docker commit made the image, whether it runs or not', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    const image = await hand.commit(container, 'dbg')
    await hand.run(image, 'copy', { HostConfig: { NetworkMode: 'none' } })
    await hand.run(image, 'created', {}, false)
    const again = await hand.commit(`${site.provenance.environment}-copy`, 'again')
    await hand.run(again, 'copy-of-copy', { Labels: { 'tallyman.instance': '7' } })
    expect(await namesIn(site)).to.deep.equal([container])
    const logged = await site.engine.logged(site.signal)
    const ofSite = logged.filter(({ environment }) => environment === site.provenance.environment)
    expect(ofSite.map(({ engineName }) => engineName)).to.deep.equal([container])
  })

  it('G10 is changed and removed by no step, also under the name of one of ours', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    const image = await hand.commit(container, 'dbg')
    const copy = await hand.run(image, 'copy')
    const { Id } = await site.ask(`/containers/${copy}/json`)
    await site.run(
      { do: 'remove-container', container: copy },
      { do: 'stop-container', container: copy },
      { do: 'put-away', container: copy, keep: 0 },
      { do: 'rename-container', id: String(Id), container: `${container}-x` },
    )
    const { State } = await site.ask(`/containers/${copy}/json`)
    expect(State).to.include({ Running: true })
    await site.run({ do: 'remove-container', container })
    await site.foreign(`/containers/${copy}/rename?name=${container}`, undefined)
    const step = await site.create(await site.push(), {}, { suffix: '.log' })
    const failure = await site.fails({ ...step, container })
    expect(failure.code).to.equal('name-taken')
    await site.run({ do: 'remove-container', container })
    expect(await exists(site, container)).to.equal(true)
    await site.foreign(`/containers/${container}/rename?name=${copy}`, undefined)
  })

  it('G10 is not seen as ours where its image claims that, and names no environment', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const environment = `${site.provenance.environment}-claimed`
    const claims = {
      'tallyman.environment': site.provenance.environment,
      'tallyman.source': 'ops/manifests',
      'tallyman.application': 'worker',
      'tallyman.service': 'worker',
      'tallyman.container': 'worker',
      'tallyman.role': 'app',
      'tallyman.fingerprint': 'v1:0123abcd',
      'tallyman.instance': '7',
    }
    const labels = { ...claims, 'tallyman.environment': environment }
    for (const [index, of] of [claims, labels].entries()) {
      const { reference, digest, pinned } = await site.push({ labels: of })
      await site.run({ do: 'pull-image', reference, digest })
      await hand.run(pinned, `hostile-${index}`)
    }
    expect(await namesIn(site)).to.deep.equal([])
    const holders = await site.engine.holders(site.signal)
    expect(holders.map(one => one.environment)).not.to.include(environment)
  })

  it('G10 is ours all the same where we made it, of an image that somebody committed and pushed', async () => {
    await using site = await testSite(tested)
    const first = await site.push()
    const { container } = await site.create(first)
    const { Config } = await site.ask(`/containers/${container}/json`)
    const committed = await site.push({ labels: Object(Config).Labels })
    const second = await site.create(committed, {}, { suffix: '.second' })
    expect(await namesIn(site)).to.deep.equal([container, second.container])
    await site.run({ do: 'remove-container', container: second.container })
    expect(await namesIn(site)).to.deep.equal([container])
  })

  it('G10 E26 is ours where it was made by the id of an image without a digest, and its copy is not', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const pushed = await site.create(await site.push())
    const base = await hand.commit(pushed.container, 'built')
    await site.run({ do: 'remove-container', container: pushed.container })
    const make = async (reference: string) => {
      const { Id } = Object(await engineGet(site.socket, `/images/${reference}/json`))
      const pin = { state: 'unverified', imageId: String(Id) } as const
      const step = { ...pushed, spec: { ...pushed.spec, image: { reference, pin } } }
      await site.run(step)
      return step.container
    }
    const container = await make(base)
    expect(await namesIn(site)).to.deep.equal([container])
    const image = await hand.commit(container, 'dbg')
    await hand.run(image, 'copy', {}, false)
    expect(await namesIn(site)).to.deep.equal([container])
    await site.run({ do: 'remove-container', container })
    const next = await make(image)
    expect(await namesIn(site), 'made of the copy, with the same other labels').to.deep.equal([next])
  })

  it('G10 H22 is no hook that has run, and is not removed with those that failed before', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const place = { role: 'hook', suffix: '-pre' } as const
    const { container } = await site.create(await site.push({ cmd: ['sh', '-c', 'exit 3'] }), {}, place)
    await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
    const image = await hand.commit(container, 'dbg')
    const copy = await hand.run(image, 'copy.kept-0a1b2c')
    await site.run({ do: 'put-away', container, keep: 0 })
    expect(await namesIn(site)).to.deep.equal([])
    expect(await exists(site, copy)).to.equal(true)
  })

  it('G10 is a stranger that holds a port', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const { container } = await site.create(await site.push())
    const image = await hand.commit(container, 'dbg')
    const PortBindings = { '80/tcp': [{ HostPort: '' }] }
    const copy = await hand.run(image, 'copy', {
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { PortBindings },
    })
    const ports = await site.engine.takenPorts(site.provenance, site.signal)
    const held = ports.filter(({ holder }) => holder.includes(copy))
    expect(held.map(({ holder }) => holder)).to.include(`the container ${copy}`)
  })

  it('G10 is not ours where its image is gone, and ours still is', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    const pushed = await site.push()
    const { container } = await site.create(pushed)
    const image = await hand.commit(container, 'dbg')
    await hand.run(image, 'copy', {}, false)
    for (const name of [image, pushed.pinned])
      await engineCall(site.socket, 'DELETE', `/images/${name}?force=1`)
    expect(await namesIn(site)).to.deep.equal([container])
  })
})

// It counts calls, so that it has the engine for itself.
forEachEngine('the labels of images', tested => {
  it('G3 G10 are asked for once where a copy is seen, and not at all where there is none', async () => {
    await using site = await testSite(tested)
    await using hand = await byHand(site)
    await using counting = await startCountingEngine(site.socket)
    const engine = connect({ name: 'local', endpoint: `unix://${counting.socket}` }, async () => undefined)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    await namesIn(site, engine)
    expect(counting.calls.filter(call => call.startsWith('GET /images/'))).to.deep.equal([])
    const image = await hand.commit(container, 'dbg')
    for (const name of ['copy', 'second']) await hand.run(image, name, {}, false)
    const { Id } = Object(await engineGet(site.socket, `/images/${image}/json`))
    counting.forgetCalls()
    expect(await namesIn(site, engine)).to.deep.equal([container])
    expect(await namesIn(site, engine)).to.deep.equal([container])
    expect(counting.calls).to.deep.equal([
      'GET /containers/json',
      `GET /images/${Id}/json`,
      'GET /containers/json',
    ])
    engine.close()
  })
})
