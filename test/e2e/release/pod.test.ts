import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import type { Commands } from '../../support/command/tallyman.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { freePort } from '../../support/network/free-port.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** A server and a helper that share a directory of which the helper is the owner. */
function worker(greeting: string, hostPort: number) {
  const image = (name: string) => ({
    name,
    labels: [{ name: 'version', value: '1' }],
  })
  const account = { user: '0', group: '0' }
  return {
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: [
      {
        name: 'server',
        image: image('web'),
        app: {
          ...account,
          exec: ['httpd', '-f', '-p', '8080', '-h', '/work'],
          environment: [{ name: 'GREETING', value: greeting }],
          ports: [{ name: 'http', protocol: 'tcp', port: 8080 }],
          mountPoints: [{ name: 'work', path: '/work', readOnly: true }],
          isolators: [
            { name: 'resource/memory', value: { limit: '1G' } },
            { name: 'os/linux/capabilities-retain-set', value: { set: ['CAP_KILL', 'CAP_CHOWN'] } },
            { name: 'os/linux/oom-score-adj', value: 300 },
          ],
        },
        readOnlyRootFS: true,
      },
      {
        name: 'helper',
        image: image('tools'),
        app: {
          ...account,
          exec: ['sleep', '1000'],
          user: '9991',
          group: '9992',
          supplementaryGIDs: [42, 43],
          workingDirectory: '/tmp',
          isolators: [{ name: 'os/linux/no-new-privileges', value: true }],
        },
        mounts: [{ volume: 'work', path: '/mine' }],
      },
    ],
    volumes: [{ name: 'work', kind: 'empty', mode: '0753', uid: 9991, gid: 9992 }],
    isolators: [
      { name: 'resource/memory', value: { limit: '64Mi' } },
      { name: 'os/unix/sysctl', value: { 'net.ipv4.ip_unprivileged_port_start': '80' } },
    ],
    ports: [{ name: 'http', hostPort, hostIP: '127.0.0.1' }],
  }
}

