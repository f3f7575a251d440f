import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { findFile, originText } from '../../../lib/config/find-file.ts'

/** A machine whose own configuration is `etc/tallyman.yaml`, and another file in each of these directories. */
function machine(...directories: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tallyman-places-')))
  const put = (path: string, text = path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('etc/tallyman.yaml')
  for (const directory of directories) put(join(directory, 'tallyman.yaml'))
  return {
    root,
    put,
    /** The text that counts, and why the one in that directory does not. */
    find(directory: string, repository?: string, named?: string) {
      const places = { directory: join(root, directory), machine: join(root, 'etc/tallyman.yaml') }
      const { found, origin } = findFile(named, () => repository, places)
      return [found?.text, origin.passedOver?.why.replaceAll(root, '')]
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  }
}

describe('the configuration of whoever runs tallyman', () => {
  it('G23 is the file where one stands, and the one of the machine where there is none', () => {
    using there = machine('work')
    expect(there.find('work')).to.deep.equal(['work/tallyman.yaml', undefined])
    expect(there.find('etc')).to.deep.equal(['etc/tallyman.yaml', undefined])
    there.put('empty/other', '')
    expect(there.find('empty')).to.deep.equal(['etc/tallyman.yaml', undefined])
  })

  it('G23 is what lies beside the manifests', () => {
    using there = machine('work')
    there.put('work/manifests/.git/HEAD')
    there.put('work/manifests/environments/prod/manifest.json')
    for (const repository of ['manifests', join(there.root, 'work/manifests'), 'https://example.com/a'])
      expect(there.find('work', repository)).to.deep.equal(['work/tallyman.yaml', undefined])
  })

  it('G23 is nothing in a git work tree, however deep, nor in a repository without one', () => {
    using there = machine('a', 'a/b/c', 'linked', 'bare.git', 'a/.git/hooks')
    there.put('a/.git/HEAD')
    there.put('linked/.git', 'gitdir: /elsewhere')
    for (const path of ['HEAD', 'objects/x', 'refs/x']) there.put(`bare.git/${path}`)
    for (const [directory, tree] of [
      ['a', '/a'],
      ['a/b/c', '/a'],
      ['a/.git/hooks', '/a'],
      ['linked', '/linked'],
      ['bare.git', '/bare.git'],
    ] as const)
      expect(there.find(directory), directory).to.deep.equal([
        'etc/tallyman.yaml',
        `${tree} is a git repository`,
      ])
  })

  it('G23 is nothing in a work tree that one came to by a link', () => {
    using there = machine('a/b')
    there.put('a/.git/HEAD')
    symlinkSync('a/b', join(there.root, 'shortcut'))
    expect(there.find('shortcut')).to.deep.equal(['etc/tallyman.yaml', '/a is a git repository'])
  })

  it('G23 is nothing in the manifests themselves where they are in no git, as in an archive that was unpacked', () => {
    using there = machine('plain', 'plain/teams')
    for (const [directory, repository] of [
      ['plain', '.'],
      ['plain', join(there.root, 'plain')],
      ['plain', `file://${there.root}/plain`],
      ['plain/teams', '..'],
    ] as const)
      expect(there.find(directory, repository), repository).to.deep.equal([
        'etc/tallyman.yaml',
        '/plain is the manifests repository',
      ])
    there.put('plain/environments/prod/manifest.json')
    expect(there.find('plain', 'https://example.com/a')).to.deep.equal([
      'etc/tallyman.yaml',
      'the directory holds manifests',
    ])
  })

  it('G23 is what is named, wherever that lies', () => {
    using there = machine('a')
    there.put('a/.git/HEAD')
    expect(there.find('a', undefined, 'tallyman.yaml')).to.deep.equal(['a/tallyman.yaml', undefined])
    expect(() => there.find('a', undefined, 'other.yaml')).to.throw('other.yaml: there is no such file')
  })

  it('fails where the file that would count cannot be read, in place of going on without it', () => {
    using there = machine()
    mkdirSync(join(there.root, 'work/tallyman.yaml'), { recursive: true })
    expect(() => there.find('work')).to.throw('tallyman.yaml: cannot be read')
  })

  it('G24 is not even opened where authors of manifests may have put it: it need be no file, and need not end', () => {
    using there = machine()
    there.put('tree/.git/HEAD')
    there.put('plain/environments/prod/manifest.json')
    symlinkSync('/dev/zero', join(there.root, 'tree/tallyman.yaml'))
    execFileSync('mkfifo', [join(there.root, 'plain/tallyman.yaml')])
    expect(there.find('tree')).to.deep.equal(['etc/tallyman.yaml', '/tree is a git repository'])
    expect(there.find('plain')).to.deep.equal(['etc/tallyman.yaml', 'the directory holds manifests'])
  })

  it('G24 is refused where it is a pipe, a device, or larger than 1 MiB, wherever it lies', () => {
    using there = machine()
    there.put('large/tallyman.yaml', ' '.repeat(1024 * 1024 + 1))
    there.put('device/other')
    symlinkSync('/dev/zero', join(there.root, 'device/tallyman.yaml'))
    there.put('pipe/other')
    execFileSync('mkfifo', [join(there.root, 'pipe/tallyman.yaml')])
    const refusal = 'tallyman.yaml: cannot be read: it is not a file'
    for (const place of ['device', 'pipe']) {
      expect(() => there.find(place), place).to.throw(refusal)
      expect(() => there.find(place, undefined, 'tallyman.yaml'), place).to.throw(refusal)
      expect(() => there.find('empty', undefined, `../${place}/tallyman.yaml`), place).to.throw(refusal)
    }
    expect(() => there.find('large')).to.throw('cannot be read: it is larger than 1 MiB')
  })

  it('G23 is told, together with what is passed over', () => {
    expect(originText({ file: '/etc/tallyman/tallyman.yaml' })).to.equal('/etc/tallyman/tallyman.yaml')
    const passedOver = { file: '/srv/a/tallyman.yaml', why: '/srv/a is a git repository' }
    expect(originText({ passedOver })).to.equal(
      'no file, only defaults; /srv/a/tallyman.yaml is not used, because /srv/a is a git repository; to use it, name it with --config',
    )
  })
})
