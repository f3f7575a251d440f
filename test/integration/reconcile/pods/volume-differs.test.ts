import { expect } from 'chai'
import { engineCall, engineGet } from '../../../support/engine/engine-call.ts'
import { createScene } from '../scene.ts'

const specification = (prefix: string, volume: string, more = '') => `
name: db
services:
  - name: db
    volumes:
      - name: ${volume}
        persistent-volume: {${more}}
    containers:
      - name: db
        image: ${prefix}/db:1
        mounts: [{volume-name: ${volume}, mount-path: /data}]
`
const otherOptions = 'driver_opts: {type: tmpfs, device: tmpfs}'

/** A scene with an application, and what commits it with a volume of this name. */
async function volumeScene() {
  const scene = await createScene()
  scene.push('db', '1')
  const commit = (volume: string, more?: string) =>
    scene.commit({ skipConfirmation: true, services: [{ name: 'db' }] }, undefined, {
      'applications/db.yaml': specification(scene.prefix, volume, more),
    })
  const told = async () => (await scene.tallyman.run('plan')).stdout.includes('volume-differs')
  return { scene, commit, told, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

describe('a persistent volume of which other options are wanted', () => {
  it('D3 G7 is told in the plan until it is wanted as it was made or under another name', async () => {
    await using started = await volumeScene()
    const { commit, told } = started
    const { tallyman, environment } = started.scene
    await commit('data')
    expect((await tallyman.run('apply')).code).to.equal(0)
    expect(await told()).to.equal(false)
    await commit('data', otherOptions)
    expect((await tallyman.run('plan')).stdout).to.include(
      `local: volume ${environment}.db.data of db stays as it was made: its "driver_opts" are not the ones that are wanted: device, type (volume-differs)`,
    )
    await commit('data')
    expect(await told()).to.equal(false)
    await commit('other', otherOptions)
    expect((await tallyman.run('apply')).code).to.equal(0)
    expect(await told()).to.equal(false)
  })

  it('D3 G7 is made as it is wanted once somebody has removed it by hand, with what uses it', async () => {
    await using started = await volumeScene()
    const { commit, told } = started
    const { tallyman, dockerSocket, environment, containers } = started.scene
    await commit('data')
    expect((await tallyman.run('apply')).code).to.equal(0)
    await commit('data', otherOptions)
    for (const { id } of await containers())
      await engineCall(dockerSocket, 'DELETE', `/containers/${id}?force=1`)
    const removed = await engineCall(dockerSocket, 'DELETE', `/volumes/${environment}.db.data`)
    expect(removed.status).to.equal(204)
    expect((await tallyman.run('apply')).code).to.equal(0)
    expect(await told()).to.equal(false)
    expect(await engineGet(dockerSocket, `/volumes/${environment}.db.data`)).to.deep.include({
      Options: { type: 'tmpfs', device: 'tmpfs' },
    })
  })
})

describe('a persistent volume that somebody removed', () => {
  it('D3 D9 G7 is told in the plan that makes it anew, and no longer once it is there', async () => {
    await using started = await volumeScene()
    const { tallyman, environment, engine } = started.scene
    await started.commit('data')
    expect((await tallyman.run('apply')).stdout).not.to.include('volume-gone')
    const [container] = await started.scene.containers()
    const volume = `${environment}.db.data`
    for (const thing of [`/containers/${container?.id}?force=true`, `/volumes/${volume}`])
      expect((await engineCall(engine.socket, 'DELETE', thing)).status).to.equal(204)
    const warning = `local: volume ${volume} of db is gone, and is made anew without the files that it had (volume-gone)`
    expect((await tallyman.run('plan')).stdout).to.include(warning)
    expect((await tallyman.run('apply')).code).to.equal(0)
    expect((await tallyman.run('show', '2')).stdout).to.include(warning)
    expect((await tallyman.run('plan')).stdout).not.to.include('volume-gone')
  })
})
