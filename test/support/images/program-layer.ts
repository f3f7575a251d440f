import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { compressed, type Layer } from './images.ts'
import { type TarEntry, tar } from './tar.ts'

/** A program of this machine as a layer, at this path of the image, with every library that it is linked to. */
export async function programLayer(program: string, path: string): Promise<Layer> {
  const libraries = await librariesOf(program)
  const files = [{ from: program, path }, ...libraries.map(library => ({ from: library, path: library }))]
  const entries = files.map(
    async ({ from, path }): Promise<TarEntry> => ({
      type: 'file',
      path: path.slice(1),
      content: await readFile(from),
      mode: 0o755,
    }),
  )
  return compressed(tar(await Promise.all(entries)), 0)
}

/** Paths as the program looks them up: `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ldd', [program])
  return stdout.split('\n').flatMap(line => /(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}
