import { expect } from 'chai'
import { parseTree } from '../../../../lib/git/objects/tree.ts'
import { refusal } from '../../../support/failures/refusal.ts'
import { directory, file, type TreeLine, treeLine } from '../../../support/git/git-objects.ts'

const oid = 'a'.repeat(40)
const dir = (name: string) => directory(name, oid)
const blob = (name: string | Buffer) => file(name, oid)
const moded = (mode: string): TreeLine => ({ mode, name: 'web.yaml', oid })

describe('a tree', () => {
  it('G24 tells files, directories, symlinks and submodules apart', () => {
    expect(
      read([
        { mode: '40000', name: 'directory', oid },
        { mode: '100644', name: 'file', oid },
        { mode: '100664', name: 'group', oid },
        { mode: '120000', name: 'link', oid },
        { mode: '160000', name: 'module', oid },
        { mode: '040000', name: 'padded', oid },
        { mode: '100755', name: 'script', oid },
      ]),
    ).to.deep.equal([
      'directory: directory',
      'file: file',
      'group: file',
      'link: symlink',
      'module: submodule',
      'padded: directory',
      'script: file',
    ])
  })

  it('G24 is in the order of git, in which a directory counts as if its name ended in a slash', () => {
    expect(read([blob('web-1'), blob('web.yaml'), dir('web'), blob('web0')])).to.deep.equal([
      'web-1: file',
      'web.yaml: file',
      'web: directory',
      'web0: file',
    ])
  })

  it('G24 keeps names apart that are no UTF-8, and no path leads to them', () => {
    expect(read([blob(Buffer.from([0x61, 0xfe])), blob(Buffer.from([0x61, 0xff]))])).to.deep.equal([
      'a\\xfe: file',
      'a\\xff: file',
    ])
  })

  const broken: readonly (readonly [string, readonly TreeLine[], string])[] = [
    ['the same file twice', [blob('web.yaml'), blob('web.yaml')], 'the entry "web.yaml" is there twice'],
    ['the same directory twice', [dir('prod'), dir('prod')], 'the entry "prod" is there twice'],
    [
      'a file and a directory of one name, with another between them',
      [blob('web'), blob('web.yaml'), dir('web')],
      'the entry "web" is there twice',
    ],
    ['an entry out of order', [blob('b'), blob('a')], 'the entry "a" is out of order'],
    ['a directory sorted as a file', [dir('web'), blob('web.yaml')], 'the entry "web.yaml" is out of order'],
    ['no name', [blob('')], 'the entry "" has no name'],
    ['the directory itself', [dir('.')], 'the entry "." leads to another directory'],
    ['the directory above', [dir('..')], 'the entry ".." leads to another directory'],
    ['the directory of git', [dir('.git')], `the entry ".git" has the name of git's own directory`],
    ['that in capitals', [blob('.GIT')], `the entry ".GIT" has the name of git's own directory`],
    ['a slash', [blob('../web.yaml')], 'the entry "../web.yaml" has a slash in its name'],
    ...['0', '644', '10000', '60000', '140000', '170000', '1000644', '100648', '-100644'].map(
      mode =>
        [
          `the mode ${mode}`,
          [moded(mode)],
          `the entry "web.yaml" has the mode "${mode}", which git does not know`,
        ] as const,
    ),
  ]
  for (const [what, lines, message] of broken)
    it(`G24 is refused with ${what}`, async () => {
      expect(await refusal(() => read(lines))).to.deep.equal([`tree oid: ${message} (repository-corrupt)`])
    })

  it('G24 is refused when it breaks off', async () => {
    expect(await refusal(() => parseTree(Buffer.from('100644 file\0short'), 'oid'))).to.deep.equal([
      'tree oid: is malformed (repository-corrupt)',
    ])
  })
})

function read(lines: readonly TreeLine[]): readonly string[] {
  return parseTree(Buffer.concat(lines.map(treeLine)), 'oid').map(({ name, kind }) => `${name}: ${kind}`)
}
