import { expect } from 'chai'
import { mapMembers } from '../../../../../lib/state/application/members.ts'
import { reifiedPod } from '../../../../../lib/state/application/reified-pod.ts'
import { app, builtPod, digest, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused, shown } from './outcome.ts'

const image = (name: string, version = '1.0.0') => ({
  name: `reg.example.com/${name}`,
  labels: [{ name: 'version', value: version }],
})

/** What runs, in a few words for each container. */
const running = ({ apps }: Built) =>
  apps.map(({ name, image, entrypoint = ['?'], mounts = [] }) =>
    [
      name,
      image.reference.slice('reg.example.com/'.length),
      ...entrypoint,
      ...mounts.map(({ path }) => path),
    ].join(' '),
  )

describe('C1 C2 C5 cases of whole pods', () => {
  const root = { user: '0', group: '0' }
  const cases: readonly (readonly [what: string, manifest: object, running: readonly string[]])[] = [
    [
      'one app that runs as its image says',
      pod({ apps: [{ name: 'web', image: image('web') }] }),
      ['web web:1.0.0 ?'],
    ],
    [
      'two apps of one image',
      pod({
        apps: ['a', 'b'].map(name => ({ name, image: image('web'), app: { ...root, exec: [`/${name}`] } })),
      }),
      ['a web:1.0.0 /a', 'b web:1.0.0 /b'],
    ],
    [
      'apps in the order in which they are written',
      pod({ apps: ['z', 'm', 'a'].map(name => ({ name, image: image(name) })) }),
      ['z z:1.0.0 ?', 'm m:1.0.0 ?', 'a a:1.0.0 ?'],
    ],
    [
      'a volume that two apps share',
      pod({
        apps: [
          {
            name: 'writer',
            image: image('w'),
            app: { ...root, exec: ['/w'], mountPoints: [{ name: 'work', path: '/out' }] },
          },
          {
            name: 'reader',
            image: image('r'),
            app: { ...root, exec: ['/r'], mountPoints: [{ name: 'work', path: '/in', readOnly: true }] },
          },
        ],
        volumes: [{ name: 'work', kind: 'empty' }],
      }),
      ['writer w:1.0.0 /w /out', 'reader r:1.0.0 /r /in'],
    ],
    [
      'what programs of the reference implementation write: null for each list that is empty',
      {
        acVersion: '0.8.11',
        acKind: 'PodManifest',
        apps: [
          {
            name: 'rkt-inspect',
            image: { ...image('inspect'), id: `sha512-${'8d'.repeat(64)}` },
            app: {
              exec: null,
              ...root,
              environment: null,
              mountPoints: null,
              ports: null,
              isolators: null,
              eventHandlers: null,
              supplementaryGIDs: null,
            },
            mounts: null,
            annotations: null,
          },
          {
            name: 'plain',
            image: { name: 'reg.example.com/plain', id: digest.replace(':', '-'), labels: null },
          },
        ],
        volumes: null,
        isolators: null,
        annotations: null,
        ports: null,
      },
      ['rkt-inspect inspect:1.0.0 ?', 'plain plain ?'],
    ],
    [
      'sixty-four apps',
      pod({ apps: Array.from({ length: 64 }, (_, index) => ({ name: `a${index}`, image: image('web') })) }),
      Array.from({ length: 64 }, (_, index) => `a${index} web:1.0.0 ?`),
    ],
    [
      'keys of other programs',
      {
        ...pod({ apps: [{ name: 'web', image: image('web'), 'x-team': null }] }),
        'x-note': [1],
        $schema: 'pod.schema.json',
      },
      ['web web:1.0.0 ?'],
    ],
  ]
  for (const [what, manifest, expected] of cases)
    it(what, () => {
      expectOutcome(manifest, running, expected)
    })
})

