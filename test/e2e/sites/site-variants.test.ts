import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { containersOf, createScene, inspect, type Scene } from '../../scenes/scene.ts'
import { startSecondEngine } from '../../support/engine/dockerd.ts'
import { encryptSops } from '../../support/files/sops.ts'
import type { Files } from '../../support/git/repository.ts'
import { testMachine } from '../../support/suite/env.ts'

/** What the only container of the environment on an engine runs and is told: `1 info common`. */
async function runs({ environment }: Scene, socket: string): Promise<string> {
  const [container, ...others] = (await containersOf(socket, environment)).filter(
    ({ state }) => state === 'running',
  )
  if (container === undefined || others.length > 0) throw new Error('there is one container')
  const { Config } = await inspect(socket, container.id)
  const env = new Map(
    Config.Env.map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )
  const tag = container.labels['tallyman.image']?.split(':').at(-1)
  return [tag, env.get('LEVEL'), env.get('PASSWORD')].join(' ')
}

describe('two engines of which one has something of its own', () => {
  it('A70 A71 gives a site its variable, image and secret, keeps them while they are wrong, and takes them back', async () => {
    const { dockerSocket } = await testMachine()
    await using second = await startSecondEngine()
    const sites = [
      { name: 'here', endpoint: `unix://${dockerSocket}` },
      { name: 'there', endpoint: `unix://${second.socket}` },
    ]
    await using scene = await createScene({ config: { sites, secrets: { ageKeyFile: 'age.key' } } })
    const { tallyman } = scene
    const identity = await generateIdentity()
    await writeFile(join(tallyman.directory, 'age.key'), identity)
    const recipients = [await identityToRecipient(identity)]
    const secret = (password: string) => encryptSops({ password }, { format: 'yaml', recipients })
    for (const tag of ['1', '2']) await scene.push('shop', tag, { env: { V: tag } })
    const both = () => Promise.all([runs(scene, dockerSocket), runs(scene, second.socket)])
    const apply = async (files: Files, tag = '1') => {
      const containers = [{ dockerTag: tag }]
      await scene.commit(
        { services: [{ name: 'shop', containers }], skipConfirmation: true },
        'Change',
        files,
      )
      return tallyman.run('apply', '--yes')
    }

    const specification = [
      'name: shop',
      'services:',
      '  - name: shop',
      '    variables: [{name: LEVEL, value: info}]',
      '    containers:',
      '      - {name: shop, image: shop, env: {LEVEL: "${LEVEL}", PASSWORD: {secret: password}}}',
    ].join('\n')
    const first = await apply({
      'applications/shop.yaml': specification,
      'secrets.yaml': await secret('common'),
      'sites/there/variables.yaml': 'shop: {LEVEL: debug}\n',
      'sites/there/secrets.yaml': await secret('of there'),
    })
    expect(first.code, first.stderr).to.equal(0)
    expect(await both()).to.deep.equal(['1 info common', '1 debug of there'])
    expect(first.stdout + first.stderr).not.to.include('of there')

    const wrong = await apply({ 'sites/there/variables.yaml': 'shop: {LEVLE: debug}\n' }, '2')
    expect(wrong.stdout).to.include('  shop on there  (overlay-unmatched)')
    expect(wrong.stderr).to.match(
      /sites\/there\/variables\.yaml:1:15: no service of shop\.yaml has a variable "LEVLE"; did you mean "LEVEL"\?/,
    )
    expect(wrong.code).to.equal(1)
    expect(await both()).to.deep.equal(['2 info common', '1 debug of there'])

    const ownImage = JSON.stringify({ services: [{ name: 'shop', containers: [{ dockerTag: '1' }] }] })
    const corrected = await apply(
      { 'sites/there/variables.yaml': 'shop: {LEVEL: trace}\n', 'sites/there/manifest.json': ownImage },
      '2',
    )
    expect(corrected.code, corrected.stderr).to.equal(0)
    expect(await both()).to.deep.equal(['2 info common', '1 trace of there'])

    const removed = await apply(
      {
        'sites/there/variables.yaml': null,
        'sites/there/manifest.json': null,
        'sites/there/secrets.yaml': null,
      },
      '2',
    )
    expect(removed.code, removed.stderr).to.equal(0)
    expect(await both()).to.deep.equal(['2 info common', '2 info common'])
  })
})
