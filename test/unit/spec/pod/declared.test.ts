import { expect } from 'chai'
import type { Declared } from '../../../../lib/spec/build/context.ts'
import { reifiedPod } from '../../../../lib/state/application/pod/reified-pod.ts'
import { declarationOf } from '../../../../lib/state/image/declaration.ts'
import { app, builtPod, pod } from './built-pod.ts'

const image = { name: 'reg.example.com/ftp', labels: [{ name: 'version', value: '1' }] }
const bare = app({ app: undefined, image })

/** A pod of one app that runs as its image says. */
function runsAs(config: object | 'unknown' | undefined, more: object = {}, apps: readonly object[] = [bare]) {
  const declared: Declared | undefined =
    config === 'unknown' || config === undefined ? config : declarationOf(config, 'linux/arm64')
  return builtPod(pod({ apps, ...more }), {
    containers: [],
    ...(declared === undefined ? {} : { declared }),
  })
}

describe('an app without a section of its own', () => {
  const ftp = { ports: [{ name: 'ftp', hostPort: 2121 }] }
  const published = { target: 21, published: 2121, protocol: 'tcp' }

  it('C5 C30 publishes the port of its image by its number', () => {
    const { instance, problems, warnings } = runsAs(
      { ExposedPorts: { '21/tcp': {}, '80/tcp': {} } },
      { ports: [{ name: '21-tcp', hostPort: 2121 }] },
    )
    expect([...problems, ...warnings]).to.deep.equal([])
    expect(instance?.sandbox?.ports).to.deep.equal([published])
  })

  it('C30 publishes the only port of the images under any name, because images give none', () => {
    const { instance, problems, warnings } = runsAs({ ExposedPorts: { '21/tcp': {} } }, ftp, [
      bare,
      app({ name: 'other' }),
    ])
    expect(problems).to.deep.equal([])
    expect(instance?.sandbox?.ports).to.deep.equal([published])
    expect(warnings).to.deep.equal([
      '/ports/0/name is "ftp", which no app declares; the only port of the images, 21-tcp, is published (pod-changed)',
    ])
  })

  it('C30 is asked for the number of the port where its image has several', () => {
    expect(runsAs({ ExposedPorts: { '21/tcp': {}, '80/tcp': {} } }, ftp).problems).to.deep.equal([
      '/ports/0/name is "ftp", and no app declares such a port; its images have 21-tcp, 80-tcp; declare it, or give a "podPort" (pod-unrunnable)',
    ])
    expect(runsAs({}, ftp).problems).to.deep.equal([
      '/ports/0/name is "ftp", and no app declares such a port; declare it, or give a "podPort" (pod-unrunnable)',
    ])
  })

  it('C30 is asked which app is meant where the images of two have the port', () => {
    const two = [bare, app({ name: 'other', app: undefined, image })]
    const named = { ports: [{ name: '21-tcp', hostPort: 2121 }] }
    expect(runsAs({ ExposedPorts: { '21/tcp': {} } }, named, two).problems).to.deep.equal([
      '/ports/0/name is "21-tcp", which several apps declare; give a "podPort" (pod-unrunnable)',
    ])
  })

  it('C5 gives none of the ports of an image to an app with a section', () => {
    expect(runsAs({ ExposedPorts: { '21/tcp': {} } }, ftp, [app({ image })]).problems).to.deep.equal([
      '/ports/0/name is "ftp", and no app declares such a port; declare it, or give a "podPort" (pod-unrunnable)',
    ])
  })

  it('C5 has the volumes of its image told that it does not mount, if it has a section', () => {
    const config = { Volumes: { '/b': {}, '/data/': {}, '/a//c': {} } }
    const mounting = { image, mounts: [{ volume: 'data', path: '/data' }] }
    const volumes = [{ name: 'data', kind: 'empty' }]
    const warning =
      '/apps/0 has an image that demands a volume at /a/c, /b, and mounts nothing there, so the engine makes one that can be written and that goes with its container (pod-changed)'
    const { instance, problems, warnings } = runsAs(config, { volumes }, [app(mounting)])
    expect(problems).to.deep.equal([])
    expect(warnings).to.deep.equal([warning])
    const told = { name: 'tallyman/image-volumes', value: '/a/c\n/b' }
    expect(instance?.pod?.manifest.apps[0]?.annotations).to.deep.equal([told])
    const again = runsAs(config, { volumes }, [app({ ...mounting, annotations: [told] })])
    expect(again.problems, 'a manifest of what runs is a manifest').to.deep.equal([])
    expect(again.instance?.pod?.manifest.apps[0]?.annotations).to.deep.equal([told])
  })

  it('C5 has no more than three of many volumes of an image named in a warning', () => {
    const Volumes = Object.fromEntries(['/a', '/b', '/c', '/d', '/e'].map(path => [path, {}]))
    expect(runsAs({ Volumes }, {}, [app({ image })]).warnings.join('')).to.include(
      'at /a, /b, /c and 2 more,',
    )
  })

  it('C5 is refused in strict mode if its image demands such a volume', () => {
    const declared = declarationOf({ Volumes: { '/b': {} } }, 'linux/arm64')
    const { problems } = builtPod(pod({ apps: [app({ image })] }), { declared, containers: [], strict: true })
    expect(problems.join('\n')).to.match(/demands a volume at \/b, .*\(pod-strict\)$/)
  })

  it('C4 C5 is refused if it says otherwise of such volumes, unless nobody knows better', () => {
    const annotations = [{ name: 'tallyman/image-volumes', value: '/elsewhere' }]
    const untrue = (config: object | 'unknown' | undefined) =>
      runsAs(config, {}, [app({ image, annotations })]).problems
    const refusal =
      '/apps/0/annotations/0 is "tallyman/image-volumes", which Tallyman says itself; leave it out (pod-invalid)'
    expect(untrue({})).to.deep.equal([refusal])
    expect(untrue({ Volumes: { '/b': {} } })).to.deep.equal([refusal])
    expect(untrue('unknown')).to.deep.equal([])
    expect(untrue(undefined)).to.deep.equal([])
    expect(runsAs({}, {}, [app({ app: undefined, image, annotations })]).problems).to.deep.equal([refusal])
  })

  it('C5 C22 has the mount points of its image, which volumes of their names fill', () => {
    const volumes = [{ name: 'volume-var-lib', kind: 'empty', mode: '0700' }]
    const { apps, problems, warnings } = runsAs({ Volumes: { '/var/lib': {}, '/data': {} } }, { volumes })
    expect(problems).to.deep.equal([])
    expect(apps[0]?.mounts).to.deep.equal(
      [
        {
          kind: 'ephemeral',
          path: '/data',
          name: 'main.volume-data',
          root: undefined,
        },
        { kind: 'ephemeral', path: '/var/lib', name: 'volume-var-lib', root: undefined },
      ].map(({ root: _, ...mount }) => mount),
    )
    expect(warnings).to.deep.equal([
      '/apps/0 has an image that expects a volume at /data, and gets an empty one of its own there (pod-changed)',
    ])
  })

  it('C4 C5 C56 has the section of its image in the reified manifest', () => {
    const { instance } = runsAs({
      Entrypoint: ['/init'],
      Cmd: ['serve', '-v'],
      Env: ['PATH=/opt/bin', 'EMPTY='],
      User: 'app',
      ExposedPorts: { '53/udp': {} },
      Volumes: { '/a/b': {}, '/a-b': {} },
    })
    const pod = instance && reifiedPod(instance)
    const section = {
      exec: ['/init', 'serve', '-v'],
      user: 'app',
      group: '0',
      supplementaryGIDs: [],
      workingDirectory: '/',
      environment: [
        { name: 'PATH', value: '/opt/bin' },
        { name: 'EMPTY', value: '' },
      ],
      eventHandlers: [],
      mountPoints: [
        { name: 'volume-a-b', path: '/a-b', readOnly: false },
        { name: 'volume-a-b-1', path: '/a/b', readOnly: false },
      ],
      ports: [{ name: '53-udp', protocol: 'udp', port: 53, count: 1, socketActivated: false }],
      isolators: [],
    }
    expect(pod?.manifest.apps[0]?.app).to.deep.equal(section)
    expect(pod?.images['main']).to.deep.equal({
      acVersion: '0.8.11',
      acKind: 'ImageManifest',
      name: 'reg.example.com/ftp',
      labels: [
        { name: 'version', value: '1' },
        { name: 'os', value: 'linux' },
        { name: 'arch', value: 'aarch64' },
      ],
      app: section,
      annotations: [],
    })
  })

  it('C55 C56 has the labels of its image as annotations, as far as they can be', () => {
    const annotationsOf = (Labels: object) => runsAs({ Labels }).instance?.pod?.images['main']?.annotations
    expect(
      annotationsOf({
        ...{ team: 'shop', 'org.opencontainers.image.authors': 'Shop', 'com.example/size': 'XL' },
        ...{
          'Not-One': 'x',
          'tallyman/restart': 'never',
          'tallyman.role': 'app',
          [`a${'b'.repeat(255)}`]: 'too long',
        },
      }),
    ).to.deep.equal([
      { name: 'authors', value: 'Shop' },
      { name: 'com.example/size', value: 'XL' },
      { name: 'org.opencontainers.image.authors', value: 'Shop' },
      { name: 'team', value: 'shop' },
    ])
    expect(
      annotationsOf({ created: 'yesterday', homepage: 'example.com', documentation: 'https://example.com/' }),
      'some have a form of their own',
    ).to.deep.equal([{ name: 'documentation', value: 'https://example.com/' }])
    expect(
      annotationsOf({ homepage: 'http://a/', 'org.opencontainers.image.url': 'http://b/' }),
      'what it says itself goes before what is renamed',
    ).to.deep.equal([
      { name: 'homepage', value: 'http://a/' },
      { name: 'org.opencontainers.image.url', value: 'http://b/' },
    ])
    expect(annotationsOf({}), 'it has none').to.deep.equal([])
  })

  it('C12 X16 keeps the search path of its image, and has the other variables of pods', () => {
    expect(runsAs({}).apps[0]?.env).to.deep.equal({ AC_APP_NAME: 'main', container: 'tallyman' })
  })

  it('C5 G4 does not run while nobody tells what its image says', () => {
    expect(runsAs('unknown', ftp).problems).to.deep.equal([
      '/apps/0/image says itself how the app runs, and neither an engine nor its registry tell what that is (registry-unreachable)',
    ])
    expect(runsAs('unknown', {}, [app({ image })]).problems).to.deep.equal([])
  })

  it('C30 is not judged by what its image may say where nobody is asked', () => {
    expect(runsAs(undefined, ftp).problems).to.deep.equal([])
  })
})

describe('the labels of an image', () => {
  const platformOf = (...labels: readonly (readonly [string, string])[]) =>
    builtPod(
      pod({
        apps: [
          app({
            image: {
              name: 'web',
              labels: [['version', '1'], ...labels].map(([name, value]) => ({ name, value })),
            },
          }),
        ],
      }),
    ).apps[0]?.image.platform

  it('C4 choose its platform, so that an image for another one is refused', () => {
    expect(platformOf(['os', 'linux'], ['arch', 'aarch64'])).to.equal('linux/arm64')
    expect(platformOf(['os', 'linux'], ['arch', 'armv6l'])).to.equal('linux/arm/v6')
    expect(platformOf(['os', 'freebsd'], ['arch', 'i386'])).to.equal('freebsd/386')
    expect(platformOf(['arch', 'amd64'])).to.equal('linux/amd64')
    expect(platformOf(['os', 'linux'])).to.equal(undefined)
    expect(platformOf()).to.equal(undefined)
  })
})
