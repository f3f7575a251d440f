import { mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { writeImageContext } from '../../../bin/image.ts'
import { httpCall } from '../network/http-call.ts'
import { testMachine, uniqueName } from '../suite/env.ts'
import { needPrograms } from '../suite/programs.ts'
import { type Layer, pushImage } from './images.ts'
import { programLayer } from './program-layer.ts'

/** References of an image and of the one that it is built on; the engine has both. */
export type TallymanImage = { readonly reference: string; readonly base: string }

const once: { image?: Promise<TallymanImage> } = {}

/**
 * Builds the image of tallyman from the checkout with the engine of these tests, and pushes it to their registry; for all
 * that asks in this process, once. Its base is busybox with the Node of these tests and the programs of this machine that
 * it uses, because no public registry is asked.
 */
export function tallymanImage(): Promise<TallymanImage> {
  once.image ??= pushTallyman()
  return once.image
}

async function pushTallyman(): Promise<TallymanImage> {
  const { dockerSocket, registry } = await testMachine()
  const name = `${uniqueName('image')}/tallyman`
  const { reference: base } = await pushImage(registry, `${name}-base`, '1', {
    layers: await programLayers(),
    env: { PATH: '/usr/bin:/bin' },
  })
  const reference = `${registry.host}/${name}:1`
  const query = new URLSearchParams({
    t: reference,
    buildargs: JSON.stringify({ BASE: base }),
    rm: '1',
    forcerm: '1',
  })
  await posted(dockerSocket, `/build?${query}`, { 'content-type': 'application/x-tar' }, await makeContext())
  const login = Buffer.from('{}').toString('base64')
  const path = `/images/${registry.host}/${name}/push?tag=1`
  await posted(dockerSocket, path, { 'x-registry-auth': login })
  return { reference, base }
}

async function programLayers(): Promise<readonly Layer[]> {
  await needPrograms(['sshKeygen', 'gpg'])
  const used = ['ssh', 'ssh-keyscan', 'ssh-keygen', 'gpg'].map(name => `/usr/bin/${name}`)
  return Promise.all([
    programLayer(process.execPath, '/usr/bin/node'),
    ...used.map(path => programLayer(path, path)),
  ])
}

async function makeContext(): Promise<Buffer> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-image-'))
  await writeImageContext(directory.path)
  const archive = pack()
  const reading = buffer(archive)
  for (const entry of await readdir(directory.path, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(directory.path.length + 1)
    const { mode } = await stat(path)
    if (entry.isDirectory()) archive.entry({ name, type: 'directory', mode })
    else if (entry.isFile()) archive.entry({ name, mode }, await readFile(path))
  }
  archive.finalize()
  return reading
}

/** The engine answers with lines, of which one may say what went wrong. */
async function posted(
  socketPath: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Buffer,
): Promise<void> {
  const answer = await httpCall({ socketPath, method: 'POST', path, headers }, body)
  const text = answer.body.toString()
  if (answer.status !== 200 || text.includes('"errorDetail"'))
    throw new Error(`${path}: ${answer.status} ${text.slice(-1_000)}`)
}
