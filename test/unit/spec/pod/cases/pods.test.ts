import { app, digest, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused } from './outcome.ts'

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
