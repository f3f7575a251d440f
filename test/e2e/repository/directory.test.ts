import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createScene, idsOf, type Scene, service } from '../../scenes/scene.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** A daemon over the files of a directory, which has deployed one service. */
async function deployed() {
  const scene = await createScene({ config: (_, { path }) => ({ repository: { url: path } }) })
  await scene.push('web', '1')
  await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', ({ sync, running }) => sync === 'Synced' && running === undefined)
  return { scene, daemon }
}

const manifestIn = ({ environment, repository }: Scene) =>
  join(repository.path, `environments/${environment}/manifest.json`)

async function stopWeb(scene: Scene): Promise<void> {
  const [id = ''] = idsOf(await scene.containers(), 'web')
  await engineCall(scene.dockerSocket, 'POST', `/containers/${id}/stop?t=0`)
}

/** Waits until the service runs again, in the container that was stopped. */
async function runsAgain(scene: Scene): Promise<void> {
  await waitUntil('web runs again', async () =>
    (await scene.containers()).some(({ service, state }) => service === 'web' && state === 'running'),
  )
}

describe('a directory as the repository', () => {
  const it = sideBySide()

  it('D15 D9 whose manifest is broken has that told with its place, and what runs is repaired, also by a new daemon', async () => {
    const { scene, daemon } = await deployed()
    await using _ = scene
    await writeFile(manifestIn(scene), '{"services": [')
    const told = `json-invalid environments/${scene.environment}/manifest.json:1:15: expected a value, found the end of the file`
    // The file is empty for a moment, before it has this text, and that may be seen, too.
    const broken = await daemon.until(
      'the error is told',
      ({ errors }) => errors[0]?.message.includes(':1:15') === true,
    )
    expect(broken.errors.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([told])
    const before = idsOf(await scene.containers(), 'web')
    await stopWeb(scene)
    await runsAgain(scene)
    await daemon.stop()
    await stopWeb(scene)
    const next = await scene.tallyman.daemon()
    await runsAgain(scene)
    expect(idsOf(await scene.containers(), 'web')).to.deep.equal(before)
    const seen = await next.until('it is seen again', ({ applications }) => applications[0]?.running === 1)
    expect(seen.errors.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([told])
  })
})
