import { expect } from 'chai'
import { platformManifests, retryAfter } from '../../../../lib/registry/api/manifests.ts'
import { RateLimited } from '../../../../lib/registry/api/pause.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'

const { signal } = new AbortController()
const place = { host: 'registry.example', repository: 'team/web' }
const digest = `sha256:${'a'.repeat(64)}`

type How = 401 | 429 | 503 | 'silence'

/** The network of a registry over HTTPS, whose port for plain HTTP only redirects, and of its token server. */
function network(fails: Readonly<Record<string, How>>): typeof fetch {
  const failing = (who: string, orElse: () => Response): Response => {
    const how = fails[who]
    if (how === undefined) return orElse()
    if (how === 'silence') throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    return new Response('', { status: how, headers: how === 429 ? { 'retry-after': '60' } : {} })
  }
  const challenge = { 'www-authenticate': 'Bearer realm="https://tokens.example/token",service="r"' }
  const content = () => new Response('', { status: 307, headers: { location: 'https://content.example/a' } })
  return async (given, init) => {
    const { hostname, protocol, href } = new URL(String(given))
    if (hostname === 'tokens.example') return failing('token server', () => new Response('{"token":"t"}'))
    if (hostname === 'content.example') return failing('store of content', () => new Response('{}'))
    if (protocol === 'http:')
      return new Response('', { status: 301, headers: { location: href.replace('http:', 'https:') } })
    const isAuthorized = new Headers(init?.headers).has('authorization')
    return failing('registry', () =>
      isAuthorized ? content() : new Response('', { status: 401, headers: challenge }),
    )
  }
}

describe('a registry over HTTPS', () => {
  const { fetch } = globalThis
  afterEach(() => {
    globalThis.fetch = fetch
  })

  const table: readonly (readonly [string, How, string])[] = [
    ['registry', 401, 'registry-denied'],
    ['registry', 429, 'registry-rate-limited'],
    ['registry', 503, 'registry-unreachable'],
    ['registry', 'silence', 'registry-unreachable'],
    ['token server', 401, 'registry-denied'],
    ['token server', 429, 'registry-rate-limited'],
    ['token server', 503, 'registry-unreachable'],
    ['token server', 'silence', 'registry-unreachable'],
    ['store of content', 401, 'registry-denied'],
    ['store of content', 429, 'registry-rate-limited'],
    ['store of content', 503, 'registry-unreachable'],
    ['store of content', 'silence', 'registry-unreachable'],
  ]
  for (const [who, how, code] of table)
    it(`D5 G1 G21 fails with ${code} where its ${who} says ${how}`, async () => {
      globalThis.fetch = network({ [who]: how })
      const failure = await failureOf(platformManifests(place, digest, undefined, signal))
      expect(failure.code).to.equal(code)
      const asked = await retryAfter({ ...place, digest }, undefined, signal)
      const pauses = [failure, asked].map(one => (one instanceof RateLimited ? one.retryAfterMs : undefined))
      expect(pauses).to.deep.equal(how === 429 ? [60_000, 60_000] : [undefined, undefined])
    })
})
