import { expect } from 'chai'
import { commit, read } from '../../scenes/applications/blog.ts'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'

/** A Pallet application in a few lines of shell: it writes down what it is run as, and its environment. */
const program = `#!/bin/sh
echo "$1 $TAG" >> /storage/phases
env | sed 's/=.*//' | sort > "/storage/env.$1"
case $1 in
  deploy) [ "$TAG" != bad ] ;;
  serve) trap 'echo "ended $TAG" >> /storage/phases; exit 0' TERM; touch /tmp/serves; sleep 1000000 & wait $! ;;
esac
`

async function prepared(): Promise<Scene> {
  const scene = await createScene()
  for (const TAG of ['1', '2', 'bad'])
    await scene.push('blog', TAG, {
      files: { '/run-phase': program },
      entrypoint: ['/run-phase'],
      cmd: ['serve'],
      env: { TAG },
      // Nothing is replaced by what has not written down yet that it serves.
      healthcheck: { test: ['CMD', 'test', '-e', '/tmp/serves'], intervalMs: 500 },
    })
  return scene
}

describe('a Pallet application', () => {
  it('P4 P6 P8 P11 P20 P21 P22 is deployed once per version, then served, and not served after a failure', async () => {
    await using scene = await prepared()
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    await commit(scene, '1', {}, { phases: { test: true } })
    expectCode(await apply(), 0)
    expect(await read(scene, 'phases')).to.deep.equal(['test 1', 'deploy 1', 'serve 1', 'serve 1'])
    const common = ['DB_DEFAULT_URL', 'ENVIRONMENT', 'SITE_DOMAIN', 'SITE_PROTOCOL']
    const ofImage = (names: readonly string[]) =>
      names.filter(name => !['HOME', 'HOSTNAME', 'PATH', 'PWD', 'SHLVL', 'TAG', '_'].includes(name))
    expect(ofImage(await read(scene, 'env.test'))).to.deep.equal(common)
    expect(ofImage(await read(scene, 'env.deploy'))).to.deep.equal([
      'DB_DEFAULT_URL',
      'DB_DEPLOY_URL',
      ...common.slice(1),
    ])
    expect(ofImage(await read(scene, 'env.serve'))).to.deep.equal([...common, 'WEB_CONCURRENCY'])

    await commit(scene, '2')
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(4)).to.deep.equal([
      ...['deploy 2', 'serve 2', 'ended 1', 'serve 2', 'ended 1'],
    ])

    await commit(scene, 'bad')
    const failed = await apply()
    expectCode(failed, 1)
    expect(documentOf(failed)).to.deep.include({ outcome: 'rolled-back' })
    expect(documentOf(failed).error).to.include({ code: 'job-failed' })
    expect((await read(scene, 'phases')).slice(9)).to.deep.equal(['deploy bad'])
  })
})
