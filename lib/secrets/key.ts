import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../errors.ts'
import { makeDirectory } from '../file/make-directory.ts'

/**
 * Returns the key of the marks that stand for secrets. It is kept in `secret.key` of the state directory, and created
 * at its first use. Without a state directory it is new each time. Two processes that begin together get the same key.
 * Fails with `state-dir-unusable`, and with `secret-key-damaged` if the file holds something else: with another key,
 * every secret would look changed.
 */
export async function markKey(stateDir: string | undefined): Promise<Buffer> {
  if (stateDir === undefined) return randomBytes(keyBytes)
  const file = join(stateDir, 'secret.key')
  try {
    makeDirectory(stateDir)
    return (await readKey(file)) ?? (await makeKey(file))
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure('state-dir-unusable', `${file}: cannot be read or made (${reason})`, { cause })
  }
}

const keyBytes = 32

async function readKey(file: string): Promise<Buffer | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    if (/^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex')
    throw new Failure(
      'secret-key-damaged',
      `${file}: is no key, which is 64 hexadecimal digits and a line break`,
    )
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The file is complete before it has its name. The first process that creates the name wins. */
async function makeKey(file: string): Promise<Buffer> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${randomBytes(keyBytes).toString('hex')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    try {
      await link(draft, file)
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
  } finally {
    await rm(draft, { force: true })
  }
  const key = await readKey(file)
  if (key === undefined) throw new Error('what was written cannot be read again')
  return key
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
