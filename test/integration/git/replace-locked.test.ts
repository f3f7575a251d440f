import { execFile } from 'node:child_process'
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const module = new URL('../../../lib/git/local/replace-locked.ts', import.meta.url)

/** What becomes of a file and of its lock if another process replaces it, and how that ends. */
async function replaced({ shell = '', before = '', check = '' }: Readonly<Record<string, string>>) {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-lock-'))
  const file = join(directory.path, 'main')
  writeFileSync(file, 'old\n')
  const script = `
    import sync from 'node:fs'
    import fs from 'node:fs/promises'
    import { existsSync, readFileSync, writeFileSync } from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const [file] = process.argv.slice(1)
    const lock = file + '.lock'
    ${before}
    syncBuiltinESMExports()
    const { replaceLocked } = await import(${JSON.stringify(module.href)})
    const check = async () => { ${check} }
    const like = ${JSON.stringify(tmpdir())}
    const way = replaceLocked({ path: 'here', file, text: 'new\\n', like }, check, new AbortController().signal)
    console.log(await way.then(() => 'replaced', error => error.code))`
  const { stdout } = await run('bash', [
    '-c',
    `${shell} exec "$0" "$@"`,
    process.execPath,
    ...['--input-type=module', '--eval', script, file],
  ])
  const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined)
  return { ended: stdout.trim(), file: textOf(file), lock: textOf(`${file}.lock`) }
}

describe('a file of git that is replaced under its lock', () => {
  it('A12 has its new content, and no lock any more', async () => {
    const seen = "if (!existsSync(lock)) throw Object.assign(new Error(), { code: 'unlocked' })"
    expect(await replaced({ check: seen })).to.deep.equal({
      ended: 'replaced',
      file: 'new',
      lock: undefined,
    })
  })

  it('A12 stays as it was without a lock where the lock cannot be written, or a check fails', async () => {
    const none = { file: 'old', lock: undefined }
    expect(await replaced({ shell: "trap '' XFSZ; ulimit -f 0;" })).to.deep.equal({ ended: 'EFBIG', ...none })
    const check = "throw Object.assign(new Error(), { code: 'moved' })"
    expect(await replaced({ check })).to.deep.equal({ ended: 'moved', ...none })
    const renaming = "fs.rename = async () => { throw Object.assign(new Error(), { code: 'EPERM' }) }"
    expect(await replaced({ before: renaming })).to.deep.equal({ ended: 'EPERM', ...none })
  })

  it('A12 stays as it was without a lock where the lock cannot be given to whom the repository belongs', async () => {
    const giving = `
      process.getuid = () => 0
      sync.chownSync = () => { throw Object.assign(new Error(), { code: 'EPERM' }) }`
    expect(await replaced({ before: giving })).to.deep.equal({ ended: 'EPERM', file: 'old', lock: undefined })
  })

  it('A12 leaves the lock alone that another process has, before and just after', async () => {
    const theirs = "writeFileSync(lock, 'theirs')"
    expect(await replaced({ before: theirs })).to.deep.equal({
      ended: 'push-refused',
      file: 'old',
      lock: 'theirs',
    })
    const after = `const rename = fs.rename; fs.rename = async (...paths) => { await rename(...paths); ${theirs} }`
    expect(await replaced({ before: after })).to.deep.equal({
      ended: 'replaced',
      file: 'new',
      lock: 'theirs',
    })
  })
})
