import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

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
    await scene.commit({ includes: ['./etc/hostname.json'] })
    await expectRefused(scene, 'path-forbidden')
  })

  for (const [include, code] of [
    ['../../../../../../etc/passwd', 'include-invalid'],
    ['/etc/passwd', 'include-invalid'],
    ['..\\..\\secret.json', 'include-invalid'],
    ['./a\0.json', 'manifest-invalid'],
  ] as const) {
    it(`G24 E14 an include of ${JSON.stringify(include)} is refused`, async () => {
      await using scene = await createScene()
      scene.push('web', '1')
      await scene.commit({ includes: [include], services: [service('web', '1')] })
      await expectRefused(scene, code)
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
    scene.push('web', '1')
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
