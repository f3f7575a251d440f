import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'

const specification = `name: words
services:
  - name: web
    variables: [{name: TAG, value: "1"}]
    network: {aliases: [cache, db.internal]}
    containers:
      - name: web
        image: words:\${TAG}
        user: app
        group_add: [video, 4242]
        tty: true
        stdin_open: true
        labels: {auth: "ada:$$apr1$$x", tag: "\${TAG}", flag: }
        mem_limit: 64m
        mem_reservation: 32m
        memswap_limit: 128m
        cpuset: 0
        cpu_shares: 512
        oom_score_adj: 500
        dns_search: [a.example, b.example]
        dns_opt: ["ndots:2"]
        tmpfs: /scratch:size=1m,mode=0750,uid=1000,gid=4242,exec
        logging: {options: {max-size: 1m}}
        healthcheck:
          test: test "$$(id -un)" = app && test "$\${HOME}" != ""
          interval: 1s
          start_period: 30s
          start_interval: 500ms
        mounts:
          - {volume-name: conf, mount-path: /conf, mode: 0640, gid: 4242}
    volumes:
      - {name: conf, config-map: {items: [{name: a.conf, data: "$$ \${X}"}]}}
`

/** What a container sees of itself. */
const looks = `id -G; stat -c '%a %u:%g %n' /scratch /conf/a.conf; cat /conf/a.conf; echo
printf '#!/bin/sh\\necho runs\\n' > /scratch/run; chmod +x /scratch/run; /scratch/run
cat /proc/1/oom_score_adj; grep Cpus_allowed_list /proc/1/status
grep -E '^(search|options)' /etc/resolv.conf; readlink /proc/1/fd/1
nslookup -type=a cache 127.0.0.11 | grep -c Address; nslookup -type=a db.internal 127.0.0.11 | grep -c Address`

const MiB = 2 ** 20

describe('words of Compose on a real engine', () => {
  it('G2 A46 G15 gives a container all of them at once, and then has nothing to do', async () => {
    await using scene = await createScene()
    await scene.push('words', '1', { files: { '/etc/group': 'app:x:1000:\nvideo:x:44:\n' } })
    const more = { 'applications/words.yaml': specification }
    await scene.commit({ services: [service('words', '1')] }, 'words', more)
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 0)
    const [only] = await scene.containers()
    const id = only?.id ?? ''
    const { SwapLimit, ServerVersion } = Object(await engineGet(scene.dockerSocket, '/info'))
    const isOld = Number.parseInt(ServerVersion, 10) < 25
    expect(/start_interval has no effect/.test(applied.stdout + applied.stderr)).to.equal(isOld)

    const { Config, HostConfig } = Object(await engineGet(scene.dockerSocket, `/containers/${id}/json`))
    expect(Config).to.include({ User: 'app', Tty: true, OpenStdin: true })
    expect(Config.Labels).to.include({ auth: 'ada:$apr1$x', tag: '1', flag: '' })
    expect(Config.Healthcheck.Test).to.deep.equal([
      'CMD-SHELL',
      'test "$(id -un)" = app && test "${HOME}" != ""',
    ])
    expect(HostConfig).to.deep.include({
      GroupAdd: ['4242', 'video'],
      Memory: 64 * MiB,
      MemoryReservation: 32 * MiB,
      MemorySwap: SwapLimit ? 128 * MiB : -1,
      CpusetCpus: '0',
      CpuShares: 512,
      OomScoreAdj: 500,
      DnsSearch: ['a.example', 'b.example'],
      DnsOptions: ['ndots:2'],
      Tmpfs: { '/scratch': 'size=1048576,mode=750,uid=1000,gid=4242,exec' },
    })
    expect(HostConfig.LogConfig.Config).to.include({ 'max-size': '1m' })

    expect((await execIn(scene.dockerSocket, id, looks)).trim().split('\n')).to.deep.equal([
      '1000 44 4242',
      '750 1000:4242 /scratch',
      '640 1000:4242 /conf/a.conf',
      '$$ ${X}',
      'runs',
      '500',
      'Cpus_allowed_list:\t0',
      'search a.example b.example',
      'options ndots:2',
      '/dev/pts/0',
      '2',
      '2',
    ])

    const planned = await scene.tallyman.run('plan', '--detailed-exitcode')
    expectCode(planned, 0)
    expect(planned.stdout).to.match(/^No changes\./m)
  })
})
