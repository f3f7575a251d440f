import { expect } from 'chai'
import fc from 'fast-check'
import { askedPod } from '../../../lib/metadata/address.ts'
import { answer, type MetadataAnswer, type Request } from '../../../lib/metadata/answer.ts'
import type { PodRecord } from '../../../lib/metadata/record.ts'

const key = Buffer.alloc(64, 7)
const form = 'application/x-www-form-urlencoded'

const record: PodRecord = {
  uuid: '0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55',
  manifest: { acVersion: '0.8.11', acKind: 'PodManifest', apps: [] },
  annotations: [{ name: 'ip-address', value: '10.1.2.3' }],
  apps: {
    worker: {
      annotations: [{ name: 'foo', value: 'baz' }],
      imageId: `sha256-${'a'.repeat(64)}`,
      imageManifest: {
        acKind: 'ImageManifest',
        acVersion: '0.8.11',
        name: 'example.com/worker',
        labels: [],
        annotations: [],
      },
    },
  },
}

const other: PodRecord = { ...record, uuid: '5b3f8f3c-8a0b-4c1e-9a53-0f4f6f1c2d3e' }

function ask(path: string, more: Partial<Request> = {}, of: PodRecord = record): MetadataAnswer {
  const url = `/token/acMetadata/v1${path}`
  return answer({ method: 'GET', url, contentType: '', body: Buffer.alloc(0), ...more }, of, key)
}

function post(
  path: string,
  body: string,
  of: PodRecord = record,
  contentType: string = form,
): MetadataAnswer {
  return ask(path, { method: 'POST', contentType, body: Buffer.from(body, 'latin1') }, of)
}

const signed = (body: string, of = record) => post('/pod/hmac/sign', body, of)

function verify(content: string, uuid: string, signature: string, of = other): number {
  const fields = [`content=${content}`, `uuid=${uuid}`, `signature=${encodeURIComponent(signature)}`]
  return post('/pod/hmac/verify', fields.join('&'), of).status
}

const plain = 'text/plain; charset=us-ascii'
const json = 'application/json'

