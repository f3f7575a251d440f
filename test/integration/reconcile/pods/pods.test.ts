import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { exits } from '../../../support/images/images.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** A pod as a file of the repository: an app for each program, whose image has that name. */
const pod = (programs: Readonly<Record<string, readonly string[]>>, more: object = {}) =>
  JSON.stringify({
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: Object.entries(programs).map(([name, exec]) => ({
      name,
      image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
      app: { exec, user: '0', group: '0' },
    })),
    ...more,
  })

/** A pod of one app that may use 64Mi of memory. */
function podOf(itself: object, more: object = {}): string {
  const image = { name: 'tools', labels: [{ name: 'version', value: '1' }] }
  return JSON.stringify({
    ...{ acVersion: '0.8.11', acKind: 'PodManifest' },
    apps: [{ name: 'main', image, app: { exec: runs, user: '0', group: '0', ...itself } }],
    isolators: [{ name: 'resource/memory', value: { limit: '64Mi' } }],
    ...more,
  })
}

const never = { annotations: [{ name: 'tallyman/restart', value: 'never' }] }

const runs = ['sleep', '100000']

async function prepared(config: Readonly<Record<string, unknown>> = {}): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    config: { sandbox: { image: 'registry.example.com/sandbox:1' }, ...config },
  })
  for (const name of ['sandbox', 'tools']) scene.registry.push(name, '1')
  return scene
}

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

