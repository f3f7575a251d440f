import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { pack } from 'tar-stream'
import type { Client } from '../../../../../lib/docker/api/client.ts'
import { statOf } from '../../../../../lib/docker/container/files/path-stat.ts'
import { writtenFiles } from '../../../../../lib/docker/container/files/written-files.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { clientWith } from '../../answering.ts'

const { signal } = new AbortController()
const GiB = 1024 ** 3

/** An archive with a file of a size, which comes for as long as somebody reads it. */
async function* archiveOf(name: string, size: number): AsyncGenerator<Buffer> {
  const archive = pack()
  archive.entry({ name, size, mode: 0o640, uid: 33, gid: 34 })
  const [header]: Buffer[] = await once(archive, 'data')
  if (header !== undefined) yield header
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left)
  yield Buffer.alloc((512 - (size % 512)) % 512)
  yield Buffer.alloc(1024)
}

/** Answers with an archive of each file, and counts the bytes of them that were read. */
function engineWith(files: Readonly<Record<string, number>>): { readonly client: Client; read(): number } {
  let bytes = 0
  const client = clientWith(async ({ query }) => {
    const path = String(query?.['path'])
    const size = files[path]
    if (size === undefined) return { ok: false, status: 404, message: 'no such file' }
    async function* counted() {
      for await (const chunk of archiveOf(path.slice(path.lastIndexOf('/') + 1), size ?? 0)) {
        bytes += chunk.length
        yield chunk
      }
    }
    return { ok: true, body: Readable.from(counted()) as never }
  })
  return { client, read: () => bytes }
}

function containerWith(files: string) {
  return { Id: 'web', Config: { Image: 'web', Env: null, Labels: { 'tallyman.files': files } } }
}

describe('the files that were written into a container', () => {
  it('C52 are those that its label names', async () => {
    const { client } = engineWith({ '/etc/app.conf': 3 })
    const files = await writtenFiles(client, containerWith('["/etc/app.conf","/gone"]'), signal)
    expect(files).to.deep.equal([{ path: '/etc/app.conf', content: 'xxx', mode: 0o640, uid: 33, gid: 34 }])
  })

  it('G22 are not those that the container made larger than Tallyman writes any', async () => {
    const { client, read } = engineWith({ '/etc/app.conf': 4 * GiB, '/etc/other': 3 })
    const files = await writtenFiles(client, containerWith('["/etc/app.conf","/etc/other"]'), signal)
    expect(files.map(({ path }) => path)).to.deep.equal(['/etc/other'])
    expect(read()).to.be.below(8 * 1024 * 1024)
  })

  it('D15 may be as large as the routes of an ingress with all their certificates', async () => {
    const { client } = engineWith({ '/etc/caddy/routes.json': 20 * 1024 * 1024 })
    const files = await writtenFiles(client, containerWith('["/etc/caddy/routes.json"]'), signal)
    expect(files.map(({ content }) => content.length)).to.deep.equal([20 * 1024 * 1024])
  })

  it('G22 have no more than 64 MiB in all', async () => {
    const sizes = Array.from({ length: 20 }, (_, n) => [`/file-${n}`, 4 * 1024 * 1024] as const)
    const { client } = engineWith(Object.fromEntries(sizes))
    const files = await writtenFiles(
      client,
      containerWith(JSON.stringify(sizes.map(([path]) => path))),
      signal,
    )
    expect(files).to.have.lengthOf(16)
  })

  for (const written of [
    'x',
    '{}',
    'null',
    '3',
    '[1, null]',
    JSON.stringify(Array(4_097).fill('/etc/passwd')),
  ])
    it(`C52 are none where somebody else wrote the label: ${written.slice(0, 20)}`, async () => {
      const { client } = engineWith({ '/etc/passwd': 3 })
      expect(await writtenFiles(client, containerWith(written), signal)).to.deep.equal([])
    })
})

describe('what is at a path', () => {
  const answering = (header: string | undefined) =>
    clientWith(async () => {
      const headers = header === undefined ? {} : { 'x-docker-container-path-stat': header }
      return { ok: true, body: Object.assign(Readable.from([]), { headers }) as never }
    })

  it('is what the engine says', async () => {
    const said = Buffer.from('{"name":"sh","size":1,"mode":493,"linkTarget":""}').toString('base64')
    expect(await statOf(answering(said), 'web', '/bin/sh', signal)).to.deep.equal({
      isDirectory: false,
      isExecutable: true,
      linkTarget: '',
    })
  })

  for (const header of [undefined, '', 'e30x', Buffer.from('[]').toString('base64')])
    it(`is unknown where the engine says this: ${header}`, async () => {
      expect(await failureOf(statOf(answering(header), 'web', '/bin/sh', signal))).to.include({
        code: 'engine-unreachable',
        message: 'local: what is at /bin/sh in web is not told as a Docker Engine tells it',
      })
    })
})
