import { expect } from 'chai'
import { Secret } from '../../../../lib/state/secret/secret.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { testSite } from '../site.ts'

const modeOf = (path: string) => `stat -c '%a %u:%g %n' ${path}`
const shows = (...lines: readonly string[]) => ['sh', '-c', lines.join('; ')]

forEachEngine('files of containers', engine => {
  const it = sideBySide()

  it('G15 writes files into the root file system before the start, and makes directories that are missing', async () => {
    await using site = await testSite(engine)
    const files = [
      { path: '/etc/app/conf.d/app.conf', content: 'level = 3\n', mode: 0o444 },
      { path: '/etc/app/empty', content: '', mode: 0o600 },
      { path: '/tmp/run.sh', content: '#!/bin/sh\necho ran\n', mode: 0o755 },
    ]
    const cmd = shows(
      'cat /etc/app/conf.d/app.conf',
      '/tmp/run.sh',
      modeOf('/etc/app /etc/app/conf.d /etc/app/conf.d/app.conf /etc/app/empty /tmp /tmp/run.sh'),
    )
    expect(await site.outputOf(await site.push({ cmd }), { files })).to.equal(
      [
        'level = 3',
        'ran',
        '755 0:0 /etc/app',
        '755 0:0 /etc/app/conf.d',
        '444 0:0 /etc/app/conf.d/app.conf',
        '600 0:0 /etc/app/empty',
        '1777 0:0 /tmp',
        '755 0:0 /tmp/run.sh',
        '',
      ].join('\n'),
    )
  })

  it('G15 writes files whose path is too long for a plain archive', async () => {
    await using site = await testSite(engine)
    const path = `/${'directory/'.repeat(30)}file`
    const image = await site.push({ cmd: shows(`cat ${path}`) })
    expect(await site.outputOf(image, { files: [{ path, content: 'found', mode: 0o444 }] })).to.equal('found')
  })

  it('G15 writes files into volumes, and only there when the root file system is read-only', async () => {
    await using site = await testSite(engine)
    const image = await site.push({
      cmd: shows('cat /etc/conf/a /scratch/deep/b /data/c', modeOf('/etc/conf')),
    })
    const volume = `${site.provenance.environment}-data`
    await site.run({ do: 'create-volume', volume: { name: volume, application: 'shop' } })
    const output = await site.outputOf(image, {
      readOnly: true,
      mounts: [
        { kind: 'files', path: '/etc/conf/' },
        { kind: 'ephemeral', path: '/scratch' },
        { kind: 'volume', volume, path: '/data', exclusive: false },
      ],
      files: [
        { path: '/etc/conf/a', content: 'A', mode: 0o400 },
        { path: '/scratch/deep/b', content: 'B', mode: 0o444 },
        { path: '/data/c', content: 'C', mode: 0o444 },
      ],
    })
    expect(output).to.equal('ABC755 0:0 /etc/conf\n')
  })

  it('G15 says that a read-only root file system takes no files', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    await site.run({ do: 'remove-container', container: create.container })
    const files = [{ path: '/etc/app.conf', content: 'hunter22', mode: 0o444 }]
    expect(await site.fails({ ...create, spec: { ...create.spec, readOnly: true, files } })).to.include({
      code: 'files-refused',
      retry: 'never',
      message: `local: ${create.container}: /etc/app.conf: container rootfs is marked read-only`,
    })
  })

  it('G15 says that a file is in the way', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    const files = [{ path: '/etc/passwd/app.conf', content: '', mode: 0o444 }]
    const failure = await site.fails({ ...create, spec: { ...create.spec, files } })
    expect(failure.code).to.equal('files-refused')
    expect(failure.message).to.contain('/etc/passwd')
  })

  it('G15 writes what a crash left out, and nothing into a container that runs', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    const { container, spec } = create
    const withFile = (content: string) => ({
      ...create,
      spec: { ...spec, files: [{ path: '/late', content, mode: 0o444 }] },
    })
    await site.run(withFile('first'), withFile('second'), { do: 'start-container', container })
    await site.run(withFile('third'))
    const { body } = await site.archive(container, '/late')
    expect(body.toString()).to.contain('second').and.not.to.contain('third')
  })

  const key = { path: '/run/key', content: new Secret('s3cret', 'mark'), mode: 0o400 }
  const passwd = 'root:x:0:0::/:/bin/sh\napp:x:1000640000:50::/:/bin/sh\n'

  for (const [user, owner] of [
    ['1000:70', '1000:70'],
    ['app', '1000640000:50'],
  ] as const)
    it(`G16 lets a secret be read by the user ${user} of the image, and by nobody else`, async () => {
      await using site = await testSite(engine)
      const image = await site.push({
        user,
        cmd: shows('cat /run/key', 'echo', modeOf('/run/key')),
        links: { '/etc/passwd': '../opt/base/passwd' },
        files: { '/opt/base/passwd': passwd },
      })
      expect(await site.outputOf(image, { files: [key] })).to.equal(`s3cret\n400 ${owner} /run/key\n`)
    })

  it('G15 gives files to whom they are said to belong, and to the user of the container what not all may read', async () => {
    await using site = await testSite(engine)
    const files = [
      { path: '/run/a', content: 'a', mode: 0o640 },
      { path: '/run/b', content: 'b', mode: 0o440, uid: 5, gid: 6 },
      { path: '/run/c', content: 'c', mode: 0o444 },
      { path: '/run/d', content: 'd', mode: 0o400, gid: 300_000 },
      { path: '/etc/passwd', content: 'app:x:7:8::/:/bin/sh\n', mode: 0o444 },
    ]
    const image = await site.push({ cmd: shows(modeOf('/run/a /run/b /run/c /run/d')) })
    expect(await site.outputOf(image, { user: 'app', files })).to.equal(
      '640 7:8 /run/a\n440 5:6 /run/b\n444 0:0 /run/c\n400 7:300000 /run/d\n',
    )
  })

  it('G15 says that nobody can tell whom it runs as, where links lead nowhere', async () => {
    await using site = await testSite(engine)
    const create = await site.create(await site.push())
    await site.run({ do: 'remove-container', container: create.container })
    const image = await site.push({
      user: 'app',
      links: { '/etc/passwd': 'passwd' },
    })
    await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
    const pinned = { reference: image.reference, pin: { state: 'pinned', digest: image.digest } } as const
    const failure = await site.fails({ ...create, spec: { ...create.spec, image: pinned, files: [key] } })
    expect(failure.code).to.equal('files-refused')
    expect(failure.message).to.match(/^local: \S+: the user that it runs as cannot be determined: .*links/)
  })

  it('G16 gives secrets to the container, as values and as files', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: shows('echo "$PASSWORD"', 'cat /run/key') })
    const output = await site.outputOf(image, {
      env: { PASSWORD: new Secret('hunter22', 'mark') },
      files: [{ path: '/run/key', content: new Secret('s3cret', 'mark'), mode: 0o400 }],
    })
    expect(output).to.equal('hunter22\ns3cret')
  })
})