describe('C1 C2 C6 cases of manifests of another shape', () => {
  const cases: readonly (readonly [what: string, manifest: object, problems: readonly string[]])[] = [
    ['without apps', { ...pod(), apps: undefined }, ['/apps is required']],
    ['without its kind', { ...pod(), acKind: undefined }, ['/acKind is required']],
    [
      'with its kind in other letters',
      { ...pod(), acKind: undefined, ackind: 'PodManifest' },
      ['/ackind is not a known key; did you mean "acKind"?'],
    ],
    ['with an empty list of apps', pod({ apps: [] }), ['/apps must not be empty']],
    ['with null for its apps', pod({ apps: null }), ['/apps must be a list, not null']],
    ['with apps by their names', pod({ apps: { web: {} } }), ['/apps must be a list, not an object']],
    [
      'with sixty-five apps',
      pod({ apps: Array.from({ length: 65 }, (_, index) => app({ name: `a${index}` })) }),
      ['/apps must have at most 64 entries'],
    ],
    ['with an app that is a text', pod({ apps: ['web'] }), ['/apps/0 must be an object, not "web"']],
    ['with an app without an image', pod({ apps: [{ name: 'web' }] }), ['/apps/0/image is required']],
    [
      'with an image that is a text',
      pod({ apps: [app({ image: 'web:1' })] }),
      ['/apps/0/image must be an object, not "web:1"'],
    ],
    [
      'with an image of which nothing is said',
      pod({ apps: [app({ image: {} })] }),
      ['/apps/0/image has neither an "id" nor a "name" with the label "version"'],
    ],
    [
      'with a mistyped key',
      { ...pod(), volume: [] },
      ['/volume is not a known key; did you mean "volumes"?'],
    ],
    [
      'with a mistyped key of an app',
      pod({ apps: [app({ readOnlyRootFs: true })] }),
      ['/apps/0/readOnlyRootFs is not a known key; did you mean "readOnlyRootFS"?'],
    ],
    [
      'with a mistyped key of a section',
      pod({ apps: [app({}, { workingDir: '/srv' })] }),
      ['/apps/0/app/workingDir is not a known key; did you mean "workingDirectory"?'],
    ],
    [
      'with the keys of an image manifest',
      { ...pod(), name: 'example.com/web', dependencies: [], pathWhitelist: [] },
      ['/name is not a known key', '/dependencies is not a known key', '/pathWhitelist is not a known key'],
    ],
    [
      'with a text for a truth',
      pod({ apps: [app({ readOnlyRootFS: 'true' })] }),
      ['/apps/0/readOnlyRootFS must be true or false, not "true"'],
    ],
    [
      'with null for a truth',
      pod({ apps: [app({ readOnlyRootFS: null })] }),
      ['/apps/0/readOnlyRootFS must be true or false, not null'],
    ],
    [
      'with null for a section',
      pod({ apps: [app({ app: null })] }),
      ['/apps/0/app must be an object, not null'],
    ],
    [
      'with two apps of one name, and a third',
      pod({ apps: ['a', 'b', 'a'].map(name => app({ name })) }),
      ['/apps/2/name is "a" a second time'],
    ],
  ]
  for (const [what, manifest, problems] of cases)
    it(`${what} it is refused`, () => {
      expectOutcome(manifest, running, refused(...problems))
    })

  it('with a key that stands twice it is refused', () => {
    expectOutcome('{"acKind": "PodManifest", "acKind": "PodManifest"}', running, {
      refused: ['"acKind" stands twice in one object, first in line 1 (duplicate-key)'],
    })
  })
})

