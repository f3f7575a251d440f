import { expect } from 'chai'
import type { Asked, Stand } from './stand.ts'

/** Tests of static files on a stand on which `web` has the whole of `shop.example.com`, with files. */
export function staticFiles(stand: () => Stand): void {
  describe('static files', () => {
    const file = (path: string, asked?: Asked) => stand().http(`shop.example.com/static/${path}`, asked)
    const forEver = 'public, max-age=31536000, immutable'

    it('P31 are answered from the volume, to be kept for a year', async () => {
      const { status, headers, body } = await file('app.js')
      expect([status, headers['content-type'], headers['cache-control']]).to.deep.equal([
        200,
        'text/javascript; charset=utf-8',
        forEver,
      ])
      expect(headers.etag).to.match(/^"\w+"$/)
      expect(body).to.match(/^console\.log/)
    })

    it('P31 are not sent to those who have them', async () => {
      const { headers } = await file('app.js')
      const again = await file('app.js', { headers: { 'if-none-match': headers.etag ?? '' } })
      expect([again.status, again.headers['cache-control'], again.body]).to.deep.equal([304, forEver, ''])
    })

    it('P31 are sent in part', async () => {
      const { status, headers, body } = await file('app.js', { headers: { range: 'bytes=0-6' } })
      expect([status, headers['content-range'], headers['cache-control'], body]).to.deep.equal([
        206,
        'bytes 0-6/516',
        forEver,
        'console',
      ])
    })

    it('P31 are sent compressed where that is there, and to those who take it', async () => {
      for (const [taken, sent] of [
        ['gzip, br', 'br'],
        ['gzip', 'gzip'],
        ['deflate', undefined],
      ] as const) {
        const { headers } = await file('app.js', { headers: { 'accept-encoding': taken } })
        expect([headers['content-encoding'], headers['content-type']]).to.deep.equal([
          sent,
          'text/javascript; charset=utf-8',
        ])
      }
    })

    it('P31 are 404 where there are none, which nobody keeps: the application is not asked', async () => {
      const { status, headers, body } = await file('missing.js')
      expect([status, headers['cache-control'], body]).to.deep.equal([404, undefined, 'Not Found\n'])
    })

    it('P31 are not listed, and index.html stands for nothing', async () => {
      for (const path of ['', 'deep', 'deep/']) expect((await file(path)).status, path).to.equal(404)
    })

    it('P31 are only read', async () => {
      const { status, headers } = await file('app.js', { method: 'POST', body: 'x' })
      expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD'])
      expect((await file('app.js', { method: 'HEAD' })).headers['content-length']).to.equal('516')
    })

    it('P30 are served whatever rights the application gave them', async () => {
      expect((await file('closed.txt')).body).to.equal('closed to all others')
    })

    it('P31 are never left by a link', async () => {
      for (const link of ['passwd', 'hosts', 'environ', 'climbs', 'caddy', 'above', 'above/etc/passwd'])
        expect((await file(link)).status, link).to.equal(404)
    })

    it('P31 are reached by a link that an application made to a path of its own', async () => {
      expect((await file('inside')).body).to.equal('deep')
    })

    it('P31 are never left by a path', async () => {
      for (const path of [
        '../caddy',
        '..%2fcaddy',
        '%2e%2e/caddy',
        '%2e%2e%2fcaddy',
        '..%5ccaddy',
        '//../caddy',
      ]) {
        const { body } = await file(path)
        expect(body, path).to.match(/^(\{"name":"web"|Not Found)/)
      }
    })
  })
}
