import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lock from '../package-lock.json' with { type: 'json' }
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')

/**
 * Writes what the `Dockerfile` builds from: the published package with the libraries that it needs, the names of users,
 * and a state directory. Nothing is fetched: the libraries are those of the checkout.
 */
export async function writeImageContext(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  const place = join(directory, 'tallyman')
  for (const path of [join(directory, 'state'), place]) await mkdir(path, { recursive: true })
  await bundle(join(place, 'dist'))
  const own = ['bin/tallyman', 'package.json', 'schemas', 'LICENSE']
  for (const path of own) await cp(join(root, path), join(place, path), { recursive: true })
  for (const path of libraries())
    await cp(join(root, path), join(place, path), { recursive: true, filter: isLoaded })
  await cp(join(root, 'Dockerfile'), join(directory, 'Dockerfile'))
  await writeFile(join(directory, 'passwd'), users.map(user => `${user}\n`).join(''))
  for (const path of await readdir(directory, { recursive: true })) await letRead(join(directory, path))
  await chmod(join(directory, 'state'), 0o700)
}

/** Lets everybody read a file or a directory, whatever the umask, because the user of the image is somebody else. */
async function letRead(path: string): Promise<void> {
  const { mode } = await stat(path)
  await chmod(path, mode | 0o444 | ((mode & 0o100) === 0 ? 0 : 0o111))
}

/** The `/etc/passwd` of the image. A line that is added to that of the base would have to be added by a program. */
const users: readonly string[] = [
  'root:x:0:0:root:/root:/bin/sh',
  'nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin',
  'tallyman:x:65532:65532:tallyman:/var/lib/tallyman:/sbin/nologin',
]

/** Whether a file is more than types, or a map of sources: these are for people who write programs. */
function isLoaded(path: string): boolean {
  return !/\.(?:[cm]?ts|map)$/.test(path)
}

/** Returns what is installed for production, without what is only built on some machines. */
function libraries(): readonly string[] {
  return Object.entries(lock.packages).flatMap(([path, about]) =>
    path === '' || 'dev' in about || 'devOptional' in about || 'optional' in about ? [] : [path],
  )
}

if (process.argv[1] === import.meta.filename) {
  const [directory] = process.argv.slice(2)
  if (directory === undefined) throw new Error('Say into which directory: node bin/image.ts DIRECTORY')
  await writeImageContext(directory)
}