describe('C1 a mistake causes one problem, whatever else stands beside it', () => {
  const handlers = [{ name: 'pre-start', exec: ['/x'] }]
  const http = { name: 'http', protocol: 'tcp', port: 80 }
  const cases: readonly (readonly [what: string, manifest: object, problem: string])[] = [
    [
      'a program that is no text',
      pod({ apps: [app({}, { exec: '/bin/main', eventHandlers: handlers })] }),
      '/apps/0/app/exec must be a list, not "/bin/main"',
    ],
    [
      'a mount without a place',
      pod({
        apps: [app({ mounts: [{ volume: 'data' }] }, { mountPoints: [{ name: 'data', path: '/data' }] })],
        volumes: [],
      }),
      '/apps/0/mounts/0/path is required',
    ],
    [
      'a port without a protocol',
      pod({
        apps: [app({}, { ports: [http, { name: 'admin', port: 81 }] })],
        ports: [{ name: 'http', hostPort: 80 }],
      }),
      '/apps/0/app/ports/1/protocol is required',
    ],
    [
      'a section without a user',
      pod({ apps: [app({ app: { group: '0', ports: [http] } })], ports: [{ name: 'http', hostPort: 80 }] }),
      '/apps/0/app/user is required',
    ],
    [
      'a podPort without a number',
      pod({ ports: [{ name: 'http', hostPort: 80, podPort: { name: 'http', protocol: 'tcp' } }] }),
      '/ports/0/podPort/port is required',
    ],
    [
      'labels without a text',
      pod({ apps: [app({ image: { name: 'reg.example.com/web', labels: [{ name: 'version' }] } })] }),
      '/apps/0/image/labels/0/value is required',
    ],
  ]
  for (const [what, manifest, problem] of cases)
    it(what, () => {
      const { problems, warnings } = builtPod(manifest, { containers: [] })
      expect({ problems, warnings }).to.deep.equal({ problems: [`${problem} (pod-invalid)`], warnings: [] })
    })
})

describe('C4 cases of manifests of what runs, which are manifests again', () => {
  const long = 'x'.repeat(100)
  const cases: readonly (readonly [what: string, manifest: object])[] = [
    [
      'an app with everything',
      pod({
        apps: [
          app(
            {
              readOnlyRootFS: true,
              mounts: [{ volume: 'v', path: '/v' }],
              annotations: [{ name: 'a', value: 'b' }],
            },
            {
              supplementaryGIDs: [7],
              workingDirectory: '/v/in',
              environment: [{ name: 'A', value: '1' }],
              eventHandlers: [{ name: 'post-stop', exec: ['/bin/tidy'] }],
              mountPoints: [{ name: 'own', path: '/own', readOnly: true }],
              ports: [{ name: 'http', protocol: 'tcp', port: 80, count: 2 }],
              isolators: [
                { name: 'resource/cpu', value: { limit: '500m' } },
                { name: 'os/linux/no-new-privileges', value: true },
              ],
            },
          ),
        ],
        volumes: [{ name: 'v', kind: 'empty', mode: '1777' }],
        ports: [{ name: 'http', hostPort: 8080, hostIP: '127.0.0.1' }],
        userLabels: { Any: 'text' },
      }),
    ],
    [
      'a mount point of a long name, in an app of a long name',
      pod({ apps: [app({ name: long }, { mountPoints: [{ name: long, path: '/data' }] })] }),
    ],
    [
      'two apps whose volumes would have one name',
      pod({
        apps: [
          app({ name: 'a' }, { mountPoints: [{ name: 'b-c', path: '/x' }] }),
          app({ name: 'a-b' }, { mountPoints: [{ name: 'c', path: '/x' }] }),
        ],
      }),
    ],
    ['null for its lists', { ...pod(), volumes: null, ports: null }],
  ]
  for (const [what, manifest] of cases)
    it(what, () => {
      const reified = reifiedOf(manifest)
      expect(builtPod(reified, { containers: [] }).problems).to.deep.equal([])
      expect(reifiedOf(reified)).to.deep.equal(reified)
    })

  function reifiedOf(manifest: object): object {
    const { instance, problems } = builtPod(manifest, { containers: [] })
    expect(problems, shown(manifest)).to.deep.equal([])
    const pinned =
      instance &&
      mapMembers(instance, one => ({ ...one, image: { ...one.image, pin: { state: 'pinned', digest } } }))
    return (pinned && reifiedPod(pinned)?.manifest) ?? {}
  }
})
