import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure, formatProblem } from '../../../lib/errors.ts'
import { desiredState } from '../../../lib/reconcile/repository/desired.ts'
import type { Files } from '../../support/builders/snapshot.ts'
import { memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()

const index = JSON.stringify({
  manifests: [{ digest: `sha256:${'b'.repeat(64)}`, platform: { os: 'linux', architecture: 'amd64' } }],
})
const digest = `sha256:${createHash('sha256').update(index).digest('hex')}`
const other = `sha256:${'c'.repeat(64)}`

/** A registry that has every image but those that are named `gone`, each for amd64 alone. */
async function registry() {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/vnd.oci.image.index.v1+json').end(index)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const distribution: Engine['distribution'] = async reference => {
    if (reference.includes('gone')) throw new Failure('image-not-found', `${reference}: is not there`)
    return { digest, mediaType: 'application/vnd.oci.image.index.v1+json' }
  }
  return {
    host: `127.0.0.1:${port}`,
    distribution,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** What keeps the applications of these files from running: place, and what is wrong there. */
async function refusals(files: (host: string) => Files): Promise<readonly string[]> {
  await using own = await registry()
  const engine = memoryEngine({ distribution: own.distribution })
  const { worlds } = memoryWorlds({
    files: files(own.host),
    engines: [engine],
    config: { registry: own.host },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  const { desired } = await desiredState(world, { maxAgeMs: 0, lastGood: false }, signal)
  return desired.blocked.flatMap(({ problems }) =>
    problems.map(problem => formatProblem(problem).replaceAll(own.host, 'HOST')),
  )
}

const lines = (...all: readonly string[]) => all.join('\n')

/** A manifest of one service, whose only entry begins in line 2 at column 33. */
const manifest = (entry: object) =>
  `{"services": [{"name": "worker",\n               "containers": [  ${JSON.stringify(entry)}]}]}`

/** A pod of one app that needs nothing but its image, which begins in line 2. */
const pod = (...image: readonly string[]) =>
  lines(
    '{"acVersion": "0.8.11", "acKind": "PodManifest", "apps": [{"name": "main", "image": {',
    ...image,
    '}, "app": {"exec": ["serve"], "user": "0", "group": "0"}}]}',
  )

const version = '"labels": [{"name": "version", "value": "1"}'

const named = { 'environments/prod/manifest.json': '{"services": [{"name": "worker"}]}' }

describe('an image that does not fit', () => {
  it('C4 D5 is refused where a pod names it, demands its id or its platform', async () => {
    const of = (...image: readonly string[]) =>
      refusals(() => ({ ...named, 'applications/worker.json': pod(...image) }))
    expect(await of('  "name": "gone",', `  ${version}]`)).to.deep.equal([
      'applications/worker.json:2:11: worker/worker: HOST/gone:1: is not there (image-not-found)',
    ])
    expect(
      await of('  "name": "web",', `  "id": "${other.replace(':', '-')}",`, `  ${version}]`),
    ).to.deep.equal([
      `applications/worker.json:3:9: worker/worker: HOST/web:1: ${other} is required, but the registry has ${digest} (digest-mismatch)`,
    ])
    expect(
      await of('  "name": "web",', `  ${version},`, '  {"name": "arch", "value": "aarch64"}]'),
    ).to.deep.equal([
      'applications/worker.json:4:29: worker/worker: HOST/web:1: is not for linux/arm64, but for linux/amd64 (image-not-found)',
    ])
  })

  it('C4 D5 is refused where the manifest pins it for a pod, except for what the pod demands', async () => {
    const of = (entry: object, ...image: readonly string[]) =>
      refusals(host => ({
        'environments/prod/manifest.json': manifest({ dockerName: `${host}/web`, dockerTag: '1', ...entry }),
        'applications/worker.json': pod(...image),
      }))
    expect(await of({ dockerDigest: other }, '  "name": "example.com/web",', `  ${version}]`)).to.deep.equal([
      `environments/prod/manifest.json:2:33: worker/worker: HOST/web:1: ${other} is required, but the registry has ${digest} (digest-mismatch)`,
    ])
    expect(
      await of({}, '  "name": "example.com/web",', `  "id": "${other.replace(':', '-')}"`),
    ).to.deep.equal([
      `applications/worker.json:3:9: worker/worker: HOST/web:1: ${other} is required, but the registry has ${digest} (digest-mismatch)`,
    ])
  })

  it('D5 is refused where an application specification names it or its platform, or the manifest pins it', async () => {
    const specification = (host: string, image: string) =>
      lines(
        'name: worker',
        'services:',
        '  - name: main',
        '    containers:',
        '      - name: main',
        `        image: ${host}/${image}`,
        '        platform: linux/arm64',
      )
    const of = (image: string, files: Files) =>
      refusals(host => ({ ...files, 'applications/worker.yaml': specification(host, image) }))
    expect(await of('gone:1', named)).to.deep.equal([
      'applications/worker.yaml:6:16: worker/main: HOST/gone:1: is not there (image-not-found)',
    ])
    expect(await of('web:1', named)).to.deep.equal([
      'applications/worker.yaml:7:19: worker/main: HOST/web:1: is not for linux/arm64, but for linux/amd64 (image-not-found)',
    ])
    const pinned = { 'environments/prod/manifest.json': manifest({ dockerName: 'gone', dockerTag: '2' }) }
    expect(await of('gone:1', pinned)).to.deep.equal([
      'environments/prod/manifest.json:2:33: worker/main: HOST/gone:2: is not there (image-not-found)',
    ])
  })

  it('D5 is refused where a manifest names it without a specification', async () => {
    expect(
      await refusals(host => ({
        'environments/prod/manifest.json': manifest({ dockerName: `${host}/gone`, dockerTag: '1' }),
      })),
    ).to.deep.equal([
      'environments/prod/manifest.json:2:33: worker/worker: HOST/gone:1: is not there (image-not-found)',
    ])
  })
})
