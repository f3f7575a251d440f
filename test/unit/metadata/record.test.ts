import { expect } from 'chai'
import { mergeAnnotations } from '../../../lib/metadata/annotations.ts'
import { imageManifest, type ShownImage } from '../../../lib/metadata/image-manifest.ts'
import { recordOf } from '../../../lib/metadata/record.ts'

const shown: ShownImage = {
  os: 'linux',
  architecture: 'amd64',
  created: '2026-01-01T00:00:00Z',
  author: 'ops@example.com',
  user: 'web:www',
  entrypoint: ['/bin/web'],
  command: ['--port=80'],
  env: ['PATH=/bin', 'EMPTY=', 'PAIR=a=b'],
  workingDir: '/srv',
  ports: ['9090/udp', '80/tcp'],
  volumes: ['/var/lib/Data_1', '/cache'],
  labels: { 'org.opencontainers.image.url': 'https://example.com/web' },
}

describe('the image manifest of a Docker image', () => {
  it('C56 says what the image runs, where it listens, what it mounts, and what it is', () => {
    expect(
      imageManifest({ reference: 'registry.example.com:5000/team/web:1.2.0', image: shown }),
    ).to.deep.equal({
      acKind: 'ImageManifest',
      acVersion: '0.8.11',
      name: 'registry.example.com-5000/team/web',
      labels: [
        { name: 'version', value: '1.2.0' },
        { name: 'os', value: 'linux' },
        { name: 'arch', value: 'amd64' },
      ],
      app: {
        exec: ['/bin/web', '--port=80'],
        user: 'web',
        group: 'www',
        workingDirectory: '/srv',
        environment: [
          { name: 'PATH', value: '/bin' },
          { name: 'EMPTY', value: '' },
          { name: 'PAIR', value: 'a=b' },
        ],
        mountPoints: [
          { name: 'volume-cache', path: '/cache' },
          { name: 'volume-var-lib-data-1', path: '/var/lib/Data_1' },
        ],
        ports: [
          { name: '80-tcp', protocol: 'tcp', port: 80 },
          { name: '9090-udp', protocol: 'udp', port: 9090 },
        ],
      },
      annotations: [
        { name: 'authors', value: 'ops@example.com' },
        { name: 'created', value: '2026-01-01T00:00:00Z' },
        { name: 'homepage', value: 'https://example.com/web' },
      ],
    })
  })

  it('C56 leaves out what the image does not say', () => {
    expect(imageManifest({ reference: 'web', image: { created: '0001-01-01T00:00:00Z' } })).to.deep.equal({
      acKind: 'ImageManifest',
      acVersion: '0.8.11',
      name: 'web',
      labels: [],
      annotations: [],
    })
  })

  it('C56 spells architectures as the specification does', () => {
    const archOf = (architecture: string, variant?: string) =>
      imageManifest({
        reference: 'web',
        image: { architecture, ...(variant === undefined ? {} : { variant }) },
      }).labels.map(({ value }) => value)
    expect([
      archOf('amd64'),
      archOf('386'),
      archOf('arm64', 'v8'),
      archOf('arm', 'v6'),
      archOf('s390x'),
    ]).to.deep.equal([['amd64'], ['i386'], ['aarch64'], ['armv6l'], ['s390x']])
  })
})

describe('what the metadata service knows of a pod', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const id = `sha256-${'a'.repeat(64)}`

  it('C55 puts the annotations of the app in the place of those of its image, and new ones behind', () => {
    const image = [
      { name: 'created', value: 'then' },
      { name: 'homepage', value: 'https://example.com' },
    ]
    const app = [
      { name: 'foo', value: 'baz' },
      { name: 'created', value: 'now' },
    ]
    expect(mergeAnnotations(image, app)).to.deep.equal([
      { name: 'created', value: 'now' },
      { name: 'homepage', value: 'https://example.com' },
      { name: 'foo', value: 'baz' },
    ])
  })

  it('C4 names every image by its id, and says what an app without "app" runs', () => {
    const template = {
      acVersion: '0.8.11',
      acKind: 'PodManifest',
      apps: [{ name: 'web', image: { labels: [{ name: 'version', value: '1' }] } }],
    }
    const running = [
      { name: 'web', reference: 'web:1', content: digest, image: { entrypoint: ['/bin/web'] } },
    ]
    const record = recordOf('0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55', template, running)
    expect(record.manifest).to.deep.equal({
      acVersion: '0.8.11',
      acKind: 'PodManifest',
      apps: [
        {
          name: 'web',
          image: { labels: [{ name: 'version', value: '1' }], id },
          app: { exec: ['/bin/web'], user: '0', group: '0' },
        },
      ],
    })
    expect(record.apps['web']?.imageId).to.equal(id)
    expect(record.annotations).to.deep.equal([])
  })

  it('D14 keeps the id of an archive as an annotation', () => {
    const template = {
      apps: [{ name: 'web', image: { id: 'sha512-abc' }, annotations: [{ name: 'foo', value: 'baz' }] }],
    }
    const running = [{ name: 'web', reference: 'web:1', content: digest, image: {} }]
    const record = recordOf('0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55', template, running)
    const annotations = [
      { name: 'foo', value: 'baz' },
      { name: 'tallyman/declared-image-id', value: 'sha512-abc' },
    ]
    expect(record.manifest).to.deep.equal({ apps: [{ name: 'web', image: { id }, annotations }] })
    expect(record.apps['web']?.annotations).to.deep.equal(annotations)
  })
})
