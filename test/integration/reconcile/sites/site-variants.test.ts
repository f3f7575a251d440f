import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { encryptSops } from '../../../support/files/sops.ts'
import type { Files } from '../../../support/git/repository.ts'
import { type SimulatedScene, service, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0
const at = (commit: string, check: (status: StatusDocument) => boolean) => (status: StatusDocument) =>
  status.revision?.commit === commit && check(status)

const manifest = (tag: string) => ({ services: [service('web', tag)], skipConfirmation: true })
const west = (text: object | string): Files => ({
  'environments/prod/sites/west/manifest.json': typeof text === 'string' ? text : JSON.stringify(text),
})
const both = (scene: SimulatedScene) => [...scene.has('east'), ...scene.has('west')]
const running = (...tags: readonly string[]) =>
  tags.map(tag => `web.1 registry.example.com/web:${tag} running`)

/** Two sites, of which the second runs another image of `web`. */
async function deployed(): Promise<SimulatedScene> {
  const scene = await simulatedScene({ sites: ['east', 'west'] })
  for (const tag of ['1', '2', '7', '8']) scene.registry.push('web', tag)
  const commit = await scene.commit(manifest('1'), west({ services: [service('web', '7')] }))
  await scene.until('it runs', at(commit, isSynced))
  expect(both(scene)).to.deep.equal(running('1', '7'))
  return scene
}

describe('two sites of which one has something of its own', () => {
  const it = sideBySide()

  it('A70 D15 keeps what it has while its own file is wrong, the other goes on, and it follows the correction and the removal', async () => {
    await using scene = await deployed()
    const wrong = await scene.commit(manifest('2'), west('{"services": 7}'))
    const { errors } = await scene.until(
      'the other has the new version',
      at(wrong, () => scene.has('east').join() === running('2').join()),
    )
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'environments/prod/sites/west/manifest.json:1:14: /services must be a list, not 7',
    ])
    expect(both(scene)).to.deep.equal(running('2', '7'))
    for (const { id } of scene.site('west').containers())
      await engineCall(scene.site('west').socket, 'DELETE', `/containers/${id}?force=1`)
    await waitUntil('it is repaired as it was', () => scene.has('west').join() === running('7').join())
    const right = await scene.commit(manifest('2'), west({ services: [service('web', '8')] }))
    await scene.until('it follows', at(right, isSynced))
    expect(both(scene)).to.deep.equal(running('2', '8'))
    const removed = await scene.commit(manifest('2'), { 'environments/prod/sites/west/manifest.json': null })
    await scene.until('it is as all others', at(removed, isSynced))
    expect(both(scene)).to.deep.equal(running('2', '2'))
  })

  it('A70 X18 is asked about once, and the plan tells what differs apart', async () => {
    await using scene = await deployed()
    await scene.commit({ services: [service('web', '2')] }, west({ services: [service('web', '8')] }))
    const { waiting } = await scene.until('it waits', status => status.waiting !== undefined)
    expect(both(scene)).to.deep.equal(running('1', '7'))
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, {})
    await scene.until('it is carried out', isSynced)
    expect(both(scene)).to.deep.equal(running('2', '8'))
  })

  it('A71 a secret of one site reaches the containers of that site, and neither the other nor the journal', async () => {
    const identity = await generateIdentity()
    const recipients = [await identityToRecipient(identity)]
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-age-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(directory, { recursive: true }))
    const ageKeyFile = join(directory, 'age.key')
    await writeFile(ageKeyFile, identity)
    const encrypted = (password: string) => encryptSops({ password }, { format: 'yaml', recipients })
    await using scene = await simulatedScene({
      sites: ['east', 'west'],
      config: { secrets: { ageKeyFile } },
    })
    scene.registry.push('shop', '1')
    const specification =
      'name: shop\nservices: [{name: shop, containers: [{name: shop, image: "shop:1", env: {PASSWORD: {secret: password}}}]}]\n'
    const commit = await scene.commit(
      { services: [service('shop', '1')], skipConfirmation: true },
      {
        'applications/shop.yaml': specification,
        'environments/prod/secrets.yaml': await encrypted('the common one'),
        'environments/prod/sites/west/secrets.yaml': await encrypted('the western one'),
      },
    )
    await scene.until('it runs', at(commit, isSynced))
    const env = (site: string) =>
      scene
        .site(site)
        .containers()
        .flatMap(({ config }) => config.Env ?? [])
    expect(env('east')).to.include('PASSWORD=the common one')
    expect(env('west')).to.include('PASSWORD=the western one')
    expect(JSON.stringify(scene.site('east').containers())).not.to.include('western')
    const kept = await readdir(scene.stateDir, { recursive: true, withFileTypes: true })
    const files = kept.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    expect(files.map(file => extname(file))).to.include('.sqlite')
    for (const file of files) expect((await readFile(file)).includes('western'), file).to.equal(false)
  })
})
