import { expect } from 'chai'
import { label } from '../../../../lib/state/labels.ts'
import { startOlderEngine } from '../../../scenes/older-engine.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, jsonText, service } from '../../../scenes/scene.ts'
import type { StatusDocument, TallymanConfig } from '../../../support/command/tallyman.ts'
import { createTallymanHere, type TallymanHere } from '../../../support/command/tallyman-here.ts'
import { startGitServer } from '../../../support/git/git-server.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

describe('whose an environment is', () => {
  const it = sideBySide()

  it('D17 runs two environments of one name in one repository, each by itself', async () => {
    await using scene = await createScene({ config: { prune: 'auto' } })
    const { environment, tallyman } = scene
    scene.push('web', '1')
    const [a, b] = [`a/environments/${environment}`, `b/environments/${environment}`]
    await scene.repository.commit({
      [`${a}/manifest.json`]: jsonText({ services: [service('web', '1'), service('only-a', '1')] }),
      [`${b}/manifest.json`]: jsonText({ services: [service('web', '1'), service('only-b', '1')] }),
    })
    scene.push('only-a', '1')
    scene.push('only-b', '1')
    const both = ['--environment', a, '--environment', b]
    expectCode(await tallyman.run('apply', '--yes', ...both), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode', ...both), 0)
    const [ofA, ofB] = [runningIn(scene, a), runningIn(scene, b)]
    expect(ofA.map(({ name }) => name)).to.deep.equal(['only-a', 'web'])
    expect(ofB.map(({ name }) => name)).to.deep.equal(['only-b', 'web'])
    expect(ofA.map(one => one.environment)).to.deep.equal([environment, environment])
    for (const one of ofB) expect(one.environment).to.match(new RegExp(`^${environment}-[0-9a-f]{8}$`))
    await expectSettled(scene, [a, b])
  })

  it('D17 leaves alone what runs when its repository moves, and knows it from a copy', async () => {
    await using server = await startGitServer()
    await using scene = await createScene({ server })
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const { url, bare } = scene.repository
    const name = url.slice(url.lastIndexOf('/') + 1).replace(/\.git$/, '')
    const moved = url.replace('127.0.0.1', 'localhost').replace(/\.git$/, '/')
    expect(moved).not.to.equal(url)
    for (const repository of [{ url: moved }, { url: `file://${bare}`, name }]) {
      await using elsewhere = await another(scene, { repository })
      expectCode(await elsewhere.run('plan', '--detailed-exitcode'), 0)
    }
  })

  it('D17 leaves alone what was made when labels bore the address', async () => {
    await using server = await startGitServer()
    await using scene = await createScene({ server })
    scene.push('web', '1')
    scene.push('api', '1')
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    const address = scene.repository.url.replace(/\.git$/, '').replace('127.0.0.1', 'old.example.com')
    await using older = await startOlderEngine(scene.dockerSocket, address)
    await using before = await another(scene, { sites: [{ name: 'local', endpoint: older.endpoint }] })
    expectCode(await before.run('apply', '--yes'), 0)
    const made = await scene.containers()
    expect(made.map(({ labels }) => labels['tallyman.source'])).to.deep.equal([address, address])
    expect(made.map(({ labels }) => labels['tallyman.directory'])).to.deep.equal([undefined, undefined])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    scene.push('api', '2')
    await scene.commit({ services: [service('web', '1'), service('api', '2')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const after = await scene.containers()
    expect(idsOf(after, 'web')).to.deep.equal(idsOf(made, 'web'))
    expect(after).to.have.length(2)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D17 tells the second writer which repository the first one is', async () => {
    await using server = await startGitServer()
    await using scene = await createScene({ server, config: { poll: '60s' } })
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it has looked', seen => seen.outcome !== undefined)
    const url = scene.repository.url.replace('127.0.0.1', 'localhost')
    await using twin = await another(scene, { repository: { url } })
    const { error } = documentOf(await twin.run('apply', '--yes', '--output', 'json'))
    expect(error?.code).to.equal('another-writer')
    const bare = (address: string) => address.replace(/\.git$/, '')
    expect(error?.message).to.include(`(${bare(scene.repository.url)}); this one only observes`)
    expect(error?.message).to.include(`(${bare(url)})`)
    expect(error?.hint).to.include('repository: {name: …}')
  })
})

/** A daemon that runs them all, and may remove what it takes for its own, leaves every container as it is. */
async function expectSettled(scene: Scene, environments: readonly string[]): Promise<void> {
  await using together = await another(scene, { prune: 'auto', environments })
  const before = idsIn(scene, environments)
  await together.daemon()
  const passes = await waitUntil('both are in sync', async () => {
    const { stdout } = await together.run('status', '--output', 'json')
    const all: readonly StatusDocument[] = JSON.parse(stdout)
    return all.length === environments.length && all.every(({ sync }) => sync === 'Synced') && all
  })
  expect(passes.map(({ outcome }) => outcome)).to.deep.equal(['in-sync', 'in-sync'])
  expect(idsIn(scene, environments)).to.deep.equal(before)
}

function idsIn({ engine }: Scene, directories: readonly string[]): readonly string[] {
  return engine
    .containers()
    .filter(({ config }) => directories.includes(config.Labels[label.directory] ?? ''))
    .map(({ id }) => id)
}

/** Another place to run tallyman from, which knows nothing of what was done before. */
function another(scene: Scene, config: TallymanConfig): Promise<TallymanHere> {
  return createTallymanHere({ ...scene.config, ...config }, scene.dockerSocket)
}

/** What runs of the environment in a directory of the repository, by service. */
function runningIn({ engine }: Scene, directory: string) {
  return engine
    .containers()
    .filter(({ config }) => config.Labels[label.directory] === directory)
    .map(({ config: { Labels } }) => ({
      name: Labels[label.service] ?? '',
      environment: Labels[label.environment],
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
