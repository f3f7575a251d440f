import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { startSecondEngine } from '../../support/engine/dockerd.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { pushImage } from '../../support/images/images.ts'
import { testMachine, uniqueName } from '../../support/suite/env.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('a second engine', () => {
  it('is another one than the first, pulls from the same registry and runs containers', async () => {
    const { dockerSocket, registry } = await testMachine()
    await using second = await startSecondEngine()
    const image = await pushImage(registry, uniqueName('web'), '1')

    const [one, two] = await Promise.all(
      [dockerSocket, second.socket].map(socket => engineGet(socket, '/info')),
    )
    expect(two).to.have.property('ID').not.equal(Object(one).ID)

    await engineCall(second.socket, 'POST', `/images/create?fromImage=${encodeURIComponent(image.reference)}`)
    await engineCall(second.socket, 'POST', '/containers/create?name=web', { Image: image.reference })
    await engineCall(second.socket, 'POST', '/containers/web/start')
    await waitUntil('the container runs', async () =>
      JSON.stringify(await engineGet(second.socket, '/containers/web/json')).includes('"Running":true'),
    )
  })

  it('leaves the bridge of the first one alone, also when it is started again', async () => {
    const bridges = async () => (await readdir('/sys/class/net')).filter(name => name === 'docker0')
    const before = await bridges()
    await using second = await startSecondEngine()
    await second.restart()
    expect(await bridges()).to.deep.equal(before)
  })
})
