import { expect } from 'chai'
import type { LocalImage } from '../../../../lib/engine.ts'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import { declarationOf } from '../../../../lib/state/image/declaration.ts'
import { digest } from '../../../support/builders/builders.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { everyImage, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()

/** A pod of one app that runs as its image says, and publishes a port that only the image knows. */
function ftp(more: object = {}): Files {
  const image = { name: 'example.com/ftp', id: `sha512-${'8d'.repeat(64)}` }
  const containers = [{ dockerName: '127.0.0.1:1/ftp', dockerTag: '1' }]
  const worker = {
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: [{ name: 'main', image, ...more }],
    ports: [{ name: '21-tcp', hostPort: 2121 }],
  }
  return {
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'worker', containers }] }),
    'applications/worker.json': JSON.stringify(worker),
  }
}

function worldOf(files: Files, localImage: (reference: string) => LocalImage | undefined) {
  const asked: string[] = []
  const engine = {
    ...memoryEngine({ distribution: everyImage }),
    localImage: async (reference: string) => {
      if (reference.includes('@')) asked.push(reference)
      return localImage(reference)
    },
  }
  const [world] = memoryWorlds({ files, engines: [engine] }).worlds
  if (world === undefined) throw new Error('there is one')
  return { look: () => desiredState(world, { maxAgeMs: 0, lastGood: false }, signal), asked }
}

const image: LocalImage = {
  id: digest('1'),
  repoTags: [],
  repoDigests: [],
  declared: declarationOf({ ExposedPorts: { '21/tcp': {} } }, 'linux/amd64'),
}

describe('what the images of pods say of themselves', () => {
  it('C5 C30 is asked for once their digest is known, and decides how the pod runs', async () => {
    const { look, asked } = worldOf(ftp(), () => image)
    const { desired } = await look()
    expect(desired.blocked).to.deep.equal([])
    expect(desired.applications[0]?.services[0]?.instances[0]?.sandbox?.ports).to.deep.equal([
      { target: 21, published: 2121, protocol: 'tcp' },
    ])
    expect(asked).to.deep.equal([`127.0.0.1:1/ftp@${digest('a')}`])
    await look()
    expect(asked, 'a known commit asks nobody').to.have.length(1)
  })

  it('C5 G4 blocks a pod while nobody tells, and is asked for again until somebody does', async () => {
    let told: LocalImage | undefined
    const { look } = worldOf(ftp(), () => told)
    const { desired, awaitsRegistry } = await look()
    expect(desired.applications).to.deep.equal([])
    expect(desired.blocked.map(({ problems }) => problems[0].code)).to.deep.equal(['registry-unreachable'])
    expect(awaitsRegistry).to.equal(true)
    told = image
    const later = await look()
    expect(later.desired.blocked).to.deep.equal([])
    expect(later.desired.applications.map(({ name }) => name)).to.deep.equal(['worker'])
    expect(later.awaitsRegistry).to.equal(undefined)
  })

  it('C5 D15 of an app with a section of its own keeps nobody from running it', async () => {
    const ports = [{ name: '21-tcp', protocol: 'tcp', port: 21 }]
    const { look } = worldOf(ftp({ app: { exec: ['serve'], user: '0', group: '0', ports } }), () => undefined)
    const { desired, awaitsRegistry } = await look()
    expect(desired.blocked).to.deep.equal([])
    expect(awaitsRegistry).to.equal(undefined)
  })
})
