import type { Script as CompiledScript } from 'node:vm'
import { exitCode } from '../../lib/cli/exit.ts'
import { optional } from '../../lib/object.ts'

/**
 * Loads the published files, which are scripts (`as-script.ts`), and keeps what V8 compiled of each beside what Node
 * keeps of modules (`NODE_COMPILE_CACHE`). Node keeps of a module only what is compiled before it runs, so that each
 * start compiles all functions that it needs again. Here it is what a command has used, kept for the next time that the
 * same command is started.
 *
 * What is kept is for one user, one Node and one command, and is never needed: where it is missing, made for something
 * else, damaged or somebody else's, or where nothing can be written, all is compiled anew, and nothing is said.
 */
// Without "import", because that reads all names of a module, and some of them load more.
const { createRequire } = process.getBuiltinModule('node:module')
const { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('node:fs')
const { basename, join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')
const { Script, constants } = process.getBuiltinModule('node:vm')
const { crc32 } = process.getBuiltinModule('node:zlib')

type Exports = Readonly<Record<string, unknown>>

const directory = import.meta.dirname
const place = placeIn(process.env)
const [, , word = ''] = process.argv
const command = /^[a-z-]{1,30}$/.test(word) ? word : 'other'
const loaded = new Map<string, Exports>()
/** What was compiled without anything kept, and where it is to be kept. */
const compiled: { readonly script: CompiledScript; readonly of: number; readonly file: string }[] = []

export const $require: NodeJS.Require = createRequire(import.meta.url)

/** Returns what a file exports, `./name.cjs` beside this one. It runs once. */
export function $load(name: string): Exports {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const filename = join(directory, name)
  const run: (...given: readonly unknown[]) => Exports = scriptOf(filename).runInThisContext()
  const exports = run($load, $late, $require, pathToFileURL(filename).href)
  loaded.set(name, exports)
  return exports
}

/** Returns what a file exports, as `import()` does. */
export async function $late(name: string): Promise<Exports> {
  return $load(name)
}

function scriptOf(filename: string): CompiledScript {
  // Published files are ASCII.
  const source = readFileSync(filename, 'latin1')
  const options = { filename, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
  if (place === undefined) return new Script(source, options)
  const file = join(place, `${basename(filename)}.${command}`)
  const of = crc32(source)
  const kept = keptIn(file, of)
  const script = new Script(source, { ...options, ...optional('cachedData', kept) })
  if (kept === undefined || script.cachedDataRejected === true) {
    if (compiled.length === 0) process.once('exit', keep)
    compiled.push({ script, of, file })
  }
  return script
}

/** Before what V8 made of a source stand the checksums of both. */
const headBytes = 8

/** Returns what was kept of this source, if it is still as it was written. V8 takes it on trust. */
function keptIn(file: string, of: number): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const data = bytes.subarray(headBytes)
    return bytes.readUInt32LE(0) === of && bytes.readUInt32LE(4) === crc32(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** Keeps what was compiled, unless the command ended as one that was called wrongly does. */
function keep(code: number): void {
  if (place === undefined || code === exitCode.wrongUsage) return
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    if (isOfOthers(place)) return
    for (const { script, of, file } of compiled) {
      const data = script.createCachedData()
      const head = Buffer.alloc(headBytes)
      head.writeUInt32LE(of, 0)
      head.writeUInt32LE(crc32(data), 4)
      writeWhole(file, Buffer.concat([head, data]))
    }
  } catch {
    // It is compiled again the next time.
  }
}

/** Writes a file that others may read meanwhile. Throws if it cannot be written, and then leaves nothing. */
function writeWhole(file: string, bytes: Buffer): void {
  const unfinished = `${file}.${process.pid}`
  try {
    writeFileSync(unfinished, bytes, { mode: 0o600 })
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Where it is kept; nowhere if Node keeps nothing either, or if it is somebody else's. */
function placeIn({ NODE_COMPILE_CACHE = '', NODE_DISABLE_COMPILE_CACHE = '' }: NodeJS.ProcessEnv) {
  if (NODE_COMPILE_CACHE === '' || NODE_DISABLE_COMPILE_CACHE !== '') return undefined
  const place = join(NODE_COMPILE_CACHE, `functions-${process.version}-${process.arch}-${process.getuid?.()}`)
  return isOfOthers(place) ? undefined : place
}

/** Says whether it is there and another user could have put something into it, or nothing can be there. */
function isOfOthers(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found !== undefined && (found.uid !== process.getuid?.() || !found.isDirectory())
  } catch {
    return true
  }
}
