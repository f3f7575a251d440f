import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { httpCall } from '../support/http-call.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Scene, service } from './scene.ts'

describe('a hostile repository', () => {
  const it = sideBySide()

  it('G24 E14 a manifest that is a symlink is refused', async () => {
    await using scene = await createScene()
    const directory = join(scene.repository.path, 'environments', scene.environment)
    await mkdir(directory, { recursive: true })
    await symlink('/etc/passwd', join(directory, 'manifest.json'))
    await scene.repository.commit({}, 'Look over there')
    await expectRefused(scene, 'path-forbidden')
  })

  it('G24 E14 a directory on the way that is a symlink is refused', async () => {
    await using scene = await createScene()
    const directory = join(scene.repository.path, 'environments', scene.environment)
    await mkdir(directory, { recursive: true })
    await symlink('/etc', join(directory, 'etc'))
    await scene.commit({ includes: ['./etc/hostname'] })
    await expectRefused(scene, 'path-forbidden')
  })

  for (const include of [
    '../../../../../../etc/passwd',
    '/etc/passwd',
    '..\\..\\secret.json',
    './a\0.json',
  ]) {
    it(`G24 E14 an include of ${JSON.stringify(include)} is refused`, async () => {
      await using scene = await createScene()
      await scene.push('web', '1')
      await scene.commit({ includes: [include], services: [service('web', '1')] })
      await expectRefused(scene, 'include-invalid')
    })
  }

  it('G24 a manifest of 9 MB is refused', async () => {
    await using scene = await createScene()
    const comment = 'x'.repeat(9 << 20)
    const path = `environments/${scene.environment}/manifest.json`
    await scene.repository.commit({ [path]: JSON.stringify({ 'x-comment': comment, services: [] }) })
    await expectRefused(scene, 'file-too-large')
  })

  it('G24 a manifest nested 100,000 deep is refused', async () => {
    await using scene = await createScene()
    const path = `environments/${scene.environment}/manifest.json`
    await scene.repository.commit({ [path]: `{"x-deep": ${'['.repeat(100_000)}${']'.repeat(100_000)}}` })
    await expectRefused(scene, 'document-too-complex')
  })

  const powers: readonly {
    readonly what: string
    readonly code: string
    readonly container?: object
    readonly more?: object
    readonly text?: string
  }[] = [
    { what: 'privileged mode', code: 'policy-violation', container: { privileged: true } },
    { what: 'a capability', code: 'policy-violation', container: { cap_add: ['SYS_ADMIN'] } },
    { what: 'a device', code: 'policy-violation', container: { devices: ['/dev/sda'] } },
    { what: "the host's processes", code: 'policy-violation', container: { pid: 'host' } },
    ...['/var/run/docker.sock', '/', '/srv/../etc', '/etc'].map(path => ({
      what: `${path} of the host`,
      code: path === '/' || path.includes('..') ? 'application-invalid' : 'policy-violation',
      container: { mounts: [{ 'volume-name': 'v', 'mount-path': '/mnt' }] },
      more: { volumes: [{ name: 'v', host: { path } }] },
    })),
    { what: "the host's network", code: 'policy-violation', more: { network: { host: true } } },
    {
      what: 'a file name that leads up',
      code: 'application-invalid',
      container: { mounts: [{ 'volume-name': 'v', 'mount-path': '/mnt' }] },
      more: { volumes: [{ name: 'v', 'config-map': { items: [{ name: '../../etc/passwd', data: 'x' }] } }] },
    },
    {
      what: 'an interval of 1e308 s',
      code: 'application-invalid',
      container: { healthcheck: { test: 'true', interval: `${'9'.repeat(308)}s` } },
    },
    { what: 'aliases that unfold to ten million', code: 'document-too-complex', text: aliasBomb() },
    { what: 'a file of 30 MB', code: 'file-too-large', text: `x: ${'y'.repeat(30 << 20)}` },
  ]

  it('G23 G24 D15 an application that reaches for the host, or is endless, is refused alone', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    const name = (index: number) => `bad${index}`
    const files = powers.map(({ container, more, text }, index) => [
      `applications/${name(index)}.yaml`,
      text ??
        stringify({
          name: name(index),
          services: [
            {
              name: 'evil',
              containers: [{ name: 'evil', image: `${scene.prefix}/web:1`, ...container }],
              ...more,
            },
          ],
        }),
    ])
    const services = [service('web', '1'), ...powers.map((_, index) => ({ name: name(index) }))]
    await scene.commit({ services }, 'Reach for it', Object.fromEntries(files))
    const validated = await scene.tallyman.run('validate', '--output', 'json')
    expectCode(validated, 1)
    const planned = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(planned, 1)
    expect(documentOf(planned).outcome).to.equal('partially-applied')
    const {
      blocked,
    }: {
      readonly blocked: readonly {
        readonly application: string
        readonly problems: readonly { readonly code: string; readonly message: string }[]
      }[]
    } = JSON.parse(planned.stdout)
    const seen = powers.map(({ what }, index) => {
      const problems = blocked.find(({ application }) => application === name(index))?.problems ?? []
      return { what, code: problems[0]?.code }
    })
    expect(seen).to.deep.equal(powers.map(({ what, code }) => ({ what, code })))
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['web'])
  })

  it('G23 C20 a symlink of the host that leads out of an allowed directory is refused before anything is touched', async () => {
    const allowed = await mkdtemp(join(tmpdir(), 'tallyman-allowed-'))
    await mkdir(join(allowed, 'fine', 'data'), { recursive: true })
    await symlink('/etc', join(allowed, 'link'))
    try {
      await using scene = await createScene({ config: { policy: { hostMounts: [allowed] } } })
      await scene.push('web', '1')
      const withMount = (name: string, volume: object) => [
        `applications/${name}.yaml`,
        stringify({
          name,
          services: [
            {
              name,
              volumes: [{ name: 'v', ...volume }],
              containers: [
                {
                  name,
                  image: `${scene.prefix}/web:1`,
                  mounts: [{ 'volume-name': 'v', 'mount-path': '/mnt' }],
                },
              ],
            },
          ],
        }),
      ]
      const mounted = (path: string) => ({ host: { path: join(allowed, path) } })
      const bound = (path: string) => ({
        'persistent-volume': { driver_opts: { type: 'none', device: join(allowed, path), o: 'bind' } },
      })
      const volumes = {
        fine: mounted('fine/data'),
        led: mounted('link/ssh'),
        missing: mounted('nowhere'),
        bound: bound('fine/data'),
        'led-bound': bound('link/apt'),
      }
      const files = Object.entries(volumes).map(([name, volume]) => withMount(name, volume))
      const services = Object.keys(volumes).map(name => ({ name }))
      await scene.commit({ services }, 'Mount', Object.fromEntries(files))
      const applied = await scene.tallyman.run('apply', '--yes')
      expectCode(applied, 1)
      expect(applied.stderr).to.include(`${join(allowed, 'link')} is a symlink to /etc`)
      expect(applied.stderr).to.include(`${join(allowed, 'nowhere')}: there is no such path on the host`)
      expect(applied.stderr.match(/^Error: .* is a symlink to \/etc/gm)).to.have.length(2)
      expect((await scene.containers()).map(({ service }) => service)).to.have.members(['fine', 'bound'])
    } finally {
      await rm(allowed, { recursive: true })
    }
  })

  it('G24 control characters in author, subject and names do not reach the terminal', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    const author = 'Eve\x1b]0;owned\x07 \x9b31m\u202eevE <eve@example.com>'
    const subject = 'Deploy\x1b[2J\x1b[1;1H nothing\rat all\x08'
    await scene.commit({ services: [service('web', '1')] }, subject, {}, { author })
    const daemon = await scene.tallyman.daemon()
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const said = [await scene.tallyman.run('plan'), await scene.tallyman.run('status')]
    await scene.tallyman.run('approve', waiting?.plan ?? '', '--message', 'fine\x1b[31m')
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await scene.tallyman.run('suspend', '--reason', 'busy\x1b[2J\u202e\u200b')
    const socketPath = join(scene.tallyman.stateDir, 'control.sock')
    const { body } = await httpCall({ socketPath, path: '/api/v1/environments' })
    const more = [
      { stdout: String(body), stderr: '' },
      await scene.tallyman.run('status', '--output', 'json'),
      await scene.tallyman.run('log'),
      await scene.tallyman.run('show', '1'),
      await scene.tallyman.run('show', '2'),
      await daemon.stop(),
    ]
    for (const { stdout, stderr } of [...said, ...more])
      expect(`${stdout}${stderr}`).to.not.match(/[^\n\P{Cc}]|\p{Cf}/u)
    expect(more[0]?.stdout).to.include('busy\\u001b[2J\\u202e\\u200b')
    expect(said[0]?.stdout).to.include('Eve')
    expect(more[2]?.stdout).to.include('Deploy')
  })
})

/** YAML that says little and means ten million. */
function aliasBomb(): string {
  const levels = Array.from({ length: 8 }, (_, at) => {
    const below = at === 0 ? '"x"' : `*a${at - 1}`
    return `a${at}: &a${at} [${Array.from({ length: 10 }, () => below).join(', ')}]`
  })
  return `${levels.join('\n')}\n`
}

/** The plan fails with this code and a hint, for this reason alone, and nothing is made. */
async function expectRefused(scene: Scene, code: string): Promise<void> {
  const planned = await scene.tallyman.run('apply', '--yes', '--output', 'json')
  expectCode(planned, 1)
  const { error } = documentOf(planned)
  expect(error, JSON.stringify(error)).to.include({ code })
  expect(error?.message).to.include(`environments/${scene.environment}/`)
  expect(error?.hint).to.be.a('string').and.not.equal('')
  expect(await scene.containers()).to.deep.equal([])
}