describe('what the metadata service answers', () => {
  it('C53 tells a pod of itself and of its apps, each in its own type', () => {
    const told = [
      '/pod/annotations',
      '/pod/manifest',
      '/pod/uuid',
      '/apps/worker/annotations',
      '/apps/worker/image/manifest',
      '/apps/worker/image/id',
    ].map(path => ask(path))
    expect(told).to.deep.equal([
      { status: 200, contentType: json, body: '[{"name":"ip-address","value":"10.1.2.3"}]' },
      { status: 200, contentType: json, body: '{"acVersion":"0.8.11","acKind":"PodManifest","apps":[]}' },
      { status: 200, contentType: plain, body: '0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55' },
      { status: 200, contentType: json, body: '[{"name":"foo","value":"baz"}]' },
      {
        status: 200,
        contentType: json,
        body: '{"acKind":"ImageManifest","acVersion":"0.8.11","name":"example.com/worker","labels":[],"annotations":[]}',
      },
      { status: 200, contentType: plain, body: `sha256-${'a'.repeat(64)}` },
    ])
  })

  it('C53 answers 401 without a known token, whatever is asked', () => {
    const paths = ['/pod/uuid', '/apps/worker/annotations', '/nothing', '/pod/hmac/sign']
    const urls = [...paths.map(path => `/token/acMetadata/v1${path}`), '/token', '/', '']
    const statuses = urls.flatMap(url =>
      ['GET', 'POST'].map(
        method => answer({ method, url, contentType: '', body: Buffer.alloc(0) }, undefined, key).status,
      ),
    )
    expect(new Set(statuses)).to.deep.equal(new Set([401]))
  })

  it('C53 answers 404 for an app that is not of the pod, and for any other address', () => {
    const paths = [
      '/apps/stranger/annotations',
      '/apps/__proto__/annotations',
      '/apps/constructor/image/id',
      '/apps/worker/image',
      '/apps/worker/annotations/',
      '/apps//annotations',
      '/apps',
      '/pod',
      '/pod/annotations/ip-address',
      '/pod/hmac',
      '',
    ]
    expect(paths.filter(path => ask(path).status !== 404)).to.deep.equal([])
    const besides = [
      '/token',
      '/token/',
      '/token/acMetadata/v2/pod/uuid',
      '/token/acMetadata',
      '/token/pod/uuid',
    ]
    const statuses = besides.map(
      url => answer({ method: 'GET', url, contentType: '', body: Buffer.alloc(0) }, record, key).status,
    )
    expect(statuses).to.deep.equal(besides.map(() => 404))
  })

  it('C53 names the methods that are meant, and takes no notice of a query', () => {
    expect(ask('/pod/uuid', { method: 'DELETE' })).to.include({ status: 405, allow: 'GET, HEAD' })
    expect(ask('/pod/hmac/sign')).to.include({ status: 405, allow: 'POST' })
    expect(ask('/pod/uuid?token=other').body).to.equal(record.uuid)
  })

  it('C54 signs with HMAC-SHA512 over the bytes of the UUID and the content', () => {
    // Computed by Python's hmac.new(key, uuid.bytes + content, sha512).
    expect(signed('content=Old+MacDonald+Had+A+Farm')).to.deep.equal({
      status: 200,
      contentType: plain,
      body: 'qXAWoUjpc6cJvWxI9wB+bB0TzlxjKTFIDM6QXughgL1YVlRfxOcoYIQb2E5FGbLr1VhiQHQydd/+fdBAJntBbg==',
    })
  })

  it('C54 lets any pod verify what another one signed, by its UUID in any case', () => {
    const { body: signature } = signed('content=hello')
    expect(verify('hello', record.uuid, signature)).to.equal(200)
    expect(verify('hello', record.uuid.toUpperCase(), signature)).to.equal(200)
    expect(verify('hello', record.uuid.replaceAll('-', ''), signature)).to.equal(200)
    expect(verify('hallo', record.uuid, signature), 'another content').to.equal(403)
    expect(verify('hello', other.uuid, signature), 'another pod').to.equal(403)
    expect(verify('hello', record.uuid, signature.replace(/^./, 'Z')), 'another signature').to.equal(403)
    expect(verify('hello', record.uuid, 'AAAA'), 'a shorter one').to.equal(403)
  })

  it('C53 answers 400 to a form that is not one, or lacks a field', () => {
    const { body: signature } = signed('content=hello')
    const right = `content=hello&uuid=${record.uuid}&signature=${encodeURIComponent(signature)}`
    const bad: readonly MetadataAnswer[] = [
      signed(''),
      signed('content='),
      signed('other=hello'),
      signed('content=%zz'),
      signed('content=a&content=b'),
      post('/pod/hmac/sign', 'content=hello', record, 'application/json'),
      post('/pod/hmac/sign', 'content=hello', record, ''),
      post('/pod/hmac/verify', right.replace('content=hello&', '')),
      post('/pod/hmac/verify', right.replace(/uuid=[^&]*&/, '')),
      post('/pod/hmac/verify', right.replace(/uuid=[^&]*/, 'uuid=1234')),
      post('/pod/hmac/verify', right.replace(/&signature=.*/, '')),
      post('/pod/hmac/verify', right.replace(/signature=.*/, 'signature=%2A%2A%2A%2A')),
      post('/pod/hmac/verify', right.replace(/signature=.*/, 'signature=AAA')),
    ]
    expect(bad.map(({ status }) => status)).to.deep.equal(bad.map(() => 400))
    expect(post('/pod/hmac/verify', right).status).to.equal(200)
    expect(post('/pod/hmac/verify', right, record, `${form}; charset=utf-8`).status).to.equal(200)
  })

  it('C53 says of a form what is wrong with it', () => {
    const needs = 'The form needs "content".'
    for (const [body, contentType, said] of [
      ['', form, needs],
      ['other=hello', form, needs],
      ['content=', form, 'The field "content" is empty.'],
      ['content=a&content=b', form, 'The form has "content" more than once.'],
      ['content=%zz', form, 'The form is malformed: a "%" has to be followed by two hexadecimal digits.'],
      ['content=hello', 'application/json', `A form has the content type ${form}.`],
      ['content=hello', '', `A form has the content type ${form}.`],
    ] as const)
      expect(post('/pod/hmac/sign', body, record, contentType).body, `${body} ${contentType}`).to.equal(said)
    const uuid = `uuid=${record.uuid}`
    for (const [body, said] of [
      [`content=a&${uuid}&${uuid}&signature=AAAA`, 'The form has "uuid" more than once.'],
      [`content=a&uuid=&signature=AAAA`, 'The field "uuid" is empty.'],
      [`content=a&uuid=1&signature=AAAA`, 'The field "uuid" is no UUID of a pod.'],
      [`content=a&${uuid}`, 'The form needs "signature".'],
      [`content=a&${uuid}&signature=***`, 'The field "signature" is no base64.'],
    ] as const)
      expect(post('/pod/hmac/verify', body).body, body).to.equal(said)
  })

  it('G24 refuses a form of many fields at once, however long it is, so that no pod makes the others wait', () => {
    const tooMany = { status: 400, body: 'The form has more than 64 fields.' }
    for (const body of [
      `content=hello${'&a'.repeat(64)}`,
      'a&'.repeat(512 * 1024),
      'content=a&'.repeat(100_000),
    ])
      for (const path of ['/pod/hmac/sign', '/pod/hmac/verify'])
        expect(post(path, body), body.slice(0, 20)).to.include(tooMany)
    expect(signed(`content=hello${'&a'.repeat(63)}`).body).to.equal(signed('content=hello').body)
    expect(signed(`${'&'.repeat(1024 * 1024 - 20)}content=hello`).body).to.equal(signed('content=hello').body)
  })

  it('C53 reads addresses as HTTP has them: in the absolute form, and with escapes, each once', () => {
    const statusOf = (url: string) =>
      answer({ method: 'GET', url, contentType: '', body: Buffer.alloc(0) }, record, key).status
    const uuid = '/token/acMetadata/v1/pod/uuid'
    for (const url of [
      `http://tallyman-metadata:8080${uuid}`,
      `HTTP://x${uuid}?y`,
      '/token/acMetadata/v1/p%6fd/uuid',
      '/token/%61cMetadata/v1/apps/%77orker/image/id',
    ])
      expect(statusOf(url), url).to.equal(200)
    for (const url of [
      '/token/acMetadata/v1/apps/%2577orker/image/id',
      '/token/acMetadata/v1/apps/worker%2Fimage/id',
      '/token/acMetadata/v1/apps/worker/image%2fid',
      '/token/acMetadata/v1/pod%2Fuuid',
      '/token/acMetadata/v1/apps/worker%00/image/id',
      '/token/acMetadata/v1/apps/%2e%2e/pod/uuid',
      `ftp://x${uuid}`,
      `http:/${uuid}`,
      '*',
    ])
      expect(statusOf(url), url).to.equal(404)
    for (const url of [
      '/token/acMetadata/v1/apps/%zz/image/id',
      '/token/acMetadata/v1/apps/%ff/image/id',
      '/token/acMetadata/v1/pod/uuid%',
    ])
      expect(statusOf(url), url).to.equal(400)
  })

  it('C53 finds the token in an address of either form, and no other one', () => {
    const tokens = ['/mine/x', '/%6Dine/x', 'http://host:8080/mine/x', 'http://host', '/%/x', '/a%2Fb/x', '*']
    expect(tokens.map(url => askedPod(url).token)).to.deep.equal(['mine', 'mine', 'mine', '', '', '', ''])
  })

  it('C54 tells all contents apart, also those that are no text', () => {
    const escaped = (bytes: Uint8Array) =>
      [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.uint8Array({ minLength: 1 }), (one, two) => {
        const [first, second] = [signed(`content=${escaped(one)}`), signed(`content=${escaped(two)}`)]
        expect(first.body === second.body).to.equal(Buffer.compare(one, two) === 0)
        expect(verify(escaped(one), record.uuid, first.body)).to.equal(200)
      }),
    )
    expect(signed('content=%ff').body, 'neither is UTF-8').not.to.equal(signed('content=%fe').body)
  })
})
