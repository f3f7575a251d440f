import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall, engineGet } from '../../../support/engine/engine-call.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

/** `shop` with its own network comes to two sites, one after the other, `east` first. */
async function scene(): Promise<SimulatedScene> {
  const made = await simulatedScene({
    sites: ['east', 'west'],
    siteConfig: { east: { labels: { first: 'yes' } } },
    config: { poll: '1s' },
  })
  for (const tag of ['1', '2']) made.registry.push('shop', tag, { env: { TAG: tag } })
  return made
}

const release = (scene: SimulatedScene, version: string) =>
  scene.commit(
    { services: [{ name: 'shop' }], skipConfirmation: true },
    {
      'applications/shop.yaml': `name: shop
version: "${version}"
services: [{name: web, containers: [{name: web, image: "registry.example.com/shop:${version}"}]}]
`,
      'deployments/shop.yaml': `name: shop
application: shop
placement: {all-sites: true}
deploy-to-sites: {canary-sites: {match-site-labels: first}, canary-healthy-time: 0s}
`,
    },
  )

const isDone = (commit: string) => (status: StatusDocument) =>
  status.revision?.commit === commit && deployment(status)?.state === 'done'

const onEast = ({ applications }: StatusDocument) => applications.find(({ site }) => site === 'east')

const deployment = ({ deployments = [] }: StatusDocument) => deployments[0]

describe('an application that meets a name of somebody else', () => {
  it('G10 G13 is held in the plan by a volume of that name, whose data stay, and goes on once it is gone', async () => {
    await using made = await simulatedScene({ config: { poll: '1s' } })
    const { socket } = made.site('local')
    made.registry.push('shop', '1')
    await engineCall(socket, 'POST', '/volumes/create', { Name: 'prod.shop.data' })
    await made.commit(
      { services: [{ name: 'shop' }], skipConfirmation: true },
      {
        'applications/shop.yaml': `name: shop
version: "1"
services:
  - name: web
    containers: [{name: web, image: "registry.example.com/shop:1", mounts: [{volume-name: data, mount-path: /data}]}]
    volumes: [{name: data, persistent-volume: {}}]
`,
      },
    )
    const waits = await made.until('it is seen', ({ applications: [shop] }) => shop?.code === 'name-taken')
    expect(waits.applications[0]?.reason).to.include(
      'the volume prod.shop.data is not one that tallyman made',
    )
    expect(made.has('local')).to.deep.equal([])
    await engineCall(socket, 'DELETE', '/volumes/prod.shop.data')
    await made.until('it runs', ({ sync }) => sync === 'Synced' && made.has('local').length === 1)
  })
})

describe('a deployment that meets a name of somebody else', () => {
  const it = sideBySide()

  it('A33 G1 G10 waits on the site until the network of that name is gone, and then goes on', async () => {
    await using made = await scene()
    const foreign = await engineCall(made.site('east').socket, 'POST', '/networks/create', {
      Name: 'prod.shop',
    })
    await release(made, '1')
    const waits = await made.until('it waits', status => deployment(status)?.until !== undefined)
    expect(deployment(waits)).to.include({ state: 'progressing' })
    expect(deployment(waits)?.reason).to.match(
      /^waits for east \(name-taken: the network prod.shop is .*\); the deployment fails if that lasts$/,
    )
    expect(made.has('west')).to.deep.equal([])
    await engineCall(
      made.site('east').socket,
      'DELETE',
      `/networks/${JSON.parse(foreign.body.toString()).Id}`,
    )
    await made.until('it is everywhere', status => deployment(status)?.state === 'done')
  })
  it('A33 G1 G10 waits on the site until the container of that name is gone, and what runs goes on', async () => {
    await using made = await scene()
    await made.until('it is everywhere', isDone(await release(made, '1')))
    const names: string[] = []
    for (const version of ['2', '1']) {
      const commit = await release(made, version)
      await made.until('it is everywhere', isDone(commit))
      names.push(
        ...made
          .site('east')
          .containers()
          .map(({ name }) => name),
      )
    }
    const [name] = names
    const { socket } = made.site('east')
    const [{ ImageID: Image }] = (await engineGet(socket, '/containers/json')) as [{ ImageID: string }]
    expect((await engineCall(socket, 'POST', `/containers/create?name=${name}`, { Image })).status).to.equal(
      201,
    )
    await release(made, '2')
    const waits = await made.until('it waits', status => deployment(status)?.until !== undefined)
    expect(deployment(waits)?.reason).to.match(
      /^waits for east \(name-taken: .*\); the deployment fails if that/,
    )
    expect(made.has('east').some(line => line.includes('shop:1 running'))).to.equal(true)
    const seen = await made.until('a look in between', status => onEast(status)?.next !== undefined)
    expect(onEast(seen)?.reason).to.match(
      /^container prod\.web\.1\.\w+: something else already has this name/,
    )
    await engineCall(socket, 'DELETE', `/containers/${name}`)
    await made.until('it is everywhere', status => deployment(status)?.state === 'done')
  })
})
