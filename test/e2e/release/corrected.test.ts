import { createServer } from 'node:http'
import { expect } from 'chai'
import { stringify } from 'yaml'
import {
  commit,
  commitLabel,
  isQuarantined,
  onlyRunning,
  runs,
  started,
} from '../../scenes/applications/application-to-recreate.ts'
import { createScene } from '../../scenes/scene.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { freePort } from '../../support/network/free-port.ts'
import { close, listen } from '../../support/network/listen.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('what failed, and is then corrected', () => {
  const it = sideBySide()

  it('G5 D9 what serves is repaired while what is wanted is in quarantine: stopped, paused and removed by hand', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    const first = await commitLabel(scene)
    await commit(scene, { version: '2', cmd: 'exit 7' })
    await daemon.until('it is in quarantine', seen => isQuarantined(seen) && seen.running === undefined)
    await runs(scene, '1')
    for (const way of ['stop?t=1', 'pause'])
      await engineCall(scene.dockerSocket, 'POST', `/containers/${await onlyRunning(scene)}/${way}`).then(
        () => runs(scene, '1'),
      )
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${await onlyRunning(scene)}?force=1`)
    await runs(scene, '1')
    expect(await commitLabel(scene), 'the commit it is made from').to.equal(first)
    await daemon.until('it still is in quarantine', isQuarantined)
  })

  it('G17 a port that is freed by hand is noticed, and what waits for it delays no other application', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const holder = createServer()
    const port = await freePort()
    await listen(holder, port)
    const taker = {
      name: 'taker',
      services: [
        {
          name: 'taker',
          containers: [{ name: 'app', image: `${scene.prefix}/app:1`, ports: [`127.0.0.1:${port}:80`] }],
        },
      ],
    }
    const other = {
      name: 'other',
      services: [{ name: 'other', containers: [{ name: 'app', image: `${scene.prefix}/app:1` }] }],
    }
    await scene.commit(
      { services: [{ name: 'other' }, { name: 'taker' }], skipConfirmation: true },
      'Run both',
      {
        'applications/taker.yaml': stringify(taker),
        'applications/other.yaml': stringify(other),
      },
    )
    const daemon = await scene.tallyman.daemon()
    await daemon.until(
      'the port is taken',
      seen =>
        seen.errors.some(({ code }) => code === 'port-taken') &&
        seen.applications.some(({ application, running }) => application === 'other' && running === 1),
    )
    const removed = await onlyRunning(scene)
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${removed}?force=1`)
    await waitUntil('the other one is there again', async () =>
      (await scene.containers()).some(
        one => one.service === 'other' && one.state === 'running' && one.id !== removed,
      ),
    )
    await close(holder)
    await daemon.until('it runs by itself', ({ sync }) => sync === 'Synced')
  })
})
