import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../../scenes/plan-document.ts'
import { createScene, type Scene } from '../scene.ts'

/** Commits applications with the tags of their images; `slow` has to run for a minute before it is in place. */
function release(scene: Scene, tags: Readonly<Record<string, string>>): Promise<string> {
  const files = Object.entries(tags).map(([name, tag]) => {
    const rollingUpdate = name === 'slow' && tag !== '1' ? { healthyTime: '60s', timeoutSeconds: 200 } : {}
    const containers = [{ name: 'app', image: `${scene.prefix}/web:${tag}` }]
    const services = [{ name: 'web', strategy: { type: 'RollingUpdate', rollingUpdate }, containers }]
    return [`applications/${name}.yaml`, stringify({ name, version: tag, services })] as const
  })
  const services = Object.keys(tags).map(name => ({ name }))
  return scene.commit(
    { skipConfirmation: true, services },
    Object.values(tags).join(', '),
    Object.fromEntries(files),
  )
}

describe('the status while a rollout takes long', () => {
  it('G13 says of the other applications of its commit what is so by now: one is in place, and one is blocked', async () => {
    await using scene = await createScene({ config: { healthyTime: '0s' } })
    for (const tag of ['1', '2']) scene.push('web', tag)
    await release(scene, { slow: '1', fast: '1', wrong: '1' })
    expectCode(await scene.tallyman.run('apply'), 0)
    await release(scene, { slow: '2', fast: '2', fresh: '2', wrong: '3' })
    const daemon = await scene.tallyman.daemon()
    const now = await daemon.until(
      'the fast ones are in place, and the slow one is on its way',
      ({ applications, running }) =>
        running !== undefined &&
        ['fast', 'fresh'].every(name =>
          applications.some(one => one.application === name && one.version === '2' && one.sync === 'Synced'),
        ) &&
        applications.some(one => one.application === 'slow' && one.reason.startsWith('the rollout')),
    )
    const rows = now.applications.map(({ application, sync, version, wantedVersion, reason }) => [
      ...[application, sync, version, wantedVersion],
      reason.replace(/registry.example.com\/here-\w+/, 'registry'),
    ])
    expect(rows).to.deep.equal([
      ['fast', 'Synced', '2', undefined, ''],
      ['fresh', 'Synced', '2', undefined, ''],
      [
        'slow',
        'OutOfSync',
        '1',
        '2',
        'the rollout of version 2 has begun; the version and the health shown are from before it',
      ],
      [
        ...['wrong', 'Unknown', '1', undefined],
        'wrong/web: local: registry/web:3: manifest unknown: manifest unknown',
      ],
    ])
    // The last pass that has ended found everything in place.
    expect(now.sync).to.equal('OutOfSync')
    const fresh = now.applications.find(({ application }) => application === 'fresh')
    expect(fresh).to.include({ health: 'Healthy', running: 1, wanted: 1 })
    await daemon.stop()
  })
})
