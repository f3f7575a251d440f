import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { answer } from '../../../../lib/metadata/answer.ts'
import { directory, keyFile, recordFile, tokenIn } from '../../../../lib/metadata/place.ts'
import type { PodRecord } from '../../../../lib/metadata/record.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { staysUp } from '../../../support/images/images.ts'
import type { Container } from '../../../support/simulated/container/container.ts'
import type { SimulatedImageOptions } from '../../../support/simulated/image/registry.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** A pod of one app, as a file of the repository. */
const pod = (annotation: string, more: object = {}) =>
  JSON.stringify({
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: [
      {
        name: 'main',
        image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
        app: { exec: ['sleep', '100000'], user: '0', group: '0' },
      },
    ],
    annotations: [{ name: 'note', value: annotation }],
    ...more,
  })

const manifest = (...names: readonly string[]) => ({
  services: names.map(name => ({ name })),
  skipConfirmation: true,
})

const file = (name: string) => `applications/${name}.json`

/** An image whose program runs on, as that of Tallyman does. */
const ofTallyman = { entrypoint: staysUp }

async function prepared(
  sites: readonly string[] = ['local'],
  image: SimulatedImageOptions | 'none' = ofTallyman,
): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    sites,
    config: {
      metadata: { image: 'registry.example.com/tallyman:1' },
      sandbox: { image: 'registry.example.com/sandbox:1' },
      prune: 'auto',
    },
  })
  for (const name of ['sandbox', 'tools']) scene.registry.push(name, '1')
  if (image !== 'none') scene.registry.push('tallyman', '1', image)
  return scene
}

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

async function release(
  scene: SimulatedScene,
  names: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const commit = await scene.commit(manifest(...names), files)
  await scene.until('it runs', status => isSynced(status) && status.revision?.commit === commit)
}

function containerOf(scene: SimulatedScene, service: string, name: string, site = 'local'): Container {
  const found = scene
    .site(site)
    .containers()
    .find(
      ({ config: { Labels } }) =>
        Labels['tallyman.service'] === service && Labels['tallyman.container'] === name,
    )
  if (found === undefined) throw new Error(`${service} has no ${name}`)
  return found
}

const service = (scene: SimulatedScene) => containerOf(scene, 'tallyman-metadata', 'tallyman-metadata')

/** Where an app is told to ask. */
function urlOf({ config: { Env } }: Container): string {
  const pair = (Env ?? []).find(one => one.startsWith('AC_METADATA_URL='))
  return pair?.slice(pair.indexOf('=') + 1) ?? ''
}

/** What the service finds in its volume. */
function inVolume(scene: SimulatedScene, path: string): string | undefined {
  const entry = service(scene).files.at(`${directory}/${path}`)
  return entry?.kind === 'file' ? entry.content.toString('latin1') : undefined
}

function recordOf(scene: SimulatedScene, url: string): PodRecord {
  return JSON.parse(inVolume(scene, recordFile(tokenIn(url))) || 'null')
}

/** What the service answers to whoever has this address. */
function statusFor(scene: SimulatedScene, url: string): number {
  const request = {
    ...{ method: 'GET', url: `/${tokenIn(url)}/acMetadata/v1/pod/uuid` },
    ...{ contentType: '', body: Buffer.alloc(0) },
  }
  return answer(request, recordOf(scene, url) ?? undefined, Buffer.from('key')).status
}

function networksOf({ endpoints }: Container): readonly string[] {
  return [...endpoints.keys()].sort()
}