describe('pods on simulated engines', () => {
  const it = sideBySide()

  it('G2 X5 cost one list call where nothing has changed, also if apps of them have ended', async () => {
    await using scene = await prepared()
    const engine = scene.site('local')
    await scene.commit(
      { services: [{ name: 'worker' }], skipConfirmation: true },
      { 'applications/worker.json': pod({ first: exits(0), second: exits(0), main: runs }, never) },
    )
    await scene.until('it runs', isSynced)
    await look(scene)
    const before = engine.calls.length
    await look(scene)
    expect(engine.calls.slice(before).filter(call => /^GET \/containers\//.test(call))).to.deep.equal([
      'GET /containers/json',
    ])
  })

  const mistakes = {
    'an image without the user that the manifest names': [
      { user: 'nemo' },
      { user: 'root' },
      'image-lacking',
    ],
    'an isolator that asks for more than the pod may use': [
      { isolators: [{ name: 'resource/memory', value: { request: '65Mi' } }] },
      { isolators: [{ name: 'resource/memory', value: { request: '64Mi' } }] },
      'pod-unrunnable',
    ],
    'a program that the image lacks': [{ exec: ['slepe', '1'] }, { exec: runs }, 'image-lacking'],
    'a working directory that the image lacks': [
      { workingDirectory: '/nowhere' },
      { workingDirectory: '/tmp' },
      'image-lacking',
    ],
  } as const
  for (const [what, [wrong, right, code]] of Object.entries(mistakes))
    it(`G1 D15 leave what runs alone for ${what}, and go on once that is corrected`, async () => {
      await using scene = await prepared()
      const { containers } = scene.site('local')
      const commit = (itself: object) =>
        scene.commit(
          { services: [{ name: 'worker' }], skipConfirmation: true },
          { 'applications/worker.json': podOf(itself) },
        )
      await commit({ environment: [{ name: 'RELEASE', value: '1' }] })
      await scene.until('it runs', isSynced)
      const before = containers().map(({ id }) => id)
      await commit({ environment: [{ name: 'RELEASE', value: '2' }], ...wrong })
      const { errors } = await scene.until('it is refused', seen =>
        seen.errors.some(one => one.code === code || one.code === 'quarantined'),
      )
      expect(errors[0]?.message, 'with its file and line').to.match(/applications\/worker\.json:\d+:\d+: /)
      expect(containers().map(({ id, state }) => [id, state.status])).to.deep.equal(
        before.map(id => [id, 'running']),
      )
      await commit({ environment: [{ name: 'RELEASE', value: '3' }], ...right })
      await scene.until('it runs', status => isSynced(status) && status.errors.length === 0)
      expect(containers().filter(({ id }) => before.includes(id))).to.deep.equal([])
      expect(containers().flatMap(({ config: { Env } }) => Env ?? [])).to.include('RELEASE=3')
    })

  it('D19 C31 are refused where another one forwards the same port, and that one runs', async () => {
    await using scene = await prepared()
    const port = { ports: [{ name: 'http', hostPort: 18_080 }] }
    const ports = [{ name: 'http', protocol: 'tcp', port: 80 }]
    await scene.commit(
      { services: [{ name: 'one' }, { name: 'two' }], skipConfirmation: true },
      { 'applications/one.json': podOf({ ports }, port), 'applications/two.json': podOf({ ports }, port) },
    )
    const { errors } = await scene.until('one is refused', seen => seen.errors.length > 0)
    expect(errors.map(one => one.code)).to.deep.equal(['port-claimed'])
    expect(scene.has('local').map(line => line.replace(/ .* /, ' '))).to.deep.equal([
      'one.1 running',
      'one.1 running',
    ])
  })

  it('G23 C20 are refused where a link on the way to a directory of the host leads elsewhere, until it is one', async () => {
    const work = await mkdtemp(join(tmpdir(), 'tallyman-links-'))
    await symlink('/etc', join(work, 'data'))
    await using scene = await prepared({ policy: { hostMounts: [work] } })
    const volumes = [{ name: 'data', kind: 'host', source: join(work, 'data', 'in') }]
    const mountPoints = [{ name: 'data', path: '/data' }]
    const commit = () =>
      scene.commit(
        { services: [{ name: 'worker' }], skipConfirmation: true },
        { 'applications/worker.json': podOf({ mountPoints }, { volumes }) },
      )
    await commit()
    const { errors } = await scene.until('it is refused', seen => seen.errors.length > 0)
    expect(errors.map(({ message }) => message).join('\n')).to.include(
      `${join(work, 'data')} is a symlink to /etc`,
    )
    expect(scene.has('local')).to.deep.equal([])
    await rm(join(work, 'data'))
    await mkdir(join(work, 'data', 'in'), { recursive: true })
    await scene.ask('POST /api/v1/retry', {})
    await scene.until('it runs', status => isSynced(status) && status.errors.length === 0)
    expect(scene.has('local')).to.have.length(2)
    await rm(work, { recursive: true })
  })

  it('D17 C50 are two where two environments have one of the same name, and each goes its own way', async () => {
    await using scene = await prepared({ environments: ['prod', 'devel'] })
    const named = JSON.stringify({ services: [{ name: 'worker' }], skipConfirmation: true })
    const commit = (prod: string, devel: string) =>
      scene.commit(JSON.parse(named), {
        'environments/devel/manifest.json': named,
        'environments/prod/applications/worker.json': prod,
        'environments/devel/applications/worker.json': devel,
      })
    const [first, second] = [podOf({}), podOf({ environment: [{ name: 'RELEASE', value: '2' }] })]
    const of = (environment: string) =>
      scene
        .site('local')
        .containers()
        .filter(({ config: { Labels } }) => Labels['tallyman.environment'] === environment)
    const runsIn = (environment: string) => of(environment).filter(({ state }) => state.status === 'running')
    await commit(first, first)
    await waitUntil('both run', () => runsIn('prod').length === 2 && runsIn('devel').length === 2)
    const before = of('prod').map(({ id }) => id)
    await commit(first, second)
    const isChanged = () => runsIn('devel').some(({ config: { Env } }) => Env.includes('RELEASE=2'))
    await waitUntil('one is changed', () => isChanged() && of('devel').length === 2)
    expect(of('prod').map(({ id, state }) => [id, state.status])).to.deep.equal(
      before.map(id => [id, 'running']),
    )
  })

  it('D1 D15 are refused where an application specification has the same name, and nothing runs', async () => {
    await using scene = await prepared()
    await scene.commit(
      { services: [{ name: 'one' }], skipConfirmation: true },
      {
        'applications/one.json': podOf({}),
        'applications/one.yaml':
          'name: one\nservices: [{name: one, containers: [{name: one, image: tools:1}]}]\n',
      },
    )
    const { errors } = await scene.until('it is refused', seen => seen.errors.length > 0)
    expect(errors.map(one => one.code)).to.deep.equal(['duplicate-application'])
    expect(scene.has('local')).to.deep.equal([])
  })

  it('X5 C50 are started anew as a whole with their sandbox, also if it was known how their apps had ended', async () => {
    await using scene = await prepared()
    const { socket, containers } = scene.site('local')
    await scene.commit(
      { services: [{ name: 'worker' }], skipConfirmation: true },
      { 'applications/worker.json': pod({ first: exits(0), main: runs }, never) },
    )
    await scene.until('it runs', isSynced)
    await look(scene)
    const startOf = (name: string) =>
      containers().find(({ config: { Labels } }) => Labels['tallyman.container'] === name)?.state.startedAt
    const before = startOf('first')
    const sandbox = containers().find(({ config: { Labels } }) => Labels['tallyman.role'] === 'sandbox')
    await engineCall(socket, 'POST', `/containers/${sandbox?.id}/stop`)
    await scene.until('it runs again', status => isSynced(status) && startOf('first') !== before)
    expect((await look(scene)).applications.map(({ health }) => health)).to.deep.equal(['Healthy'])
  })
})

/** Waits for one more pass that finds nothing to do. */
async function look(scene: SimulatedScene): Promise<StatusDocument> {
  const { lookedAt = '' } = await scene.until('it is quiet', () => true)
  await scene.ask('POST /api/v1/reconcile')
  return scene.until('it has looked again', status => isSynced(status) && (status.lookedAt ?? '') > lookedAt)
}
