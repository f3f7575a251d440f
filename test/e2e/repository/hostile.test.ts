import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('a hostile repository', () => {
  const it = sideBySide()

  it('G23 C20 a symlink of the host that leads out of an allowed directory is refused before anything is touched', async () => {
    const allowed = await mkdtemp(join(tmpdir(), 'tallyman-allowed-'))
    await mkdir(join(allowed, 'fine', 'data'), { recursive: true })
    await symlink('/etc', join(allowed, 'link'))
    try {
      await using scene = await createScene({
        commands: 'here',
        config: { policy: { hostMounts: [allowed] } },
      })
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
      expect(applied.stderr.match(/^Error: .* is a symlink to \/etc/gm), 'once, of both').to.have.length(1)
      for (const failed of ['led', 'led-bound']) expect(applied.stdout).to.include(`\n${failed}: failed\n`)
      expect(applied.stderr).to.include('hint: Mount the path that the symlink leads to')
      expect((await scene.containers()).map(({ service }) => service)).to.have.members(['fine', 'bound'])
      await rm(join(allowed, 'link'))
      await mkdir(join(allowed, 'link', 'apt'), { recursive: true })
      const direct = withMount('led', mounted('fine/data'))
      await scene.commit({ services }, 'Without the symlink', Object.fromEntries([...files, direct]))
      const again = await scene.tallyman.run('apply', '--yes', '--retry')
      expect(again.stderr).to.not.include('symlink')
      const running = ['fine', 'bound', 'led', 'led-bound']
      expect((await scene.containers()).map(({ service }) => service)).to.have.members(running)
    } finally {
      await rm(allowed, { recursive: true })
    }
  })

  it('G24 control characters in author, subject and names do not reach the terminal', async () => {
    await using scene = await createScene({ commands: 'here' })
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