describe('a metadata service on simulated engines', () => {
  const it = sideBySide()

  it('C53 knows a pod before its apps run, by a token that all of them have and nobody can guess', async () => {
    await using scene = await prepared()
    await release(scene, ['one', 'two'], { [file('one')]: pod('a'), [file('two')]: pod('b') })
    const [url, other] = ['one', 'two'].map(name => urlOf(containerOf(scene, name, 'main')))
    expect(url).to.match(/^http:\/\/tallyman-metadata:8080\/[\w-]{43}$/)
    expect(url).to.equal(urlOf(containerOf(scene, 'one', 'sandbox')))
    expect(url).not.to.equal(other)
    const { uuid, annotations, apps } = recordOf(scene, url ?? '')
    expect(containerOf(scene, 'one', 'sandbox').config.Labels['tallyman.pod']).to.equal(uuid)
    expect(url).not.to.include(uuid)
    expect(annotations).to.deep.equal([{ name: 'note', value: 'a' }])
    expect(apps['main']?.imageId).to.equal(scene.registry.push('tools', '1').digest.replace(':', '-'))
    expect(recordOf(scene, other ?? '').uuid).not.to.equal(uuid)
  })

  it('C54 has a key of 64 bytes that it cannot write, nor anything else', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    expect(inVolume(scene, keyFile)).to.have.length(64)
    const key = service(scene).files.at(`${directory}/${keyFile}`)
    expect([key?.mode, key?.uid, key?.gid]).to.deep.equal([0o440, 0, 65532])
    const { config, hostConfig } = service(scene)
    expect([hostConfig['Memory'], hostConfig['PidsLimit']]).to.deep.equal([256 * 1024 * 1024, 64])
    expect([
      config.User,
      hostConfig.ReadonlyRootfs,
      hostConfig.Mounts?.map(({ ReadOnly }) => ReadOnly),
    ]).to.deep.equal(['65532:65532', true, [true]])
  })

  it('C53 is on a network with each pod, on which nobody else is, and joins and leaves it while it runs', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    const { id } = service(scene)
    expect(networksOf(service(scene))).to.deep.equal(['prod.one.metadata', 'prod.tallyman-metadata'])
    await release(scene, ['one', 'two'], { [file('two')]: pod('b') })
    expect(networksOf(service(scene))).to.deep.equal([
      'prod.one.metadata',
      'prod.tallyman-metadata',
      'prod.two.metadata',
    ])
    expect(service(scene).endpoints.get('prod.two.metadata')?.aliases).to.include('tallyman-metadata')
    expect(networksOf(containerOf(scene, 'two', 'sandbox'))).to.deep.equal(['prod', 'prod.two.metadata'])
    const url = urlOf(containerOf(scene, 'one', 'main'))
    await release(scene, ['two'], {})
    expect(networksOf(service(scene))).to.deep.equal(['prod.tallyman-metadata', 'prod.two.metadata'])
    expect(inVolume(scene, recordFile(tokenIn(url))), 'the pod is forgotten').to.equal('')
    expect(service(scene).id, 'it is the same container').to.equal(id)
  })

  it('C53 goes with the last pod, and its key stays for the next one', async () => {
    await using scene = await prepared()
    // Whatever would remove most of what runs asks (G4).
    const others = ['a', 'b', 'c', 'd'].map(name => ({ name, containers: [{ dockerTag: '1' }] }))
    for (const { name } of others) scene.registry.push(name, '1')
    const first = { ...manifest('one'), services: [{ name: 'one' }, ...others] }
    await scene.commit(first, { [file('one')]: pod('a') })
    await scene.until('it runs', isSynced)
    const key = inVolume(scene, keyFile)
    const commit = await scene.commit({ ...first, services: others })
    await scene.until('the pod is gone', status => isSynced(status) && status.revision?.commit === commit)
    expect(scene.has('local').map(line => line.split(' ')[0])).to.deep.equal(['a.1', 'b.1', 'c.1', 'd.1'])
    await scene.commit(first)
    await scene.until('it runs', ({ sync, applications }) => sync === 'Synced' && applications.length === 6)
    expect(inVolume(scene, keyFile)).to.equal(key)
  })

  it('C7 C53 makes another pod of another annotation, and none of other texts for users', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    const first = containerOf(scene, 'one', 'sandbox')
    await release(scene, ['one'], { [file('one')]: pod('a', { userLabels: { team: 'blue' } }) })
    expect(containerOf(scene, 'one', 'sandbox').id).to.equal(first.id)
    await release(scene, ['one'], { [file('one')]: pod('b') })
    const second = containerOf(scene, 'one', 'sandbox')
    expect(urlOf(second)).not.to.equal(urlOf(first))
    expect(recordOf(scene, urlOf(second)).annotations).to.deep.equal([{ name: 'note', value: 'b' }])
    expect(inVolume(scene, recordFile(tokenIn(urlOf(first)))), 'the former pod is forgotten').to.equal('')
  })

  it('D15 C53 stays on the network of a pod that is blocked', async () => {
    await using scene = await prepared()
    await release(scene, ['one', 'two'], { [file('one')]: pod('a'), [file('two')]: pod('b') })
    await scene.commit(manifest('one', 'two'), { [file('two')]: '{"acKind": "PodManifest"' })
    await scene.until('it is blocked', ({ applications }) =>
      applications.some(({ application, sync }) => application === 'two' && sync === 'Unknown'),
    )
    expect(networksOf(service(scene))).to.include('prod.two.metadata')
    const web = { name: 'web', containers: [{ dockerTag: '1' }] }
    scene.registry.push('web', '1')
    await scene.commit({ ...manifest('two'), services: [{ name: 'two' }, web] })
    await waitUntil('the other pod is gone', () => {
      const all = scene.has('local').map(line => line.split(' ')[0])
      return all.includes('web.1') && !all.includes('one.1')
    })
    expect(networksOf(service(scene)), 'also if it is the only one').to.include('prod.two.metadata')
  })

  it('C53 C54 is found by pods again once somebody removed it, and a pod starts without it', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    const [url, key] = [urlOf(containerOf(scene, 'one', 'main')), inVolume(scene, keyFile)]
    const refuse = scene.site('local').faults.set(/POST \/containers\/prod\.tallyman-metadata[^/]*\/start/, {
      status: 500,
      message: 'no space left',
    })
    await remove(scene, service(scene).id)
    await scene.commit(manifest('one', 'two'), { [file('two')]: pod('b') })
    await waitUntil('the new pod runs', () =>
      scene.has('local').some(line => /^two\.1 .*tools.* running/.test(line)),
    )
    refuse()
    await scene.ask('POST /api/v1/retry', {})
    await scene.until('the service runs', isSynced)
    expect(recordOf(scene, url).annotations).to.deep.equal([{ name: 'note', value: 'a' }])
    expect(recordOf(scene, urlOf(containerOf(scene, 'two', 'main'))).annotations).to.deep.equal([
      { name: 'note', value: 'b' },
    ])
    expect(inVolume(scene, keyFile)).to.equal(key)
  })

  const removals = {
    'its sandbox alone': (scene: SimulatedScene) => [containerOf(scene, 'one', 'sandbox').id],
    'all of it': (scene: SimulatedScene) =>
      ['sandbox', 'main'].map(name => containerOf(scene, 'one', name).id),
  }
  for (const [what, those] of Object.entries(removals))
    it(`C53 knows the token no more of a pod of which somebody removed ${what}, and gives another to the one made anew`, async () => {
      await using scene = await prepared()
      await release(scene, ['one'], { [file('one')]: pod('a') })
      const url = urlOf(containerOf(scene, 'one', 'main'))
      expect(statusFor(scene, url)).to.equal(200)
      for (const id of those(scene)) await remove(scene, id)
      await scene.ask('POST /api/v1/reconcile')
      await scene.until(
        'it is made anew',
        status =>
          isSynced(status) && scene.has('local').some(line => /^one\.\d .*sandbox.* running/.test(line)),
      )
      const anew = urlOf(containerOf(scene, 'one', 'sandbox'))
      expect(anew).not.to.equal(url)
      expect(urlOf(containerOf(scene, 'one', 'main'))).to.equal(anew)
      expect(statusFor(scene, anew)).to.equal(200)
      expect(statusFor(scene, url)).to.equal(401)
    })

  it('C53 knows the token no more of a pod of which somebody removed the sandbox, and which nobody wants any more', async () => {
    await using scene = await prepared()
    await release(scene, ['one', 'two'], { [file('one')]: pod('a'), [file('two')]: pod('b') })
    const url = urlOf(containerOf(scene, 'one', 'main'))
    await scene.ask('POST /api/v1/suspend', { reason: 'a test' })
    await remove(scene, containerOf(scene, 'one', 'sandbox').id)
    await scene.commit(manifest('two'))
    await scene.ask('POST /api/v1/resume', {})
    await scene.until('it is gone', status => isSynced(status) && status.applications.length === 2)
    expect(scene.has('local').filter(line => line.startsWith('one'))).to.deep.equal([])
    expect(statusFor(scene, url)).to.equal(401)
  })

  it('C50 C53 C54 keeps pods and their tokens over a restart of the engine, and over the end of one app, which is made anew', async () => {
    await using scene = await prepared()
    await release(scene, ['one', 'two'], { [file('one')]: pod('a'), [file('two')]: pod('b') })
    const urls = () => ['one', 'two'].map(name => urlOf(containerOf(scene, name, 'main')))
    const [before, key] = [urls(), inVolume(scene, keyFile)]
    const ids = idsOf(scene)
    await scene.site('local').restart()
    await runsAgain(scene, ids)
    const killed = containerOf(scene, 'one', 'main').id
    await engineCall(scene.site('local').socket, 'POST', `/containers/${killed}/kill`)
    const now = () => idsOf(scene)
    await waitUntil('it is made anew', () => now().length === ids.length && !now().includes(killed))
    const anew = containerOf(scene, 'one', 'main').id
    await runsAgain(
      scene,
      ids.map(id => (id === killed ? anew : id)),
    )
    expect(urls()).to.deep.equal(before)
    expect(urls().map(url => statusFor(scene, url))).to.deep.equal([200, 200])
    expect(inVolume(scene, keyFile)).to.equal(key)
  })

  const volume = 'prod.tallyman-metadata.data'

  it('C53 C54 knows the pods that run by their tokens again, with another key, once somebody removed its volume', async () => {
    await using scene = await prepared()
    await release(scene, ['one', 'two'], { [file('one')]: pod('a'), [file('two')]: pod('b') })
    const pods = ['one', 'two'].map(name => containerOf(scene, name, 'main'))
    const [ids, urls, key] = [pods.map(({ id }) => id), pods.map(urlOf), inVolume(scene, keyFile)]
    await scene.ask('POST /api/v1/suspend', { reason: 'a test' })
    await remove(scene, service(scene).id)
    await engineCall(scene.site('local').socket, 'DELETE', `/volumes/${volume}`)
    await scene.ask('POST /api/v1/resume', {})
    await untilServed(scene)
    expect(urls.map(url => statusFor(scene, url))).to.deep.equal([200, 200])
    expect(urls.map(url => recordOf(scene, url).annotations[0]?.value)).to.deep.equal(['a', 'b'])
    expect(['one', 'two'].map(name => containerOf(scene, name, 'main').id)).to.deep.equal(ids)
    expect(inVolume(scene, keyFile)).to.have.length(64).and.not.to.equal(key)
    await scene.ask('POST /api/v1/reconcile')
    await scene.until('nothing is to be done', isSynced)
    scene.site('local').forgetCalls()
    await scene.ask('POST /api/v1/reconcile')
    await scene.until('nothing is to be done', isSynced)
    expect(scene.site('local').calls, 'it is not asked again').to.include('GET /containers/json')
    expect(scene.site('local').calls.filter(call => call.includes('archive'))).to.deep.equal([])
    await release(scene, ['two'], {})
    expect(statusFor(scene, urls[0] ?? ''), 'and forgets them as before').to.equal(401)
  })

  it('G10 C53 has its volume to itself, and knows the pods, also if that goes between a plan and its container', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    const url = urlOf(containerOf(scene, 'one', 'main'))
    const engine = scene.site('local')
    const create = /POST \/containers\/create$/
    engine.faults.set(create, { lateMs: 1_000 }, 1)
    engine.forgetCalls()
    await remove(scene, service(scene).id)
    await waitUntil('it is made', () => engine.calls.some(one => create.test(one)))
    await engineCall(engine.socket, 'DELETE', `/volumes/${volume}`)
    await untilServed(scene)
    expect(statusFor(scene, url)).to.equal(200)
    const { body } = await engineCall(engine.socket, 'GET', `/volumes/${volume}`)
    expect(JSON.parse(body.toString()).Labels).to.include({
      'tallyman.environment': 'prod',
      'tallyman.application': 'tallyman-metadata',
    })
    await release(scene, ['one'], { [file('one')]: pod('b') })
  })

  const imageHint =
    'Set "metadata: {image: …}" in tallyman.yaml to the image of tallyman, of the same version; see docs/pods.md.'

  it('C53 says which key of tallyman.yaml names an image that is not its own, and runs once that names another', async () => {
    await using scene = await prepared(['local'], {})
    await scene.commit(manifest('one'), { [file('one')]: pod('a') })
    const { errors } = await scene.until('it fails', ({ errors }) => errors.length > 0)
    expect(errors.map(({ code, hint }) => [code, hint])).to.deep.equal([['quarantined', imageHint]])
    scene.registry.push('tallyman', '2', ofTallyman)
    const configuration = join(scene.stateDir, '..', 'tallyman.yaml')
    const text = await readFile(configuration, 'utf8')
    await writeFile(configuration, text.replace('/tallyman:1', '/tallyman:2'))
    await scene.restart()
    await scene.until('it runs', isSynced)
  })

  it('C53 says which key of tallyman.yaml names an image that no registry has', async () => {
    await using scene = await prepared(['local'], 'none')
    await scene.commit(manifest('one'), { [file('one')]: pod('a') })
    const { errors } = await scene.until('it fails', ({ errors }) => errors.length > 0)
    expect(errors.map(({ code, hint }) => [code, hint])).to.deep.equal([['image-not-found', imageHint]])
  })

  it('D15 C53 is told to stay, and not to be left over, while all pods are blocked', async () => {
    await using scene = await prepared()
    await release(scene, ['one'], { [file('one')]: pod('a') })
    await scene.commit(manifest('one'), { [file('one')]: '{"acKind": "PodManifest"' })
    const { applications } = await scene.until('it is blocked', seen =>
      seen.applications.some(({ application, sync }) => application === 'one' && sync === 'Unknown'),
    )
    expect(applications.map(({ sync, health, reason }) => [sync, health, reason])).to.deep.equal([
      ['Unknown', 'Healthy', 'expected "," or "}", found the end of the file'],
      ['Synced', 'Healthy', 'stays for the pods that are blocked'],
    ])
  })

  it('C53 is on the sites with pods alone', async () => {
    await using scene = await prepared(['east', 'west'])
    const deployment = 'name: one\napplication: one\nplacement: {match-site-labels: "system/name = east"}\n'
    const commit = await scene.commit(
      { services: [], skipConfirmation: true },
      { [file('one')]: pod('a'), 'deployments/one.yaml': deployment },
    )
    await scene.until('it runs', status => isSynced(status) && status.revision?.commit === commit)
    expect(scene.has('east').map(line => line.split(' ')[0])).to.deep.equal([
      'one.1',
      'one.1',
      'tallyman-metadata.1',
    ])
    expect(scene.has('west')).to.deep.equal([])
  })
})

function idsOf(scene: SimulatedScene): readonly string[] {
  return scene
    .site('local')
    .containers()
    .map(({ id }) => id)
    .toSorted()
}

/** Waits until all of these containers run, and no others. */
async function runsAgain(scene: SimulatedScene, ids: readonly string[]): Promise<void> {
  const all = () => scene.site('local').containers()
  await waitUntil('all of them run', () => all().every(({ state }) => state.status === 'running'))
  await scene.until('nothing is to be done', isSynced)
  expect(idsOf(scene), 'the same containers').to.have.members(ids)
}

/** Waits until the service runs, and nothing is to be done. */
async function untilServed(scene: SimulatedScene): Promise<void> {
  await waitUntil('the service runs', () =>
    scene.has('local').some(line => /^tallyman-metadata\.1 .* running/.test(line)),
  )
  await scene.until('nothing is to be done', isSynced)
}

async function remove(scene: SimulatedScene, id: string): Promise<void> {
  await engineCall(scene.site('local').socket, 'DELETE', `/containers/${id}?force=1`)
}
