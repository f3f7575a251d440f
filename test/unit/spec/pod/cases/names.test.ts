import { expect } from 'chai'
import { sanitizedIdentifier, sanitizedName } from '../../../../../lib/spec/pod/grammar/sanitize.ts'
import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused, shown } from './outcome.ts'

/** Where a name stands, and where it is found again. */
type Place = {
  readonly what: string
  readonly manifest: (name: string) => object
  readonly pointer: string
  readonly seen: (built: Built) => unknown
}

const nameForm = 'must be lower-case letters and digits, joined by single dashes'
const identifierForm =
  'must be lower-case letters, digits and "-._~/" that neither begins nor ends with one of those signs'

const nameOf = (one: object | undefined) => (one !== undefined && 'name' in one ? one.name : undefined)

const tcp = { protocol: 'tcp', port: 80 }

const appName: Place = {
  what: 'an app',
  manifest: name => pod({ apps: [app({ name })] }),
  pointer: '/apps/0/name',
  seen: ({ apps }) => apps[0]?.name,
}

const otherNames: readonly Place[] = [
  {
    what: 'a volume',
    manifest: name => pod({ volumes: [{ name, kind: 'empty' }] }),
    pointer: '/volumes/0/name',
    seen: ({ instance }) => instance?.pod?.manifest.volumes[0]?.name,
  },
  {
    what: 'a mount point',
    manifest: name => pod({ apps: [app({}, { mountPoints: [{ name, path: '/data' }] })] }),
    pointer: '/apps/0/app/mountPoints/0/name',
    seen: ({ instance }) => instance?.pod?.manifest.apps[0]?.mounts[0]?.volume.replace('main-', ''),
  },
  {
    what: 'a volume of one mount',
    manifest: name =>
      pod({ apps: [app({ mounts: [{ volume: 'v', path: '/v', appVolume: { name, kind: 'empty' } }] })] }),
    pointer: '/apps/0/mounts/0/appVolume/name',
    seen: ({ instance }) => instance?.pod?.manifest.volumes[0]?.name.replace('main-', ''),
  },
  {
    what: 'a port of an app',
    manifest: name => pod({ apps: [app({}, { ports: [{ name, ...tcp }] })] }),
    pointer: '/apps/0/app/ports/0/name',
    seen: ({ instance }) => nameOf(instance?.pod?.manifest.apps[0]?.app?.ports[0]),
  },
  {
    what: 'a published port',
    manifest: name => pod({ ports: [{ name, hostPort: 80, podPort: { name: 'p', ...tcp } }] }),
    pointer: '/ports/0/name',
    seen: ({ instance }) => instance?.pod?.manifest.ports[0]?.name,
  },
  {
    what: 'a port in the place of those of apps',
    manifest: name => pod({ ports: [{ name: 'p', hostPort: 80, podPort: { name, ...tcp } }] }),
    pointer: '/ports/0/podPort/name',
    seen: ({ instance }) => nameOf(instance?.pod?.manifest.ports[0]?.podPort),
  },
]

const annotationName: Place = {
  what: 'an annotation',
  manifest: name => pod({ annotations: [{ name, value: '' }] }),
  pointer: '/annotations/0/name',
  seen: ({ instance }) => instance?.pod?.manifest.annotations[0]?.name,
}

const otherIdentifiers: readonly Place[] = [
  {
    what: 'an annotation of an app',
    manifest: name => pod({ apps: [app({ annotations: [{ name, value: '' }] })] }),
    pointer: '/apps/0/annotations/0/name',
    seen: ({ instance }) => instance?.pod?.manifest.apps[0]?.annotations[0]?.name,
  },
  {
    what: 'a label of an image',
    manifest: name => pod({ apps: [app({ image: { ...app().image, labels: [{ name, value: '' }] } })] }),
    pointer: '/apps/0/image/labels/0/name',
    seen: ({ instance }) => instance?.pod?.manifest.apps[0]?.image.labels[0]?.name,
  },
  {
    what: 'an isolator',
    manifest: name => pod({ isolators: [{ name, value: 1 }] }),
    pointer: '/isolators/0/name',
    seen: ({ instance }) => instance?.pod?.isolators[0]?.isolator,
  },
  {
    what: 'an image',
    manifest: name => pod({ apps: [app({ image: { ...app().image, name } })] }),
    pointer: '/apps/0/image/name',
    seen: ({ instance }) => instance?.pod?.manifest.apps[0]?.image.name,
  },
]

