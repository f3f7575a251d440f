import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { needsLoader } from '../../../lib/docker/container/shell/elf.ts'
import { type TarEntry, tar } from './tar.ts'

const places = ['/bin/busybox', '/usr/bin/busybox', '/bin/busybox-static']

/**
 * The statically linked busybox of this machine; undefined when there is none.
 * A dynamically linked one would not run in an image that holds nothing else.
 */
export async function findBusybox(): Promise<string | undefined> {
  for (const path of places) {
    const content = await readFile(path).catch(() => undefined)
    if (content !== undefined && !needsLoader(content)) return path
  }
  return undefined
}

/** The file system of the test images: busybox with all applets, /etc/passwd with an `app` user (1000), /tmp. */
export async function busyboxLayer(): Promise<Buffer> {
  const path = await findBusybox()
  if (path === undefined) throw new Error('no static busybox; install the package busybox-static')
  const { stdout } = await promisify(execFile)(path, ['--list'])
  const links = stdout
    .split('\n')
    .filter(name => name !== '' && name !== 'busybox')
    .map((name): TarEntry => ({ type: 'link', path: `bin/${name}`, target: 'busybox' }))
  return tar([
    { type: 'directory', path: 'bin', mode: 0o755 },
    { type: 'file', path: 'bin/busybox', content: await readFile(path), mode: 0o755 },
    ...links,
    { type: 'directory', path: 'etc', mode: 0o755 },
    textFile('etc/passwd', 'root:x:0:0:root:/:/bin/sh\napp:x:1000:1000:app:/:/bin/sh\n'),
    textFile('etc/group', 'root:x:0:\napp:x:1000:\n'),
    { type: 'directory', path: 'tmp', mode: 0o1777 },
  ])
}

/** A readable, executable file of an image. */
export function textFile(path: string, text: string): TarEntry {
  return { type: 'file', path, content: Buffer.from(text), mode: 0o755 }
}
