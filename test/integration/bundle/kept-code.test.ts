import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Script } from 'node:vm'
import { expect } from 'chai'
import { bundle } from '../../../bin/bundle.ts'
import { mountSmallDisk } from '../../support/files/small-disk.ts'

describe('what is compiled of a bundle', () => {
  it('is kept for the next time that the same command is started, with the functions that it used', async () => {
    await using program = await bundledProgram()
    expect(await program.start('greet')).to.equal('hello, world\n')
    const [file, ...rest] = await program.kept()
    expect(rest).to.deep.equal([])
    expect(file).to.match(/^functions-v\d+\.\d+\.\d+-\w+-\d+\/late-.{8}\.cjs\.greet$/)
    const before = await program.bytesOf(file)
    expect(before.bytes.length).to.be.greaterThan(await program.bytesWithoutFunctions())
    expect(await program.start('greet')).to.equal('hello, world\n')
    expect(await program.inodeOf(file), 'taken as it is').to.equal(before.inode)
    expect(await program.start('part')).to.equal('goodbye, world\n')
    expect(await program.kept()).to.have.lengthOf(2)
  })

  for (const [what, damage] of Object.entries({
    'damaged in its middle': bytes => bytes.fill(0, bytes.length / 2, bytes.length / 2 + 64),
    'cut off': bytes => bytes.subarray(0, bytes.length / 2),
    empty: () => Buffer.alloc(0),
    'of another source': bytes => Buffer.concat([Buffer.from([1, 2, 3, 4]), bytes.subarray(4)]),
  } satisfies Record<string, (bytes: Buffer) => Buffer>))
    it(`is made anew, and nothing is said, if it is ${what}`, async () => {
      await using program = await bundledProgram()
      await program.start('greet')
      const [file] = await program.kept()
      const { bytes, inode } = await program.bytesOf(file)
      await program.write(file, damage(Buffer.from(bytes)))
      expect(await program.start('greet')).to.equal('hello, world\n')
      expect(await program.inodeOf(file)).to.not.equal(inode)
      expect(await program.start('greet')).to.equal('hello, world\n')
    })

  it('is neither read nor written where another user could have put it', async () => {
    await using program = await bundledProgram()
    await program.start('greet')
    const [file = ''] = await program.kept()
    const place = join(program.cache, file, '..')
    await program.write(file, Buffer.from('not ours'))
    await chown(place, 12_345, 12_345)
    expect(await program.start('greet')).to.equal('hello, world\n')
    expect((await program.bytesOf(file)).bytes.toString()).to.equal('not ours')
  })

  it('is kept nowhere, and nothing is said, where nothing can be written', async () => {
    await using program = await bundledProgram()
    await writeFile(program.cache, 'a file')
    expect(await program.start('greet')).to.equal('hello, world\n')
    expect(await readFile(program.cache, 'utf8')).to.equal('a file')
  })

  it('leaves no half of it on a full disk, and is kept once there is room', async () => {
    await using program = await bundledProgram()
    using disk = mountSmallDisk(program.cache)
    disk.fill()
    expect(await program.start('greet')).to.equal('hello, world\n')
    expect(await program.kept()).to.deep.equal([])
    disk.makeRoom()
    expect(await program.start('greet')).to.equal('hello, world\n')
    expect(await program.kept()).to.have.lengthOf(1)
  })

  it('is kept nowhere if Node is told to keep nothing', async () => {
    await using program = await bundledProgram()
    expect(await program.start('greet', { NODE_DISABLE_COMPILE_CACHE: '1' })).to.equal('hello, world\n')
    expect(await program.start('greet', { NODE_COMPILE_CACHE: '' })).to.equal('hello, world\n')
    expect(await program.kept()).to.deep.equal([])
  })

  it('is not kept of a command that was called wrongly, and in one file for all that are no words', async () => {
    await using program = await bundledProgram()
    expect(await program.start('wrong').catch(({ code }) => code)).to.equal(64)
    expect(await program.kept()).to.deep.equal([])
    expect(await program.start('../../x')).to.equal('hello, world\n')
    expect(await program.start('A/b')).to.equal('hello, world\n')
    expect((await program.kept()).map(file => file.replace(/.*\./, ''))).to.deep.equal(['other'])
  })

  it('is whole, whoever is started at the same time', async () => {
    await using program = await bundledProgram()
    const all = await Promise.all(Array.from({ length: 6 }, () => program.start('greet')))
    expect(all).to.deep.equal(Array.from({ length: 6 }, () => 'hello, world\n'))
    expect(await program.kept()).to.have.lengthOf(1)
    expect(await program.start('greet')).to.equal('hello, world\n')
  })
})

const main = `const { greeting } = await import('./late.ts')
const [, , word] = process.argv
process.stdout.write(greeting(word === 'part'))
if (word === 'wrong') process.exitCode = 64
`
const late = `function hello(): string { return 'hello' }
function goodbye(): string { return 'goodbye' }
export function greeting(leaves: boolean): string { return \`\${leaves ? goodbye() : hello()}, world\\n\` }
`

/** A program of two files, bundled, and what is kept of it. */
async function bundledProgram() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-bundle-'))
  const source = join(directory.path, 'program')
  const cache = join(directory.path, 'cache')
  await mkdir(source)
  await writeFile(join(source, 'main.ts'), main)
  await writeFile(join(source, 'late.ts'), late)
  await writeFile(join(directory.path, 'package.json'), '{"type": "module"}')
  await bundle(join(directory.path, 'dist'), join(source, 'main.ts'))
  const program = join(directory.path, 'dist/program/main.js')
  const inodeOf = async (file = '') => (await stat(join(cache, file))).ino
  return {
    cache,
    async start(word: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
      const env = { ...process.env, NODE_COMPILE_CACHE: cache, ...more }
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, word], { env })
      expect(stderr).to.equal('')
      return stdout
    },
    /** The files that are kept, by their paths. Node's own have no name before the end of their names. */
    async kept(): Promise<readonly string[]> {
      const files = await readdir(cache, { recursive: true }).catch(() => [])
      return files.filter(file => /^functions-.*\//.test(file)).toSorted()
    },
    /** How much there is of what can be compiled before it runs. */
    async bytesWithoutFunctions(): Promise<number> {
      const [file = ''] = (await readdir(dirname(program))).filter(name => /^late-.*\.cjs$/.test(name))
      return new Script(await readFile(join(dirname(program), file), 'latin1')).createCachedData().length
    },
    inodeOf,
    bytesOf: async (file = '') => ({ bytes: await readFile(join(cache, file)), inode: await inodeOf(file) }),
    write: (file = '', bytes: Buffer) => writeFile(join(cache, file), bytes),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}
