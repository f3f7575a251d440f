import { Readable } from 'node:stream'
import { expect } from 'chai'
import { statOf } from '../../../../../lib/docker/container/files/path-stat.ts'
import { writtenFiles } from '../../../../../lib/docker/container/files/written-files.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { clientWith } from '../../answering.ts'
import { containerWith, engineWith } from './engine-with-files.ts'

const { signal } = new AbortController()

describe('the files that were written into a container', () => {
  it('C52 are those that its label names', async () => {
    const { client } = engineWith({ '/etc/app.conf': 3 })
    const files = await writtenFiles(client, containerWith('["/etc/app.conf","/gone"]'), signal)
    expect(files).to.deep.equal([{ path: '/etc/app.conf', content: 'xxx', mode: 0o640, uid: 33, gid: 34 }])
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
