import { expect } from 'chai'
import { mapMembers } from '../../../../../lib/state/application/members.ts'
import { reifiedPod } from '../../../../../lib/state/application/pod/reified-pod.ts'
import { app, builtPod, digest, pod } from '../built-pod.ts'
import { shown } from './outcome.ts'

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