describe('a pod', () => {
  async function prepared(commands: Commands = 'here'): Promise<Scene> {
    const scene = await createScene({ commands })
    await Promise.all([scene.push('sandbox', '1'), scene.push('tools', '1'), scene.push('web', '1')])
    return scene
  }

  const commit = (scene: Scene, greeting: string, hostPort: number, message: string) =>
    scene.commit({ services: [{ name: 'worker' }] }, message, {
      'applications/worker.json': JSON.stringify(worker(greeting, hostPort)),
    })

  const shell = async (scene: Scene, app: string, line: string): Promise<string> => {
    const found = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === app)
    return execIn(scene.dockerSocket, found?.id ?? '', line)
  }

  it('C1 C5 C10 C12 C21 C23 C31 C40 C50 runs its apps in one context, as the manifest says', async () => {
    await using scene = await prepared('processes')
    const { tallyman } = scene
    const hostPort = await freePort()
    await commit(scene, 'hello', hostPort, 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    expect(
      await shell(scene, 'helper', 'id -u; id -g; id -G; pwd; echo $AC_APP_NAME; echo $container'),
    ).to.equal('9991\n9992\n9992 42 43\n/tmp\nhelper\ntallyman\n')
    expect(await shell(scene, 'server', 'echo $GREETING; echo $PATH')).to.equal(
      'hello\n/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n',
    )
    expect(await shell(scene, 'helper', 'stat -c "%a %u %g" /mine; echo x > /mine/file; hostname')).to.equal(
      `753 9991 9992\n${await shell(scene, 'server', 'hostname')}`,
    )
    expect(await shell(scene, 'server', 'cat /work/file; touch /work/a /a 2>&1 | sort')).to.equal(
      'x\ntouch: /a: Read-only file system\ntouch: /work/a: Read-only file system\n',
    )
    expect(await shell(scene, 'helper', 'ps | grep -c "sleep 1000" > /dev/null && echo seen')).to.equal(
      'seen\n',
    )
    expect(await shell(scene, 'helper', 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start')).to.equal('80\n')

    const spaces = 'for one in net ipc pid; do readlink /proc/self/ns/$one; done'
    const ofServer = await shell(scene, 'server', spaces)
    expect(ofServer).to.match(/^net:\S+\nipc:\S+\npid:\S+\n$/)
    expect(await shell(scene, 'helper', spaces), 'one network, one IPC and one set of processes').to.equal(
      ofServer,
    )
    const said = 'grep -E "^(CapBnd|NoNewPrivs)" /proc/self/status; cat /proc/self/oom_score_adj'
    expect(await shell(scene, 'server', said), 'CAP_CHOWN is bit 0, and CAP_KILL bit 5').to.equal(
      'CapBnd:\t0000000000000021\nNoNewPrivs:\t0\n300\n',
    )
    expect(await shell(scene, 'helper', said), 'those that every container has').to.equal(
      'CapBnd:\t00000000a80425fb\nNoNewPrivs:\t1\n0\n',
    )

    const answer = await fetch(`http://127.0.0.1:${hostPort}/file`)
    expect(await answer.text(), 'published on the host').to.equal('x\n')

    expect(await shell(scene, 'helper', 'echo x > /tmp/left; ls /tmp')).to.equal('left\n')
    await commit(scene, 'good day', hostPort, 'Second')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'helper', 'ls /tmp'), 'a clean file system at every start').to.equal('')
    expect(await shell(scene, 'server', 'echo $GREETING')).to.equal('good day\n')
    expect(await shell(scene, 'helper', 'ls /mine'), 'an empty volume is gone with its pod').to.equal('')

    await scene.commit({
      services: [{ name: 'other', containers: [{ dockerName: 'tools', dockerTag: '1' }] }],
    })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect((await scene.containers()).map(({ labels }) => labels['tallyman.application'])).to.deep.equal([
      'other',
    ])
  })
  it('C13 runs its event handlers around the main program, in the same file system and as the same user', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    const image = { name: 'tools', labels: [{ name: 'version', value: '1' }] }
    const account = { user: '1000', group: '1000' }
    const commit = (preStart: readonly string[], message: string) =>
      scene.commit({ services: [{ name: 'worker' }] }, message, {
        'applications/worker.json': JSON.stringify({
          acVersion: '0.8.11',
          acKind: 'PodManifest',
          apps: [
            {
              name: 'main',
              image,
              app: {
                ...account,
                exec: ['sh', '-c', "trap 'echo stopped >> /work/log; exit 3' TERM; sleep 1000 & wait"],
                workingDirectory: '/tmp',
                eventHandlers: [
                  { name: 'pre-start', exec: preStart },
                  {
                    name: 'post-stop',
                    exec: ['sh', '-c', 'id -u >> /work/log; cat /tmp/before >> /work/log'],
                  },
                ],
              },
              mounts: [{ volume: 'work', path: '/work' }],
            },
            {
              name: 'witness',
              image,
              app: { ...account, exec: ['sleep', '1000'] },
              mounts: [{ volume: 'work', path: '/work' }],
            },
          ],
          volumes: [{ name: 'work', kind: 'empty', uid: 1000, gid: 1000 }],
        }),
      })
    await commit(['sh', '-c', 'echo "$0 it is" > /tmp/before', "it's"], 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'main', 'cat /tmp/before')).to.equal("it's it is\n")

    const main = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === 'main')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${main?.id}/stop?t=10`)
    expect(await shell(scene, 'witness', 'cat /work/log')).to.equal("stopped\n1000\nit's it is\n")
    const { State } = JSON.parse(
      JSON.stringify(await engineGet(scene.dockerSocket, `/containers/${main?.id}/json`)),
    )
    expect(State.ExitCode, 'that of the main program').to.equal(3)

    await commit(['sh', '-c', 'sleep 2; echo no database >&2; exit 7'], 'Second')
    const failed = await tallyman.run('apply', '--yes')
    expectCode(failed, 1)
    expect(failed.stderr, 'also later than an instance has to run to be healthy').to.match(
      /with code 7: .*no database/,
    )
    expect(await shell(scene, 'main', 'cat /tmp/before'), 'what ran before runs on').to.equal("it's it is\n")

    await commit(['sh', '-c', 'echo corrected > /tmp/before'], 'Third')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'main', 'cat /tmp/before')).to.equal('corrected\n')
  })

  it('C13 C40 lets an app and its event handlers make the system calls that it retains, and no others', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    const image = { name: 'tools', labels: [{ name: 'version', value: '1' }] }
    const commit = (set: readonly string[], message: string) =>
      scene.commit({ services: [{ name: 'worker' }] }, message, {
        'applications/worker.json': JSON.stringify({
          acVersion: '0.8.11',
          acKind: 'PodManifest',
          apps: [
            {
              name: 'main',
              image,
              app: {
                ...{ user: '0', group: '0', exec: ['sleep', '1000'] },
                eventHandlers: [
                  { name: 'pre-start', exec: ['sh', '-c', 'mkdir /made || echo $? > /refused'] },
                  { name: 'post-stop', exec: ['true'] },
                ],
                isolators: [{ name: 'os/linux/seccomp-retain-set', value: { set, errno: 'EPERM' } }],
              },
            },
          ],
        }),
      })
    await commit(['getpid', 'getponies'], 'First')
    const planned = await tallyman.run('plan', '--verbose')
    expect(planned.stdout).to.include('seccomp-retain-set modified (getponies is no system call)')
    expect(planned.stdout).to.include('seccomp profile of main:')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(
      await shell(scene, 'main', '[ -d /made ] && echo made; read -r code </refused; echo $code'),
    ).to.equal('1\n')

    await commit(['mkdir'], 'Second')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'main', '[ -d /made ] && echo made')).to.equal('made\n')

    await commit(['keyctl'], 'Third')
    const refused = await tallyman.run('apply', '--yes')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('(policy-violation)').and.to.include('"seccomp=unconfined"')
  })

  it('C5 C12 C13 stops as its image says with event handlers, too, and has its own variables and none of the image', async () => {
    await using scene = await createScene({ commands: 'here' })
    const { tallyman } = scene
    const own = { 'odd.name': "it's\ntwo lines", 'my-var': '$HOME', OURS: 'ours' }
    const env = {
      'my-var': 'of the image',
      PS1: '# ',
      VERSION: '1.0.0',
      LD_PRELOAD: '/x.so',
      HOME: '/nowhere',
    }
    await Promise.all([scene.push('sandbox', '1'), scene.push('tools', '1', { env, stopSignal: 'SIGINT' })])
    const image = { name: 'tools', labels: [{ name: 'version', value: '1' }] }
    const account = { user: '0', group: '0' }
    const line =
      "tr '\\0' ';' </proc/$$/environ >/work/env; trap 'echo int >>/work/log; exit 3' INT; sleep 1000 & wait"
    await scene.commit({ services: [{ name: 'worker' }] }, 'First', {
      'applications/worker.json': JSON.stringify({
        acVersion: '0.8.11',
        acKind: 'PodManifest',
        apps: [
          {
            name: 'main',
            image,
            app: {
              ...account,
              exec: ['sh', '-c', line],
              environment: Object.entries(own).map(([name, value]) => ({ name, value })),
              eventHandlers: [{ name: 'post-stop', exec: ['sh', '-c', 'echo post >>/work/log'] }],
            },
            mounts: [{ volume: 'work', path: '/work' }],
          },
          {
            name: 'witness',
            image,
            app: { ...account, exec: ['sleep', '1000'] },
            mounts: [{ volume: 'work', path: '/work' }],
          },
          { name: 'as-it-is', image, mounts: [{ volume: 'work', path: '/work' }] },
        ],
        volumes: [{ name: 'work', kind: 'empty' }],
      }),
    })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const variables = (await shell(scene, 'witness', 'cat /work/env')).split(';')
    expect(variables).to.include.members(Object.entries(own).map(([name, value]) => `${name}=${value}`))
    const isOfImage = (pair: string) => /^(LD_PRELOAD|PS1|VERSION)=/.test(pair)
    const seen = async (app: string) => (await shell(scene, app, 'env')).split('\n').filter(isOfImage).sort()
    expect(variables, 'the home of its user').to.include('HOME=/')
    expect(variables.filter(isOfImage)).to.deep.equal([])
    expect(await seen('witness')).to.deep.equal([])
    expect(await seen('as-it-is'), 'an app without a section of its own').to.deep.equal([
      'LD_PRELOAD=/x.so',
      'PS1=# ',
      'VERSION=1.0.0',
    ])
    const main = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === 'main')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${main?.id}/stop?t=10`)
    expect(await shell(scene, 'witness', 'cat /work/log')).to.equal('int\npost\n')
  })

  describe('of which the apps may end', () => {
    const commit = (scene: Scene, restart: string, lines: readonly string[], message: string) =>
      scene.commit({ services: [{ name: 'worker' }] }, message, {
        'applications/worker.json': JSON.stringify({
          acVersion: '0.8.11',
          acKind: 'PodManifest',
          apps: lines.map((line, n) => ({
            name: `app-${n + 1}`,
            image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
            app: { user: '0', group: '0', exec: ['sh', '-c', line] },
            mounts: [{ volume: 'work', path: '/work' }],
          })),
          volumes: [{ name: 'work', kind: 'empty' }],
          annotations: [{ name: 'tallyman/restart', value: restart }],
        }),
      })
    const runs = async (scene: Scene) =>
      (await scene.containers())
        .filter(({ labels }) => labels['tallyman.role'] === 'app')
        .map(({ id, state }) => [id, state])
        .toSorted()
    const seen = async ({ tallyman }: Scene) => {
      const daemon = await tallyman.daemon()
      const { applications } = await daemon.until('it has looked', one => one.lookedAt !== undefined)
      await daemon.stop()
      return applications.map(({ health, sync, running, reason }) => ({ health, sync, running, reason }))
    }

    it('X5 is started again on failure until it ends with 0', async () => {
      await using scene = await prepared()
      const { tallyman } = scene
      await commit(scene, 'on-failure', ['test -e /work/first && exit 0; touch /work/first; exit 1'], 'First')
      expectCode(await tallyman.run('apply', '--yes'), 0)
      // It may still be running for the second time: then it counts as healthy.
      await waitUntil('it has ended', async () =>
        (await runs(scene)).every(([, state]) => state === 'exited'),
      )
      expect((await seen(scene)).map(({ reason }) => reason)).to.deep.equal(['complete'])
    })

    it('X5 C50 is started anew as a whole when its sandbox has died', async () => {
      await using scene = await prepared()
      const { tallyman } = scene
      await commit(scene, 'never', ['date >> /work/runs', 'sleep 1000'], 'First')
      expectCode(await tallyman.run('apply', '--yes'), 0)
      const sandbox = (await scene.containers()).find(({ labels }) => labels['tallyman.role'] === 'sandbox')
      const stateOf = async () => {
        const { State } = JSON.parse(
          JSON.stringify(await engineGet(scene.dockerSocket, `/containers/${sandbox?.id}/json`)),
        )
        return State
      }
      const { Pid } = await stateOf()
      process.kill(Pid, 'SIGKILL')
      // A container that waits for its next start counts as running, too, with the process 0.
      await waitUntil('the engine has started it again', async () => {
        const now = await stateOf()
        return now.Status === 'running' && now.Pid !== Pid
      })
      expectCode(await tallyman.run('apply', '--yes'), 0)
      expect(await shell(scene, 'app-2', 'wc -l < /work/runs')).to.equal('2\n')
      expect((await seen(scene)).map(({ health }) => health)).to.deep.equal(['Healthy'])
    })
  })

  it("C4 C5 C10 C11 C30 D14 H1 runs the specification's own example, with images that declare what it needs", async () => {
    const work = await mkdtemp(join(tmpdir(), 'tallyman-pod-'))
    await chmod(work, 0o755)
    await writeFile(join(work, 'file'), 'work\n')
    await using scene = await createScene({ config: { policy: { hostMounts: [work] } } })
    const { tallyman } = scene
    const sleeps = '#!/bin/sh\nexec sleep 1000\n'
    await Promise.all([
      scene.push('sandbox', '1'),
      scene.push('reduce-worker', '1.0.0', {
        files: { '/bin/reduce-worker': sleeps },
        owners: { '/bin/reduce-worker': { uid: 4711, gid: 4712 } },
      }),
      scene.push('worker-backup', '1.0.0', { files: { '/bin/reduce-backup': sleeps } }),
      scene.push('reduce-worker-register', '1.0.0', {
        files: { '/srv/hello': 'hello\n' },
        cmd: ['httpd', '-f', '-p', '21', '-h', '/srv'],
        exposedPorts: ['21/tcp'],
      }),
    ])
    const hostPort = await freePort()
    const entries = ['reduce-worker', 'worker-backup', 'reduce-worker-register']
    const commit = (message: string, more: object = {}, before?: string) =>
      scene.commit(
        {
          services: [
            {
              name: 'worker',
              containers: entries.map(dockerName => ({ dockerName, dockerTag: '1.0.0' })),
            },
          ],
        },
        message,
        { 'applications/worker.json': JSON.stringify(exampleOf({ source: work, hostPort, more, before })) },
      )
    await commit('First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    const said = await fetch(`http://127.0.0.1:${hostPort}/hello`)
    expect(await said.text(), 'the port that only an image declares').to.equal('hello\n')
    expect(await shell(scene, 'reduce-worker', 'id -u; id -g; cat /var/lib/work/file')).to.equal(
      '4711\n4712\nwork\n',
    )

    await commit('Second', { workingDirectory: '/nowhere' })
    const refused = await tallyman.run('apply', '--yes')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('has no working directory /nowhere').and.include('image-lacking')
    expect(await shell(scene, 'reduce-worker', 'id -u'), 'what ran runs on').to.equal('4711\n')

    await commit('Third', { supplementaryGIDs: [77] }, 'id -u; exit 3')
    const stopped = await tallyman.run('apply', '--yes')
    expectCode(stopped, 1)
    expect(stopped.stderr, 'a hook runs as its app').to.match(/4711/)
    expect(await shell(scene, 'reduce-worker', 'id -G')).to.equal('4712\n')

    await commit('Fourth', { supplementaryGIDs: [77] }, 'exit 0')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'reduce-worker', 'id -G')).to.equal('4712 77\n')

    const other = { name: 'other', containers: [{ dockerName: 'sandbox', dockerTag: '1' }] }
    await scene.commit({ services: [other] }, 'Fifth')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect((await scene.containers()).map(({ labels }) => labels['tallyman.application'])).to.deep.equal([
      'other',
    ])
    await rm(work, { recursive: true })
  })
})