function accepts({ what, manifest, seen }: Place, names: readonly string[]): void {
  for (const name of names)
    it(`accepts the name ${shown(name)} of ${what}`, () => {
      expectOutcome(manifest(name), seen, name)
    })
}

function refuses({ what, manifest, pointer, seen }: Place, form: string, names: readonly string[]): void {
  for (const name of names)
    it(`refuses the name ${shown(name)} of ${what}`, () => {
      expectOutcome(manifest(name), seen, refused(`${pointer} ${form}, not ${JSON.stringify(name)}`))
    })
}

describe('C3 cases of names and identifiers', () => {
  describe('a name of the specification', () => {
    accepts(appName, ['0', '7zip', 'a-1', '1-a', '2001-01-01', 'reduce-worker-register', 'worker2'])
    accepts(appName, ['x'.repeat(128)])
    refuses(appName, nameForm, [' a', 'a ', 'a b', 'a_b', 'a--b', '--a', 'a-b-', 'A', 'aB', 'ä', 'a/b'])
    refuses(appName, nameForm, ['a~b', 'a:b', 'a,b', 'a\tb', '１', 'aβ', '*', '..', '%61'])
    it('refuses one of 129 characters', () => {
      expectOutcome(
        appName.manifest('x'.repeat(129)),
        appName.seen,
        refused('/apps/0/name must have at most 128 characters'),
      )
    })
    for (const place of otherNames) {
      accepts(place, ['data-1'])
      refuses(place, nameForm, ['Data', 'data_1', ''])
    }
  })

  describe('C7 an identifier of the specification', () => {
    accepts(annotationName, ['a', '1.0', 'a.b', 'a_b', 'a~b', 'a-b/c', 'a..b', 'a__b', 'a-_.~/b', '10.1.2.3'])
    accepts(annotationName, ['quay.io/coreos/etcd', 'coreos.com/rkt/stage1-coreos', 'x'.repeat(255)])
    refuses(annotationName, identifierForm, ['', 'app/', 'app.', 'app~', 'app_', 'App', 'a:b', 'a b', 'a@b'])
    refuses(annotationName, identifierForm, [
      'a+b',
      'a\\b',
      '%41',
      'a!b',
      '-',
      '/',
      'é',
      'example.com:5000/a',
    ])
    it('refuses one of 256 characters', () => {
      expectOutcome(
        annotationName.manifest('x'.repeat(256)),
        annotationName.seen,
        refused('/annotations/0/name must have at most 255 characters'),
      )
    })
    for (const place of otherIdentifiers) {
      accepts(place, ['example.com/my_own/thing-2'])
      refuses(place, identifierForm, ['Example.com/thing', 'thing/', ''])
    }
  })

  describe('what is nearest to a text', () => {
    for (const [text, name, identifier] of [
      ['Hello World', 'hello-world', 'hello-world'],
      ['a_b', 'a-b', 'a_b'],
      ['a.b.c', 'a-b-c', 'a.b.c'],
      ['127.0.0.1:5000/team/web', '127-0-0-1-5000-team-web', '127.0.0.1-5000/team/web'],
      ['/var/lib/data/', 'var-lib-data', 'var/lib/data'],
      ['~user', 'user', 'user'],
      ['ÄB', 'b', 'b'],
      ['a😀b', 'a--b', 'a--b'],
      ['a  b', 'a--b', 'a--b'],
      ['7', '7', '7'],
      ['--', undefined, undefined],
      ['~/._', undefined, undefined],
      ['\n', undefined, undefined],
    ] as const)
      it(`${shown(text)} is ${name ?? 'no name'} and ${identifier ?? 'no identifier'}`, () => {
        expect([sanitizedName(text), sanitizedIdentifier(text)]).to.deep.equal([name, identifier])
      })
  })
})
