import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unpackFromDebian } from '../support/images/debian.ts'

/** `own`: the machine's, as it is set up. The others: the newest one, by its image store. */
export type EngineName = 'own' | 'overlay2' | 'containerd'

/** A Docker Engine that can be started. */
export type Engine = {
  /** For people. */
  readonly name: string
  /** Where its programs are; the machine's own count after them. */
  readonly path: readonly string[]
  readonly options: readonly string[]
}

export type Engines = {
  readonly there: readonly Engine[]
  readonly missing: readonly { readonly name: EngineName; readonly missing: string }[]
}

/** Those of these engines that can be had, and why the others cannot. */
export async function knownEngines(names: readonly EngineName[]): Promise<Engines> {
  const found = await Promise.all(names.map(find))
  return {
    there: found.filter(one => 'options' in one),
    missing: found.filter(one => 'missing' in one),
  }
}

const once: { newest?: Promise<Newest> } = {}

async function find(name: EngineName): Promise<Engine | Engines['missing'][number]> {
  if (name === 'own') return { name: `Docker Engine ${await versionOf('dockerd')}`, path: [], options: [] }
  once.newest ??= newest()
  const found = await once.newest
  if ('missing' in found) return { name, missing: found.missing }
  return {
    name: `Docker Engine ${found.version}, ${name} store`,
    path: ['usr/sbin', 'usr/bin'].map(each => join(kept, each)),
    options: ['--feature', `containerd-snapshotter=${name === 'containerd'}`],
  }
}

async function versionOf(dockerd: string): Promise<string> {
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
  const { stdout } = await promisify(execFile)(dockerd, ['--version'], { env })
  return / version ([\d.]+)/.exec(stdout)?.[1] ?? stdout.trim()
}

/** Kept for the next run: it takes a minute to get. */
const kept = join(import.meta.dirname, '../../node_modules/.cache/engine')

type Newest = { readonly version: string } | { readonly missing: string }

/** That of Debian's next release. Whether it can be had, and runs here, is not ours to say. */
async function newest(): Promise<Newest> {
  const version = () => versionOf(join(kept, 'usr/sbin/dockerd'))
  const there = await version().catch(() => undefined)
  if (there !== undefined) return { version: there }
  await mkdir(dirname(kept), { recursive: true })
  const directory = await mkdtemp(`${kept}-`)
  try {
    const missing = await unpack(directory).then(() => undefined, wordsOf)
    if (missing !== undefined) return { missing }
    await keep(directory)
    return await version().then(
      version => ({ version }),
      (error: unknown) => ({ missing: wordsOf(error) }),
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** What apt says first of what it failed at, or all that is said. */
function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  return said.split('\n').find(line => line.startsWith('E: ')) ?? said
}

async function unpack(directory: string): Promise<void> {
  for (const name of ['docker.io', 'containerd']) {
    const unpacked = join(directory, name)
    await mkdir(unpacked)
    await unpackFromDebian('forky', name, unpacked)
  }
}

/** Its programs without runc, which needs a newer libc: the machine's own serves. Who comes second finds the first's. */
async function keep(directory: string): Promise<void> {
  const from = (path: string) => join(directory, path)
  await mkdir(from('programs/usr'), { recursive: true })
  await rename(from('docker.io/usr/sbin'), from('programs/usr/sbin'))
  await rename(from('containerd/usr/bin'), from('programs/usr/bin'))
  await rename(from('docker.io/usr/bin/docker-init'), from('programs/usr/bin/docker-init'))
  await rename(from('programs'), kept).catch((error: unknown) =>
    access(kept).catch(() => Promise.reject(error)),
  )
}
