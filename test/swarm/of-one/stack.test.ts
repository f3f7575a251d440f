import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { type SwarmService, servicesOn, swarmForTests } from '../../support/engine/swarm.ts'
import { fileIn } from '../../support/files/file-in.ts'
import { needPrograms } from '../../support/suite/programs.ts'

/** What a Compose file and a specification of ours call the same. */
const both = {
  environment: { GREETING: 'hello', EMPTY: '' },
  ...{ user: '1000:1000', working_dir: '/tmp', hostname: 'web', init: true },
  ...{ stop_signal: 'SIGINT', stop_grace_period: '5s', cap_drop: ['ALL'], cap_add: ['CHOWN'] },
  ...{ sysctls: { 'net.core.somaxconn': '128' }, ulimits: { nofile: { soft: 64, hard: 128 } } },
  extra_hosts: ['db:10.0.0.9'],
  healthcheck: { test: ['CMD', 'true'], interval: '1s', timeout: '2s', retries: 2, start_period: '3s' },
  logging: { driver: 'json-file', options: { 'max-size': '1m' } },
}
const command = ['sh', '-c', 'trap "exit 0" INT; while :; do sleep 1; done']

/**
 * What a manager tells of a service, without what tells whose it is. The command line also says on which platforms the
 * image runs, where the registry tells it that; Tallyman does so only where a container asks for one. On the network of
 * the other applications, which a stack does not have, a service has no alias.
 */
function whatMatters({ Spec: { TaskTemplate, Mode, EndpointSpec } }: SwarmService): object {
  const { ContainerSpec, Networks, ForceUpdate: _, Runtime: __, ...task } = TaskTemplate
  const { Image, Labels: ___, Isolation: ____, Privileges: _____, Env = [], ...container } = ContainerSpec
  const told = {
    ...container,
    Image: Image.replace(/^.*@/, ''),
    Env: Env.toSorted(),
    ...task,
    Mode,
    EndpointSpec,
  }
  const isOwn = ['VolumeOptions', 'Platforms', 'PublishedPort', 'Source', 'ConfigID', 'ConfigName']
  const named = (Networks as readonly { readonly Aliases?: object }[]).filter(({ Aliases }) => Aliases)
  const text = JSON.stringify({ ...told, Networks: named }, (key, value) =>
    isOwn.includes(key) ? undefined : value,
  )
  return JSON.parse(text.replaceAll(/"Target":"\w{25}"/g, '"Target":"a network"'))
}

describe('a service of a Docker Swarm beside one of "docker stack deploy"', () => {
  const engine = swarmForTests()

  it('A45 G2 is told to the manager alike in all that matters', async () => {
    await needPrograms(['docker'])
    const site = {
      name: 'cluster',
      endpoint: `unix://${engine.socket}`,
      kind: 'swarm',
      endpointMode: 'dnsrr',
    }
    await using scene = await createScene({
      dockerSocket: engine.socket,
      config: { sites: [{ ...site, publishMode: 'host' }] },
    })
    const { tallyman, prefix, environment } = scene
    await scene.push('web', '1')
    const { environment: env, hostname, ...shared } = both
    using conf = fileIn('web.conf', 'one')
    const stack = `peer-${environment}`
    const compose = {
      version: '3.9',
      services: {
        web: {
          ...{ ...shared, hostname, environment: env, image: `${prefix}/web:1`, command },
          ports: [{ target: 80, published: 18_095, protocol: 'tcp', mode: 'host' }],
          volumes: ['data:/data', { type: 'tmpfs', target: '/run', tmpfs: { size: 1_048_576 } }],
          configs: [{ source: 'conf', target: '/etc/web.conf', mode: 0o444 }],
          deploy: {
            ...{ replicas: 1, endpoint_mode: 'dnsrr', restart_policy: { condition: 'any' } },
            placement: {
              constraints: ['node.labels.disk!=tape'],
              preferences: [{ spread: 'node.labels.zone' }],
            },
            resources: {
              limits: { cpus: '0.5', memory: '64m', pids: 50 },
              reservations: { memory: '8m' },
            },
          },
        },
      },
      volumes: { data: {} },
      configs: { conf: { file: conf.path } },
    }
    using file = fileIn('stack.yaml', stringify(compose))
    const docker = (...args: readonly string[]) =>
      promisify(execFile)('docker', ['--host', `unix://${engine.socket}`, 'stack', ...args])
    await docker('deploy', '--compose-file', file.path, stack)
    await using _ = { [Symbol.asyncDispose]: async () => void (await docker('rm', stack)) }
    const service = {
      ...{ name: 'web', replicas: 1 },
      network: { 'outbound-access': { 'allow-all': true } },
      placement: { 'match-host-labels': 'not disk = tape', 'spread-over': ['zone'] },
      volumes: [
        { name: 'data', 'persistent-volume': {} },
        { name: 'run', tmpfs: { size: '1m' } },
        { name: 'conf', 'config-map': { items: [{ name: 'web.conf', data: 'one' }] } },
      ],
      containers: [
        {
          ...{ ...shared, hostname, env, name: 'web', image: `${prefix}/web:1`, cmd: command },
          ...{ cpus: 0.5, mem_limit: '64m', pids_limit: 50, mem_reservation: '8m', restart: 'always' },
          ports: ['18096:80'],
          mounts: [
            { 'volume-name': 'data', 'mount-path': '/data' },
            { 'volume-name': 'run', 'mount-path': '/run' },
            { 'volume-name': 'conf', files: [{ name: 'web.conf', 'mount-path': '/etc/web.conf' }] },
          ],
        },
      ],
    }
    await scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, 'shop', {
      'applications/shop.yaml': stringify({ name: 'shop', version: '1', services: [service] }),
    })
    expectCode(await tallyman.run('apply'), 0)
    const all = await servicesOn(engine.socket)
    const find = (name: string) => {
      const found = all.find(({ Spec }) => Spec.Name === name)
      if (found === undefined) throw new Error(`there is no ${name}`)
      return found
    }
    expect(whatMatters(find(`${environment}_shop_web`))).to.deep.equal(whatMatters(find(`${stack}_web`)))
  })
})
