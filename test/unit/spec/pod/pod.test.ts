import { expect } from 'chai'
import { optional } from '../../../../lib/object.ts'
import { checkSteps } from '../../../../lib/plan/compare/prepare.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { containerIdentity } from '../../../../lib/state/application/fingerprint.ts'
import { app, builtPod, digest, pod } from './built-pod.ts'

const archive = `sha512-${'8d'.repeat(64)}`
const labels = [{ name: 'version', value: '1.0.0' }]

describe('a pod manifest', () => {
  it('C50 becomes one instance whose sandbox holds what the apps share', () => {
    const { application, instance, problems } = builtPod(pod({ apps: [app(), app({ name: 'helper' })] }))
    expect(problems).to.deep.equal([])
    expect(application?.services.map(({ name, instances }) => [name, instances.length])).to.deep.equal([
      ['worker', 1],
    ])
    expect(instance?.sandbox?.image.reference).to.equal('docker.io/library/busybox:stable')
    expect(instance?.sharesProcesses).to.equal(true)
    expect(instance?.containers.map(({ name }) => name)).to.deep.equal(['main', 'helper'])
    expect(instance?.network).to.deep.equal({ name: 'prod' })
  })

  it('C10 C12 runs the command as it is written, as user and group, with the variables of the specification', () => {
    const { apps } = builtPod(
      pod({
        apps: [
          app(
            { readOnlyRootFS: true },
            {
              exec: ['/bin/main', '$HOME', 'a b'],
              user: 'www-data',
              group: '33',
              supplementaryGIDs: [7, 5, 7],
              workingDirectory: '/srv',
              environment: [
                { name: 'AC_APP_NAME', value: 'mine' },
                { name: 'LINE', value: 'a${b}\n' },
              ],
            },
          ),
        ],
      }),
    )
    expect(apps[0]).to.deep.include({
      entrypoint: ['/bin/main'],
      command: ['$HOME', 'a b'],
      user: 'www-data:33',
      groupAdd: ['5', '7'],
      workingDir: '/srv',
      readOnly: true,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        AC_APP_NAME: 'main',
        container: 'tallyman',
        LINE: 'a${b}\n',
      },
    })
  })

  describe('C10 C11 what an image has to have for an app', () => {
    const stepsOf = (itself: object, more: object = {}) => {
      const { instance, problems } = builtPod(pod({ apps: [app({}, itself)], ...more }))
      expect(problems).to.deep.equal([])
      return checkSteps(instance?.containers ?? [], [], 'worker/worker')
    }
    /** Nobody follows a relative path. */
    const checksOf = (itself: object, more: object = {}) =>
      stepsOf({ exec: ['./main'], ...itself }, more).map(step =>
        step.do === 'check-image' ? [step.user, step.directory] : [],
      )
    const programOf = (itself: object, more: object = {}) =>
      stepsOf(itself, more).flatMap(step => (step.do === 'check-image' ? [step.program] : []))

    it('is an account that is named, or a path whose owner is meant', () => {
      expect(checksOf({ user: 'www', group: '33' })).to.deep.equal([['www:33', undefined]])
      expect(checksOf({ user: '/srv/data/', group: '/etc/group' })).to.deep.equal([
        ['/srv/data:/etc/group', undefined],
      ])
      expect(checksOf({ user: '7', group: '7' }), 'a number needs nothing').to.deep.equal([])
    })

    it('is the working directory, unless something is mounted there', () => {
      const mountPoints = [{ name: 'work', path: '/work' }]
      const volumes = [{ name: 'work', kind: 'empty' }]
      expect(checksOf({ workingDirectory: '/srv' })).to.deep.equal([[undefined, '/srv']])
      expect(checksOf({ workingDirectory: '/' })).to.deep.equal([])
      expect(checksOf({ workingDirectory: '/work/in', mountPoints }, { volumes })).to.deep.equal([])
      expect(checksOf({ workingDirectory: '/workshop', mountPoints }, { volumes })).to.deep.equal([
        [undefined, '/workshop'],
      ])
    })

    it('is its program, as it is named or where programs are looked for', () => {
      const environment = [{ name: 'PATH', value: '/opt/bin:/bin/' }]
      expect(programOf({ exec: ['/bin//main', '-v'] })).to.deep.equal([
        { name: '/bin//main', paths: ['/bin/main'], mounted: [] },
      ])
      expect(programOf({ exec: ['main'], environment })).to.deep.equal([
        { name: 'main', paths: ['/opt/bin/main', '/bin/main'], mounted: [] },
      ])
      expect(programOf({ exec: ['main'] }).flatMap(program => program?.paths ?? [])).to.deep.equal(
        ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].map(
          directory => `${directory}/main`,
        ),
      )
    })

    it('is its program, with all that is mounted, because links may lead there', () => {
      const volumes = [{ name: 'work', kind: 'empty' }]
      const mountPoints = [{ name: 'work', path: '/work' }]
      expect(programOf({ mountPoints }, { volumes })).to.deep.equal([
        { name: '/bin/main', paths: ['/bin/main'], mounted: ['/work'] },
      ])
    })

    const unknown: Readonly<Record<string, object>> = {
      'it is within a mount': { exec: ['/work/bin/main'] },
      'it is what is mounted': { exec: ['/work'] },
      'it may be found in a mount': { exec: ['main'], environment: [{ name: 'PATH', value: '/bin:/work' }] },
      'it may be found in the working directory': {
        exec: ['main'],
        environment: [{ name: 'PATH', value: '/bin:' }],
      },
      'its path is relative': { exec: ['bin/main'] },
      'its path leads up': { exec: ['/bin/../main'] },
      'a handler may make it before': { eventHandlers: [{ name: 'pre-start', exec: ['make'] }] },
      'it may be in too many places': {
        exec: ['main'],
        environment: [{ name: 'PATH', value: Array.from({ length: 33 }, (_, n) => `/p${n}`).join(':') }],
      },
      'it is that of the image': { exec: undefined },
    }
    for (const [why, itself] of Object.entries(unknown))
      it(`is not its program if ${why}`, () => {
        const volumes = [{ name: 'work', kind: 'empty' }]
        const mountPoints = [{ name: 'work', path: '/work' }]
        expect(programOf({ mountPoints, ...itself }, { volumes })).to.deep.equal([])
      })

    it('is no program of its app for a hook, which runs another one', () => {
      const strategy = {
        type: 'Recreate',
        recreate: {
          pre: { failurePolicy: 'Abort', execNewPod: { containerName: 'main', command: ['other'] } },
        },
      }
      const annotations = [{ name: 'tallyman/strategy', value: JSON.stringify(strategy) }]
      const { application } = builtPod(pod({ apps: [app({}, { user: 'www' })], annotations }))
      const [job] = application?.services[0]?.jobs ?? []
      expect(job?.container.needs).to.deep.equal({ account: true })
    })

    it('is part of no fingerprint, because nothing of it is set on the engine', () => {
      const { apps } = builtPod(pod({ apps: [app({}, { user: 'www', exec: ['./main'] })] }))
      const [{ needs, ...same } = { needs: undefined }] = apps
      expect(needs).to.deep.equal({ account: true })
      expect(apps[0] && containerIdentity(apps[0])).to.deep.equal(containerIdentity(same as Container))
    })

    it('is no path with a colon, which stands between the user and the group', () => {
      const { problems } = builtPod(pod({ apps: [app({}, { user: '/a:b' })] }), { containers: [] })
      expect(problems).to.deep.equal([
        '/apps/0/app/user is a path with a colon, which no engine is asked for (pod-unrunnable)',
      ])
    })
  })

  it('C5 leaves everything to the image if the manifest does not say how the app runs', () => {
    const { apps } = builtPod(pod({ apps: [app({ app: undefined })] }))
    expect(apps[0]).to.not.have.any.keys('entrypoint', 'command', 'user', 'workingDir')
  })

  it('C50 refuses an app that has the name of another, of the sandbox, or of what tallyman puts away', () => {
    const { problems } = builtPod(pod({ apps: [app(), app(), app({ name: 'sandbox' })] }))
    expect(problems).to.deep.equal([
      '/apps/1/name is "main" a second time (pod-invalid)',
      '/apps/2/name is "sandbox", which names what the apps of a pod share (pod-invalid)',
    ])
  })

  describe('C4 X10 D14 the image of an app', () => {
    const imageOf = (image: object, surroundings: Parameters<typeof builtPod>[1] = { containers: [] }) => {
      const { apps, problems, warnings } = builtPod(pod({ apps: [app({ image })] }), surroundings)
      const [{ image: made } = { image: undefined }] = apps
      return {
        runs:
          made && `${made.reference}${made.expectedDigest === undefined ? '' : `@${made.expectedDigest}`}`,
        problems,
        warnings,
      }
    }

    it('is the name with the version and the digest that has to fit', () => {
      const image = { name: 'reg.example.com/team/web', labels, id: digest.replace(':', '-') }
      expect(imageOf(image)).to.deep.equal({
        runs: `reg.example.com/team/web:1.0.0@${digest}`,
        problems: [],
        warnings: [],
      })
    })

    it('has the prefix of the registry if its name names none', () => {
      expect(
        imageOf({ name: 'team/web', labels }, { registry: 'reg.example.com', containers: [] }).runs,
      ).to.equal('reg.example.com/team/web:1.0.0')
    })

    it('stands in the place of an archive, with a warning', () => {
      expect(imageOf({ name: 'reg.example.com/team/web', labels, id: archive })).to.deep.equal({
        runs: 'reg.example.com/team/web:1.0.0',
        problems: [],
        warnings: [
          '/apps/0/image/id names an archive, which no registry knows; reg.example.com/team/web:1.0.0 runs in its place (pod-changed)',
        ],
      })
    })

    for (const [how, dockerName, runs] of [
      ['the same name', 'example.com/team/web', 'example.com/team/web:2'],
      ['a registry of its own', 'reg.example.com/mirror/web', 'reg.example.com/mirror/web:2'],
      ['the last part of its path', 'web', 'own.example.com/team/web:2'],
      ['its whole path', 'team/web', 'own.example.com/team/web:2'],
      ['another name, because there is no other image', 'other/thing', 'own.example.com/other/thing:2'],
      ['no name at all, because there is no other image', undefined, 'own.example.com/team/web:2'],
    ] as const)
      it(`is what the manifest pins by ${how}`, () => {
        const containers = [{ ...optional('dockerName', dockerName), dockerTag: '2' }]
        const image = { name: 'example.com/team/web', id: archive }
        expect(imageOf(image, { registry: 'own.example.com', containers })).to.deep.include({
          runs,
          problems: [],
        })
      })

    it('E24 is of the registry of its name only where neither the manifest nor the configuration names one', () => {
      const containers = [{ dockerName: 'web', dockerTag: '2' }]
      const runs = (name: string, registry?: string) =>
        imageOf({ name, id: archive }, { containers, ...optional('registry', registry) }).runs
      expect(runs('team/web', '127.0.0.1:5000')).to.equal('127.0.0.1:5000/team/web:2')
      expect(runs('example.com/team/web')).to.equal('example.com/team/web:2')
      expect(runs('team/web')).to.equal('docker.io/team/web:2')
    })

    it('is not what has the same last part in another directory', () => {
      const image = (name: string) => ({ name: `team/${name}`, id: archive })
      const { problems } = builtPod(
        pod({ apps: [app({ image: image('web') }), app({ name: 'two', image: image('log') })] }),
        { containers: [{ dockerName: 'mirror/web', dockerTag: '1' }] },
      )
      expect(problems.filter(one => one.includes('container-unmatched'))).to.deep.equal([
        'environments/prod/manifest.json:3:5: worker: "mirror/web" is no image of applications/worker.json (team/web, team/log) (container-unmatched)',
      ])
    })

    it('is refused where nothing leads to it', () => {
      expect(imageOf({ name: 'reg.example.com/team/web', id: archive }).problems).to.deep.equal([
        '/apps/0/image leads to no image of a registry; give it a "name" and the label "version", or pin it in the manifest: {"dockerName": …, "dockerTag": …} (pod-unrunnable)',
      ])
    })

    it('is refused if the manifest pins another digest than its id', () => {
      const containers = [{ dockerName: 'web', dockerTag: '1', dockerDigest: `sha256:${'00'.repeat(32)}` }]
      const image = { name: 'reg.example.com/team/web', id: digest.replace(':', '-') }
      expect(imageOf(image, { containers }).problems).to.deep.equal([
        `/apps/0/image/id is ${digest}, and the manifest pins sha256:${'00'.repeat(32)} (digest-mismatch)`,
      ])
    })

    it('is not guessed if a name of the manifest is the end of several', () => {
      const image = (name: string) => ({ name: `reg.example.com/${name}/web`, id: archive })
      const { problems } = builtPod(
        pod({ apps: [app({ image: image('a') }), app({ name: 'two', image: image('b') })] }),
        { containers: [{ dockerName: 'web', dockerTag: '1' }] },
      )
      expect(problems.filter(one => one.includes('container-unmatched'))).to.deep.equal([
        'environments/prod/manifest.json:3:5: worker: "web" is the end of several images of applications/worker.json (reg.example.com/a/web, reg.example.com/b/web) (container-unmatched)',
      ])
    })
  })

  describe('C20 C21 C22 C24 D12 mounts', () => {
    it('gives an empty volume the permissions and the owner that the manifest says', () => {
      const { apps, instance } = builtPod(
        pod({
          apps: [app({ mounts: [{ volume: 'work', path: '/work' }] })],
          volumes: [{ name: 'work', kind: 'empty', mode: '0123', uid: 9991, gid: 9992 }],
        }),
      )
      expect(apps[0]?.mounts).to.deep.equal([{ kind: 'ephemeral', path: '/work', name: 'work' }])
      expect(instance?.sandbox?.mounts).to.deep.equal([
        {
          kind: 'ephemeral',
          path: '/volumes/work',
          name: 'work',
          root: { mode: 0o123, uid: 9991, gid: 9992 },
        },
      ])
      expect(instance?.sandbox?.readOnly, 'or nothing could be given an owner').to.equal(false)
    })

    it('gives a mount point without a volume an empty one of its app alone, with a warning', () => {
      const { apps, warnings } = builtPod(
        pod({ apps: [app({}, { mountPoints: [{ name: 'data', path: '/data' }] })] }),
      )
      expect(apps[0]?.mounts).to.deep.equal([{ kind: 'ephemeral', path: '/data', name: 'main.data' }])
      expect(warnings).to.deep.equal([
        '/apps/0/app/mountPoints/0 "data" has no volume in the pod, so it gets an empty one of its own (pod-changed)',
      ])
    })

    it('leaves out what is mounted below a directory of the host only if the volume is not recursive', () => {
      const { apps } = builtPod(
        pod({
          apps: [app({ mounts: [{ volume: 'opt', path: '/opt' }] })],
          volumes: [{ name: 'opt', kind: 'host', source: '/opt/', recursive: false, readOnly: true }],
        }),
        { policy: { hostMounts: ['/opt'] } },
      )
      expect(apps[0]?.mounts).to.deep.equal([
        { kind: 'host', source: '/opt', path: '/opt', readOnly: true, recursive: false, within: '/opt' },
      ])
    })

    it('G23 refuses a directory of the host that the operator does not allow', () => {
      const { problems } = builtPod(
        pod({
          apps: [app({ mounts: [{ volume: 'etc', path: '/conf' }] })],
          volumes: [{ name: 'etc', kind: 'host', source: '/etc' }],
        }),
      )
      expect(problems).to.deep.equal([
        '/volumes/0/source mounts /etc of the host; the operator allows that by "policy: {hostMounts: [/etc]}" in tallyman.yaml (policy-violation)',
      ])
    })

    it('G23 names the directory of a single mount where that is written', () => {
      const appVolume = { name: 'own', kind: 'host', source: '/srv' }
      const { problems } = builtPod(
        pod({ apps: [app({ mounts: [{ volume: 'own', path: '/srv', appVolume }] })] }),
      )
      expect(problems.map(one => one.split(';')[0])).to.deep.equal([
        '/apps/0/mounts/0/appVolume/source mounts /srv of the host',
      ])
    })

    it('refuses what lies within another mount, at the same path, or where the engine puts its own', () => {
      const mounts = ['/work', '/work/', '/work/deep', '/proc/x', '../up'].map(path => ({
        volume: 'v',
        path,
      }))
      const { problems } = builtPod(pod({ apps: [app({ mounts })], volumes: [{ name: 'v', kind: 'empty' }] }))
      expect(problems).to.deep.equal([
        '/apps/0/mounts/1/path mounts a second thing at /work (pod-invalid)',
        '/apps/0/mounts/2/path is within /work, where something else is mounted (pod-invalid)',
        '/apps/0/mounts/3/path is /proc/x, where the kernel shows what is its own (pod-invalid)',
        '/apps/0/mounts/4/path "../up" is no absolute path (pod-invalid)',
      ])
    })
  })

  describe('C40 C41 C42 isolators', () => {
    const memory = (value: object) => ({ name: 'resource/memory', value })

    it('bound each app by what its pod may use, and by the lowest of several limits', () => {
      const { apps } = builtPod(
        pod({
          apps: [
            app({}, { isolators: [memory({ limit: '1G', request: '32Mi' }), memory({ limit: '2G' })] }),
            app({ name: 'small' }, { isolators: [memory({ limit: '16Mi' })] }),
            app({ name: 'open' }, { isolators: [{ name: 'resource/cpu', value: { limit: '1500m' } }] }),
          ],
          isolators: [memory({ limit: '64Mi' }), { name: 'resource/cpu', value: { limit: '2' } }],
        }),
      )
      expect(
        apps.map(({ memoryBytes, memoryReservationBytes, nanoCpus }) => ({
          memoryBytes,
          memoryReservationBytes,
          nanoCpus,
        })),
      ).to.deep.equal([
        { memoryBytes: 67_108_864, memoryReservationBytes: 33_554_432, nanoCpus: 2_000_000_000 },
        { memoryBytes: 16_777_216, memoryReservationBytes: undefined, nanoCpus: 2_000_000_000 },
        { memoryBytes: 67_108_864, memoryReservationBytes: undefined, nanoCpus: 1_500_000_000 },
      ])
    })

    it('refuse apps that together request more than their pod may use', () => {
      const isolators = [memory({ request: '40Mi' })]
      const { problems } = builtPod(
        pod({
          apps: [app({}, { isolators }), app({ name: 'two' }, { isolators })],
          isolators: [memory({ limit: '64Mi' })],
        }),
        { containers: [] },
      )
      expect(problems).to.deep.equal([
        '/isolators bound the pod to 64Mi of memory, and its apps request 80Mi together (pod-unrunnable)',
      ])
    })

    it('refuse less of a CPU than the engine takes, whether an app or its pod says so', () => {
      const cpu = (limit: string) => ({ isolators: [{ name: 'resource/cpu', value: { limit } }] })
      const problemsOf = (ofApp: string, ofPod: string) =>
        builtPod(pod({ apps: [app({}, cpu(ofApp))], ...cpu(ofPod) }), { containers: [] }).problems
      expect(problemsOf('10m', '10m')).to.deep.equal([])
      for (const [ofApp, ofPod, place] of [
        ['9m', '1', '/apps/0/app/isolators'],
        ['1', '9m', '/isolators'],
      ] as const)
        expect(problemsOf(ofApp, ofPod)).to.deep.equal([
          `${place} may use 9m CPUs, and 10m is the least that the engine takes (pod-unrunnable)`,
        ])
      expect(problemsOf('-1', '1')).to.deep.equal([
        '/apps/0/app/isolators may use -1 CPUs, which is less than none (pod-unrunnable)',
      ])
      expect(problemsOf('1001', '2k')).to.deep.equal([
        '/apps/0/app/isolators may use 1001 CPUs, and the engine takes at most 1000 (pod-unrunnable)',
      ])
    })

    it('G24 are exact for numbers of any length, and refuse what no engine takes', () => {
      const problemsOf = (ofApp: object, ofPod?: object) =>
        builtPod(
          pod({
            apps: [app({}, { isolators: [memory(ofApp)] })],
            ...(ofPod === undefined ? {} : { isolators: [memory(ofPod)] }),
          }),
          { containers: [] },
        ).problems
      const tooMuch = 'may use 8Pi of memory or more, which no engine takes (pod-unrunnable)'
      for (const limit of ['8Pi', '8E', '99999999999999999999999G', '1E9999999', `1E+${'9'.repeat(30)}`])
        expect(problemsOf({ limit }), limit).to.deep.equal([`/apps/0/app/isolators ${tooMuch}`])
      expect(problemsOf({ limit: '8Pi' }, { limit: '9Pi' })).to.deep.equal([
        `/apps/0/app/isolators ${tooMuch}`,
      ])
      expect(problemsOf({ request: '1G' }, { limit: '9Pi' })).to.deep.equal([`/isolators ${tooMuch}`])
      expect(problemsOf({ limit: '7Pi', request: '0' })).to.deep.equal([])
      expect(problemsOf({ request: '8E' })).to.deep.equal([
        '/apps/0/app/isolators requests 8Pi of memory or more, which no engine takes (pod-unrunnable)',
      ])
      expect(problemsOf({ request: '1Mi' })).to.deep.equal([
        '/apps/0/app/isolators requests 1Mi of memory, and 6Mi is the least that the engine takes (pod-unrunnable)',
      ])
    })

    it('C40 say that a share of CPUs is another one than was requested', () => {
      const shareOf = (request: string) => {
        const isolators = [{ name: 'resource/cpu', value: { request } }]
        const { apps, instance } = builtPod(pod({ apps: [app({}, { isolators })] }))
        return [apps[0]?.cpuShares, ...(instance?.pod?.isolators ?? []).map(one => one.reason ?? one.outcome)]
      }
      expect(shareOf('256')).to.deep.equal([262_144, 'enforced'])
      expect(shareOf('100000')).to.deep.equal([262_144, 'the largest share is that of 256 CPUs'])
      expect(shareOf('2m')).to.deep.equal([2, 'enforced'])
      expect(shareOf('1m')).to.deep.equal([2, 'the smallest share is that of 2m CPUs'])
    })

    it('that nothing is done about are told, with the reason', () => {
      const { warnings } = builtPod(
        pod({
          apps: [
            app(
              {},
              {
                isolators: [
                  { name: 'example.com/ponies', value: 1 },
                  { name: 'os/unix/sysctl', value: { 'net.core.somaxconn': '9' } },
                  { name: 'os/linux/capabilities-retain-set', value: { set: ['CAP_PONIES'] } },
                ],
              },
            ),
          ],
          isolators: [
            { name: 'resource/network-bandwidth', value: { default: true, limit: '1G' } },
            { name: 'os/linux/no-new-privileges', value: true },
          ],
        }),
      )
      expect(warnings).to.deep.equal([
        '/apps/0/app/isolators/0 example.com/ponies is ignored: it is not known (pod-changed)',
        '/apps/0/app/isolators/1 os/unix/sysctl is ignored: it is for the pod (pod-changed)',
        '/apps/0/app/isolators/2/value/set/0 "CAP_PONIES" is no capability, and is left out (pod-changed)',
        '/isolators/0 resource/network-bandwidth is ignored: Docker does not limit what goes over networks (pod-changed)',
        '/isolators/1 os/linux/no-new-privileges is ignored: it is for an app (pod-changed)',
      ])
    })

    it('C53 says where nobody answers its apps, which is an error where the operator is strict', () => {
      const words =
        'gives its apps no AC_METADATA_URL: tallyman.yaml does not say "metadata: {image: …}", which names the image of tallyman'
      expect(builtPod(pod(), { containers: [], metadata: 'off' }).warnings).to.deep.equal([
        `${words} (pod-changed)`,
      ])
      expect(builtPod(pod(), { containers: [], metadata: 'off', strict: true }).problems).to.deep.equal([
        `${words} (pod-strict)`,
      ])
    })

    it('D12 D14 C40 what is forgiven with a warning is an error where the operator is strict', () => {
      const isolators = [{ name: 'example.com/ponies', value: 1 }]
      const mountPoints = [{ name: 'data', path: '/data' }]
      const manifest = pod({
        apps: [
          app(
            { image: { name: 'reg.example.com/web', labels, id: archive } },
            { exec: undefined, isolators, mountPoints },
          ),
        ],
      })
      const forgiven = builtPod(manifest, { containers: [] })
      const strictly = builtPod(manifest, { containers: [], strict: true })
      expect(forgiven.problems).to.deep.equal([])
      expect(forgiven.warnings).to.have.length(4)
      expect(strictly.warnings).to.deep.equal([])
      expect(strictly.problems).to.deep.equal(
        forgiven.warnings.map(warning => warning.replace('(pod-changed)', '(pod-strict)')),
      )
    })

    it('G23 with power over the host are for the operator to allow', () => {
      const isolators = [
        { name: 'os/linux/capabilities-retain-set', value: { set: ['CAP_SYS_ADMIN', 'CAP_CHOWN'] } },
        { name: 'os/linux/oom-score-adj', value: -500 },
      ]
      const manifest = pod({
        apps: [app({}, { isolators })],
        isolators: [{ name: 'os/unix/sysctl', value: { 'kernel.panic': '1' } }],
      })
      expect(builtPod(manifest).problems.map(one => one.split(';')[0])).to.deep.equal([
        '/apps/0/app/isolators makes the kernel kill others first when memory is short',
        '/apps/0/app/isolators adds the capability SYS_ADMIN',
        "/isolators sets the host's kernel.panic, for which engines need another runtime than runc",
      ])
    })
  })

  it('G23 names the profile of a pod where that is written, and that of an app', () => {
    const isolators = [{ name: 'os/linux/apparmor-profile', value: { profile: 'mine' } }]
    const placesOf = (manifest: object) => builtPod(manifest).problems.map(one => one.split(' ')[0])
    expect(placesOf(pod({ isolators }))).to.deep.equal(['/isolators'])
    expect(placesOf(pod({ isolators, apps: [app({}, { isolators })] }))).to.deep.equal([
      '/apps/0/app/isolators',
    ])
  })

  it('C4 C10 names what is wrong with a version or a user where it is written', () => {
    const image = { name: 'reg.example.com/web', labels: [{ name: 'version', value: '1/../../x' }] }
    expect(
      builtPod(pod({ apps: [app({ image }, { user: '0:0' })] }), { containers: [] }).problems,
    ).to.deep.equal([
      '/apps/0/image/labels/0/value "1/../../x" is no tag, which is 1 to 128 letters, digits, "_", "." or "-" (pod-unrunnable)',
      '/apps/0/app/user "0:0" is no user without a group; write for example 1000 (pod-invalid)',
    ])
  })

  it('C12 refuses variables that Tallyman sets itself, because theirs would not be what runs', () => {
    const names = ['AC_APP_NAME', 'container', 'AC_METADATA_URL', 'PATH', 'AC_OTHER']
    const environment = names.map(name => ({ name, value: 'evil' }))
    expect(builtPod(pod({ apps: [app({}, { environment })] })).problems).to.deep.equal(
      names
        .slice(0, 3)
        .map(
          (name, index) =>
            `/apps/0/app/environment/${index}/name is "${name}", which Tallyman sets itself; leave it out (pod-invalid)`,
        ),
    )
  })

  it('C31 publishes only the ports that the pod lists, a range one by one, and refuses what clashes', () => {
    const ports = [{ name: 'http', protocol: 'tcp', port: 80, count: 2 }]
    const { instance, problems } = builtPod(
      pod({
        apps: [app({}, { ports: [...ports, { name: 'admin', protocol: 'tcp', port: 9000 }] })],
        ports: [
          { name: 'http', hostPort: 8080 },
          { name: 'admin', hostPort: 8081 },
        ],
      }),
      { containers: [] },
    )
    expect(instance?.sandbox?.ports).to.deep.equal([
      { target: 80, published: 8080, protocol: 'tcp' },
      { target: 81, published: 8081, protocol: 'tcp' },
      { target: 9000, published: 8081, protocol: 'tcp' },
    ])
    expect(problems).to.deep.equal(['/ports/1 claims host port 8081 a second time (pod-invalid)'])
  })

  it('C1 says what the schema refuses and what the grammar of values does at the same time', () => {
    const { problems } = builtPod(`{
      "acVersion": "9.0.0", "acKind": "PodManifest",
      "apps": [{"name": "a", "image": {"id": "md5-00"}}],
      "annotations": [{"name": "x"}]
    }`)
    expect(problems).to.deep.equal([
      '/annotations/0/value is required (pod-invalid)',
      '/acVersion is 9.0.0, and 0.8.11 is the last version that is known (pod-invalid)',
      '/apps/0/image/id "md5-00" is no image id; write sha256- and the 64 hex digits of the digest, or sha512- and those of an archive (pod-invalid)',
    ])
  })
})