type Example = {
  readonly source: string
  readonly hostPort: number
  /** What else its worker has. */
  readonly more: object
  /** What a hook runs before it is replaced. */
  readonly before: string | undefined
}

/** The example of the specification, in which the worker runs as the owner of its program. */
function exampleOf({ source, hostPort, more, before }: Example) {
  const execNewPod = { containerName: 'reduce-worker', command: ['sh', '-c', before] }
  const strategy = { type: 'Recreate', recreate: { pre: { failurePolicy: 'Abort', execNewPod } } }
  const labels = [{ name: 'version', value: '1.0.0' }]
  const image = (name: string) => ({ name: `example.com/${name}`, id: `sha512-${'8d'.repeat(64)}`, labels })
  return {
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: [
      {
        name: 'reduce-worker',
        image: image('reduce-worker'),
        app: {
          exec: ['/bin/reduce-worker', '--debug=true', '--data-dir=/mnt/foo'],
          group: '/bin/reduce-worker',
          user: '/bin/reduce-worker',
          mountPoints: [{ name: 'work', path: '/var/lib/work' }],
          ...more,
        },
        readOnlyRootFS: true,
        mounts: [{ volume: 'worklib', path: '/var/lib/work' }],
      },
      {
        name: 'backup',
        image: image('worker-backup'),
        app: {
          exec: ['/bin/reduce-backup'],
          group: '0',
          user: '0',
          mountPoints: [{ name: 'backup', path: '/mnt/bar' }],
          isolators: [{ name: 'resource/memory', value: { limit: '1G' } }],
        },
        mounts: [{ volume: 'worklib', path: '/mnt/bar' }],
        annotations: [{ name: 'foo', value: 'baz' }],
      },
      { name: 'register', image: image('reduce-worker-register') },
    ],
    volumes: [{ name: 'worklib', kind: 'host', source, readOnly: true, recursive: true }],
    isolators: [{ name: 'resource/memory', value: { limit: '4G' } }],
    annotations: [
      { name: 'ip-address', value: '10.1.2.3' },
      ...(before === undefined ? [] : [{ name: 'tallyman/strategy', value: JSON.stringify(strategy) }]),
    ],
    ports: [{ name: 'ftp', hostPort }],
  }
}
