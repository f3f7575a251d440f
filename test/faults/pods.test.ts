import { expect } from 'chai'
import { directory, keyFile, recordFile, tokenIn } from '../../lib/metadata/place.ts'
import { metadataVolume } from '../../lib/state/application/metadata.ts'
import { engineCall } from '../support/engine/engine-call.ts'
import { exits, staysUp } from '../support/images/images.ts'
import type { Container } from '../support/simulated/container/container.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'
import { type Ground, prepareGround } from './pass/ground.ts'
import { type SimulatedMachine, simulatedMachine } from './pass/simulated.ts'
import { type Scenario, type Side, surviveEvery } from './pass/survive.ts'

/**
 * Pods whose apps can ask the metadata service, killed with SIGKILL before every step: C50 an app never runs without
 * its sandbox, C53 every pod that runs has one token, which the service knows, and no other, C54 the key stays.
 */
describe('a pass over pods that is killed at any step', () => {
  const it = sideBySide(2)
  let machine: SimulatedMachine

  before(async () => {
    machine = await simulatedMachine()
    for (const tag of ['1', '2']) machine.push('tools', tag)
    machine.push('tools', 'bad', { cmd: exits(1) })
    machine.push('sandbox', '1')
    machine.push('tallyman', '1', { entrypoint: staysUp })
  })

  after(() => machine[Symbol.asyncDispose]())

  it('C53 C54 of a create goes on, and every pod has a token that is known', async () => {
    const moments = await surviveAll({
      before: pods({ steady: '1' }),
      after: pods({ steady: '1', worker: '1' }),
      ends: 'done',
      networks: ['', 'steady.metadata', 'tallyman-metadata', 'worker.metadata'],
      next: 'fresh',
    })
    expect(moments).to.equal(16)
  })

  it('C50 C53 of a replacement goes on, and no token of the old pod is known', async () => {
    const moments = await surviveAll({
      before: pods({ worker: '1' }),
      after: pods({ worker: '2' }),
      ends: 'done',
      networks: ['', 'tallyman-metadata', 'worker.metadata'],
      next: 'back and forth',
    })
    // One of the two ways has an image more to pull.
    expect(moments).to.be.oneOf([19, 20])
  })

  it('G5 C53 of a replacement that fails puts the old pod back, with the token that it had', async () => {
    const moments = await surviveAll({
      before: pods({ worker: '1' }),
      after: { manifests: pods({ worker: 'bad' }).manifests, containers: [], check },
      ends: 'put back',
      networks: ['', 'tallyman-metadata', 'worker.metadata'],
      next: 'again',
    })
    expect(moments).to.equal(21)
  })

  it('C50 C53 of a restart of an app goes on, and the pod is the same unless a container of it was gone', async () => {
    const before = pods({ worker: '1' })
    const moments: string[] = []
    for (let index = 0; ; index += 1) {
      await using ground = await prepareGround(machine, { config: images })
      await ground.write(before.manifests)
      expect((await ground.look('apply')).outcome).to.equal('applied')
      const sandbox = partOf(ground, 'sandbox').id
      await engineCall(ground.socket, 'POST', `/containers/${partOf(ground, 'main').id}/stop?t=0`)
      const victim = await ground.crash({ kind: 'step', index, when: 'before' })
      if (victim.killed) moments.push(victim.out.replace(/ .*/, ''))
      const isGone = victim.out.startsWith('create-container')
      const isUp = !victim.killed || victim.out.startsWith('await-healthy')
      expect((await ground.look('go on')).outcome, victim.out).to.equal(isUp ? 'in-sync' : 'applied')
      expect((await ground.containers()).map(({ text }) => text)).to.deep.equal(before.containers)
      expect(partOf(ground, 'sandbox').id === sandbox, victim.out).to.equal(!isGone)
      await check(ground)
      expect((await ground.look('plan')).plan?.changes).to.deep.equal([])
      if (!victim.killed) break
    }
    expect(moments).to.deep.equal([
      'pull-image',
      'check-image',
      'remove-container',
      'create-container',
      'start-container',
      'await-healthy',
      'await-healthy',
    ])
  })

  it('C53 whose service lost its volume are told to it in the end, wherever the connection breaks', async () => {
    const { manifests, containers } = pods({ worker: '1' })
    let isOver = false
    for (let index = 0; !isOver; index += 1) {
      await using ground = await prepareGround(machine, { config: images })
      await ground.write(manifests)
      expect((await ground.look('apply')).outcome).to.equal('applied')
      const service = partOf(ground, 'tallyman-metadata').id
      await engineCall(ground.socket, 'DELETE', `/containers/${service}?force=1`)
      const volume = metadataVolume(ground.environment).name
      await engineCall(ground.socket, 'DELETE', `/volumes/${volume}`)
      // Other environments have the same engine meanwhile.
      const written = () => machine.engine.calls.filter(call => call === writing).length
      const writing = `PUT /containers/${volume}.writer/archive`
      const before = written()
      const end = machine.engine.faults.set(new RegExp(`^${writing}$`), 'dies', 1, index)
      await ground.look('apply')
      end()
      isOver = written() - before <= index
      await ground.look('apply')
      expect((await ground.containers()).map(({ text }) => text)).to.deep.equal(containers)
      await check(ground)
      expect((await ground.look('plan')).plan?.changes, `${index}`).to.deep.equal([])
      expect(index).to.be.below(20)
    }
  })

  it('G2 C53 of which somebody removed one are told by one question, and its token is not known any more', async () => {
    await using ground = await prepareGround(machine, { config: images })
    const { manifests } = pods({ worker: '1' })
    const containers = [1, 2, 3].map(() => ({ dockerTag: '1' }))
    await ground.write({ ...manifests, services: [{ name: 'worker', containers }] })
    expect((await ground.look('apply')).outcome).to.equal('applied')
    const sandboxes = () =>
      machine.engine
        .containers()
        .filter(one => label(one, 'environment') === ground.environment && label(one, 'role') === 'sandbox')
    const [gone, ...others] = sandboxes()
    expect(others).to.have.length(2)
    for (const one of machine.engine.containers())
      if (one.id === gone?.id || (gone !== undefined && urlOf(one) === urlOf(gone)))
        await engineCall(ground.socket, 'DELETE', `/containers/${one.id}?force=1`)
    const before = machine.engine.calls.length
    expect((await ground.look('apply')).outcome).to.equal('applied')
    const asked = machine.engine.calls
      .slice(before)
      .filter(call => others.some(({ name }) => call === `GET /containers/${name}/json`))
    expect(asked, 'by its name, as it is in the list').to.deep.equal([])
    await check(ground, 3)
  })

  /** A container of the only pod of an environment, by its name in it. */
  function partOf({ environment }: Ground, name: string): Container {
    const found = machine.engine
      .containers()
      .find(one => label(one, 'environment') === environment && label(one, 'container') === name)
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }

  async function surviveAll(scenario: Omit<Scenario, 'when'>): Promise<number> {
    const moments = await surviveEvery('step', machine, {
      startedAgain: 'here',
      when: ['before'],
      config: images,
      ...scenario,
    })
    return moments.length
  }

  /** Pods by name, of which the main program is of the image of that tag, and another one has run to its end. */
  function pods(tags: Readonly<Record<string, string>>): Side {
    const names = Object.keys(tags)
    const image = (tag = '1') => ({ name: 'tools', labels: [{ name: 'version', value: tag }] })
    const account = { user: '0', group: '0' }
    const pod = (name: string) => ({
      acVersion: '0.8.11',
      acKind: 'PodManifest',
      apps: [
        { name: 'main', image: image(tags[name]), app: { ...account, exec: runs(tags[name]) } },
        { name: 'once', image: image(), app: { ...account, exec: exits(0) } },
      ],
      annotations: [
        { name: 'tallyman/restart', value: 'never' },
        { name: 'note', value: tags[name] ?? '' },
      ],
    })
    return {
      manifests: {
        services: names.map(name => ({ name })),
        applications: Object.fromEntries(names.map(name => [name, pod(name)])),
      },
      containers: [
        'tallyman-metadata tallyman:1 running',
        ...names.flatMap(name => [
          `${name} sandbox:1 running`,
          `${name} tools:${tags[name]} running`,
          `${name} tools:1 exited`,
        ]),
      ].toSorted(),
      check,
    }
  }

  function runs(tag: string | undefined): readonly string[] {
    return tag === 'bad' ? exits(1) : ['sleep', '100000']
  }

  /** All apps of a pod have the token of its sandbox, and what the service knows are the pods that there are. */
  async function check({ environment }: Ground, instances = 1): Promise<void> {
    const all = machine.engine.containers().filter(one => label(one, 'environment') === environment)
    const [service] = all.filter(one => label(one, 'service') === 'tallyman-metadata')
    const sandboxes = all.filter(one => label(one, 'role') === 'sandbox')
    for (const sandbox of sandboxes) {
      const apps = all.filter(one => label(one, 'service') === label(sandbox, 'service'))
      expect(new Set(apps.map(urlOf)).size, 'all of a pod have one token').to.equal(instances)
    }
    const records = (service?.files.below(`${directory}/pods`) ?? []).flatMap(path => {
      const text = textAt(service, path)
      return text === '' ? [] : [`${path} ${JSON.parse(text).uuid}`]
    })
    expect(records.toSorted(), 'which pods are known').to.deep.equal(
      sandboxes.map(one => `${directory}/${recordFile(tokenIn(urlOf(one)))} ${label(one, 'pod')}`).toSorted(),
    )
    expect(textAt(service, `${directory}/${keyFile}`)).to.have.length(64)
  }
})

function images(registry: string): object {
  return { sandbox: { image: `${registry}/sandbox:1` }, metadata: { image: `${registry}/tallyman:1` } }
}

function label({ config: { Labels } }: Container, name: string): string | undefined {
  return Labels[`tallyman.${name}`]
}

function urlOf({ config: { Env } }: Container): string {
  return (Env ?? []).find(one => one.startsWith('AC_METADATA_URL=')) ?? ''
}

function textAt(container: Container | undefined, path: string): string {
  const entry = container?.files.at(path)
  return entry?.kind === 'file' ? entry.content.toString('latin1') : ''
}
