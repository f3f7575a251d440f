import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sanitizedIdentifier, sanitizedName } from '../../../../lib/spec/pod/grammar/sanitize.ts'
import type { Instance } from '../../../../lib/state/application/application.ts'
import { mapMembers } from '../../../../lib/state/application/members.ts'
import type { Pod } from '../../../../lib/state/application/pod/pod.ts'
import { reifiedPod } from '../../../../lib/state/application/pod/reified-pod.ts'
import { app, builtPod, digest, pod } from './built-pod.ts'

const archive = `sha512-${'8d'.repeat(64)}`

/** The pod of a manifest whose images were all pinned to one digest. */
function reified(manifest: object): Pod {
  const { instance, problems } = builtPod(manifest, { policy: { hostMounts: ['/'] } })
  expect(problems).to.deep.equal([])
  const found = instance && reifiedPod(pinned(instance))
  if (found === undefined) throw new Error('there is no pod')
  return found
}

function pinned(instance: Instance): Instance {
  return mapMembers(instance, container => ({
    ...container,
    image: { ...container.image, pin: { state: 'pinned', digest } },
  }))
}

describe('a reified pod', () => {
  it('C4 has every image by id, a volume for every mount point, and the defaults', () => {
    const { manifest } = reified(
      pod({
        apps: [
          {
            name: 'main',
            image: { name: 'reg.example.com/main', labels: [{ name: 'version', value: '1' }] },
            app: {
              exec: ['/bin/main'],
              user: 'www',
              group: '33',
              mountPoints: [
                { name: 'work', path: '/work', readOnly: true },
                { name: 'data', path: '/data' },
                { name: 'cache', path: '/cache' },
              ],
              ports: [{ name: 'http', protocol: 'tcp', port: 80 }],
              isolators: [{ name: 'resource/memory', value: { limit: '1G' } }],
            },
            mounts: [
              { volume: 'own', path: '/mine', appVolume: { name: 'own', kind: 'host', source: '/srv' } },
            ],
          },
        ],
        volumes: [
          { name: 'work', kind: 'empty' },
          { name: 'data', kind: 'host', source: '/srv/data' },
          { name: 'main-cache', kind: 'empty', mode: '0700', uid: 7, gid: 8, readOnly: true },
        ],
        ports: [{ name: 'http', hostPort: 8080 }],
        userLabels: { team: 'a' },
      }),
    )
    expect(manifest).to.deep.equal({
      acVersion: '0.8.11',
      acKind: 'PodManifest',
      apps: [
        {
          name: 'main',
          image: {
            name: 'reg.example.com/main',
            labels: [{ name: 'version', value: '1' }],
            id: digest.replace(':', '-'),
          },
          app: {
            exec: ['/bin/main'],
            user: 'www',
            group: '33',
            workingDirectory: '/',
            supplementaryGIDs: [],
            environment: [],
            eventHandlers: [],
            mountPoints: [
              { name: 'work', path: '/work', readOnly: true },
              { name: 'data', path: '/data', readOnly: false },
              { name: 'cache', path: '/cache', readOnly: false },
            ],
            ports: [{ name: 'http', protocol: 'tcp', port: 80, count: 1, socketActivated: false }],
            isolators: [{ name: 'resource/memory', value: { limit: '1G', request: '1G' } }],
          },
          readOnlyRootFS: false,
          mounts: [
            { volume: 'main-own', path: '/mine' },
            { volume: 'work', path: '/work' },
            { volume: 'data', path: '/data' },
            { volume: 'main-cache-2', path: '/cache' },
          ],
          annotations: [
            { name: 'tallyman/requests', value: '0: resource/memory' },
            { name: 'tallyman/isolators', value: 'resource/memory: enforced' },
          ],
        },
      ],
      volumes: [
        { name: 'work', kind: 'empty', mode: '0755', uid: 0, gid: 0 },
        { name: 'data', kind: 'host', source: '/srv/data', recursive: true, readOnly: false },
        { name: 'main-cache', kind: 'empty', mode: '0700', uid: 7, gid: 8, readOnly: true },
        { name: 'main-own', kind: 'host', source: '/srv', recursive: true, readOnly: false },
        { name: 'main-cache-2', kind: 'empty', mode: '0755', uid: 0, gid: 0, readOnly: false },
      ],
      isolators: [],
      annotations: [],
      ports: [{ name: 'http', hostPort: 8080 }],
      userLabels: { team: 'a' },
    })
  })

  it('C4 is a manifest itself, from which the same runs again', () => {
    const written = pod({
      apps: [app({}, { mountPoints: [{ name: 'cache', path: '/cache' }], workingDirectory: '/srv' })],
    })
    const { manifest } = reified(written)
    expect(builtPod(manifest).warnings, 'nothing is left to warn of').to.deep.equal([])
    const mounts = (one: object) =>
      builtPod(one).apps.map(({ mounts = [] }) => mounts.map(({ path }) => path))
    expect(mounts(manifest)).to.deep.equal(mounts(written))
    expect(reified(manifest).manifest).to.deep.equal(manifest)
  })

  it('C4 C41 reads back as the same, though it spells out requests that nobody has written', () => {
    const memory = (value: object) => ({ name: 'resource/memory', value })
    const apps = (first: object) => [
      app({}, { isolators: [memory(first), { name: 'resource/cpu', value: { limit: '500m' } }] }),
      app({ name: 'two' }, { isolators: [memory({ limit: '48Mi' })] }),
    ]
    const boundsOf = (one: unknown) =>
      builtPod(one).apps.map(({ memoryBytes, memoryReservationBytes, cpuShares }) => [
        ...[memoryBytes, memoryReservationBytes, cpuShares],
      ])
    for (const first of [{ limit: '48Mi' }, { limit: '16Mi', request: '16Mi' }]) {
      const written = pod({ apps: apps(first), isolators: [memory({ limit: '64Mi' })] })
      const { manifest } = reified(written)
      expect(builtPod(manifest, { containers: [] }).problems).to.deep.equal([])
      expect(boundsOf(manifest)).to.deep.equal(boundsOf(written))
      expect(reified(manifest).manifest).to.deep.equal(manifest)
    }
    const { manifest } = reified(pod({ apps: apps({ limit: '48Mi' }) }))
    const [main] = manifest.apps
    const isolators = [memory({ limit: '48Mi', request: '16Mi' })]
    const changed = { ...main, app: { ...main?.app, isolators } }
    expect(builtPod({ ...manifest, apps: [changed] }).problems, 'it is written now').to.deep.equal([
      '/apps/0/annotations/0 is "tallyman/requests", which Tallyman says itself; leave it out (pod-invalid)',
      '/apps/0/annotations/1 is "tallyman/isolators", which Tallyman says itself; leave it out (pod-invalid)',
    ])
  })

  it('C4 C7 says itself what became of isolators and images, and refuses what somebody else says there', () => {
    const isolators = [{ name: 'resource/memory', value: { limit: '1G' } }]
    const image = { name: 'reg.example.com/main', labels: [{ name: 'version', value: '1' }], id: archive }
    const { manifest } = reified(pod({ isolators, apps: [app({ image }, { isolators })] }))
    expect(manifest.apps[0]?.annotations.map(({ name }) => name)).to.deep.equal([
      'tallyman/image-id',
      'tallyman/requests',
      'tallyman/isolators',
    ])
    expect(builtPod(manifest).problems).to.deep.equal([])
    expect(reified(manifest).manifest).to.deep.equal(manifest)
    const evil = ['tallyman/isolators', 'tallyman/image-id', 'tallyman/requests'].map(name => ({
      name,
      value: 'evil',
    }))
    const refused = (place: string) =>
      evil.map(
        ({ name }, index) =>
          `${place}annotations/${index} is "${name}", which Tallyman says itself; leave it out (pod-invalid)`,
      )
    expect(builtPod(pod({ annotations: evil, apps: [app({ annotations: evil })] })).problems).to.deep.equal([
      ...refused('/apps/0/'),
      ...refused('/'),
    ])
    expect(
      builtPod({ ...manifest, annotations: [{ name: 'tallyman/image-id', value: archive }] }).problems,
      'an archive is one of an app',
    ).to.deep.equal(
      refused('/')
        .slice(1, 2)
        .map(one => one.replace('/1 ', '/0 ')),
    )
  })

  it('D14 keeps the id of an archive as an annotation, because another image runs in its place', () => {
    const image = { name: 'reg.example.com/main', labels: [{ name: 'version', value: '1' }], id: archive }
    const annotations = [{ name: 'foo', value: 'baz' }]
    const { manifest } = reified(pod({ apps: [app({ image, annotations })] }))
    expect(manifest.apps[0]?.image.id).to.equal(digest.replace(':', '-'))
    expect(manifest.apps[0]?.annotations).to.deep.equal([
      { name: 'foo', value: 'baz' },
      { name: 'tallyman/image-id', value: archive },
    ])
  })

  it('C4 has no id of an image that is not pinned, and the one of the engine if no registry has it', () => {
    const { instance } = builtPod(pod())
    const imageOf = (one: Instance | undefined) => one && reifiedPod(one)?.manifest.apps[0]?.image
    expect(imageOf(instance)).to.deep.equal({ name: 'reg.example.com/team/main', labels: [] })
    const pin = { state: 'unverified', imageId: digest } as const
    const local = instance && mapMembers(instance, one => ({ ...one, image: { ...one.image, pin } }))
    expect(imageOf(local)).to.deep.include({ id: digest.replace(':', '-') })
  })

  it('C56 has a manifest for each image', () => {
    const image = { name: 'reg.example.com/main', labels: [{ name: 'version', value: '1' }] }
    expect(reified(pod({ apps: [app({ image })] })).images).to.deep.equal({
      main: {
        acVersion: '0.8.11',
        acKind: 'ImageManifest',
        name: 'reg.example.com/main',
        labels: [{ name: 'version', value: '1' }],
        annotations: [],
      },
    })
  })

  describe('C40 C42 says of each isolator what becomes of it', () => {
    const memory = (limit: string) => ({ name: 'resource/memory', value: { limit } })
    const outcomes = (ofPod: readonly object[], ...ofApps: readonly (readonly object[])[]) =>
      reified(
        pod({
          isolators: ofPod,
          apps: ofApps.map((isolators, index) => app({ name: `app${index}` }, { isolators })),
        }),
      ).isolators.map(
        ({ app: of = 'the pod', isolator, outcome, reason }) =>
          `${of}: ${isolator}: ${outcome}${reason === undefined ? '' : `, ${reason}`}`,
      )

    it('enforced where the container has it as it is written', () => {
      expect(
        outcomes(
          [memory('1G')],
          [
            memory('64Mi'),
            { name: 'os/linux/no-new-privileges', value: true },
            { name: 'os/linux/capabilities-retain-set', value: { set: ['CAP_KILL'] } },
          ],
        ),
      ).to.deep.equal([
        'the pod: resource/memory: enforced',
        'app0: resource/memory: enforced',
        'app0: os/linux/no-new-privileges: enforced',
        'app0: os/linux/capabilities-retain-set: enforced',
      ])
    })

    it('modified where something else bounds it', () => {
      expect(
        outcomes(
          [memory('64Mi')],
          [{ name: 'resource/memory', value: { limit: '1G', request: '32Mi' } }],
          [memory('16Mi'), memory('8Mi')],
          [
            { name: 'resource/cpu', value: { request: '500m' } },
            { name: 'os/linux/cpu-shares', value: 200 },
            {
              name: 'os/linux/capabilities-remove-set',
              value: { set: ['CAP_PONIES', 'CAP_PIGS', 'CAP_KILL'] },
            },
          ],
        ),
      ).to.deep.equal([
        'the pod: resource/memory: modified, the engine has no limit for several containers together, so it is the most of each app',
        'app0: resource/memory: modified, the limit of the pod is lower',
        'app1: resource/memory: modified, a lower limit stands beside it',
        'app1: resource/memory: enforced',
        'app2: resource/cpu: modified, os/linux/cpu-shares counts in the place of its request',
        'app2: os/linux/cpu-shares: enforced',
        'app2: os/linux/capabilities-remove-set: modified, CAP_PONIES, CAP_PIGS are no capabilities',
      ])
    })

    it('ignored where nothing is done about it', () => {
      expect(
        outcomes(
          [
            { name: 'os/linux/cpu-shares', value: 100 },
            { name: 'os/unix/sysctl', value: {} },
          ],
          [
            { name: 'os/unix/sysctl', value: {} },
            { name: 'example.com/own', value: 1 },
          ],
        ),
      ).to.deep.equal([
        'the pod: os/linux/cpu-shares: ignored, it is for an app',
        'the pod: os/unix/sysctl: enforced',
        'app0: os/unix/sysctl: ignored, it is for the pod',
        'app0: example.com/own: ignored, it is not known',
      ])
    })
  })

  describe('C3 names are made as the reference makes them', () => {
    const url = new URL('../../../../fixtures/conformance/appc/sanitize.json', import.meta.url)
    for (const { type, input, output } of JSON.parse(readFileSync(url, 'utf8')).cases)
      it(`${type} of ${JSON.stringify(input)}`, () => {
        const made = type === 'SanitizeACName' ? sanitizedName(input) : sanitizedIdentifier(input)
        expect(made).to.equal(output)
      })
  })
})
