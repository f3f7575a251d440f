import { expect } from 'chai'
import { writtenFiles } from '../../../../../lib/docker/container/files/written-files.ts'
import { containerWith, engineWith } from '../../../../unit/docker/container/files/engine-with-files.ts'

const { signal } = new AbortController()

const GiB = 1024 ** 3

describe('the files that were written into a container', () => {
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
})
