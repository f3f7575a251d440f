import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseYaml } from '../../../../lib/document/yaml.ts'
import { formatProblem } from '../../../../lib/errors.ts'
import { checkSchema } from '../../../../lib/schema.ts'
import type { Job } from '../../../../lib/state/application/application.ts'
import { built, service } from '../built.ts'
import { exampleProblems } from '../example.ts'

/** What a service `web` with a container `web` makes of its strategy. */
function jobs(strategy: string, lines = '', more = ''): readonly Job[] | readonly string[] {
  const { service: first, problems } = service(lines, `${more}strategy: ${strategy}`)
  return problems.length > 0 ? problems.map(withoutPlace) : (first?.jobs ?? [])
}

/** The one job of such a service; fails the test when there is none, or a problem. */
function job(strategy: string, lines = '', more = ''): Job {
  const { service: first, problems } = service(lines, `${more}strategy: ${strategy}`)
  expect(problems).to.deep.equal([])
  const [only] = first?.jobs ?? []
  if (only === undefined) throw new Error('the service has no job')
  return only
}

function withoutPlace(problem: string): string {
  return problem.replace(/^\S+ /, '').replace(' (application-invalid)', '')
}

const pre = (exec: string) => `{type: RollingUpdate, rollingUpdate: {pre: {execNewPod: ${exec}}}}`

describe('lifecycle hooks', () => {
  const allowed = JSON.parse(
    readFileSync(
      new URL('../../../../fixtures/conformance/openshift-hooks/k8s-proposal-rules.json', import.meta.url),
      'utf8',
    ),
  ).allowedPolicies as readonly { strategy: string; stage: string; allowed: readonly string[] }[]

  for (const { strategy, stage, allowed: policies } of allowed)
    for (const policy of ['Retry', 'Abort', 'Ignore']) {
      const isAllowed = policies.includes(policy)
      it(`H1 H3 ${isAllowed ? 'accepts' : 'refuses'} ${policy} of ${stage} under ${strategy}`, () => {
        const block = strategy === 'Recreate' ? 'recreate' : 'rollingUpdate'
        const made = jobs(
          `{type: ${strategy}, ${block}: {${stage}: {failurePolicy: ${policy}, execNewPod: {command: [x], containerName: web}}}}`,
        )
        if (isAllowed) expect(made).to.have.nested.property('[0].onFailure', policy.toLowerCase())
        else
          expect(made)
            .to.have.length(1)
            .and.to.match(/^\/services\/0\/strategy\/rollingUpdate\//)
      })
    }

  it('H2 H25 retries for ten minutes where nobody says otherwise', () => {
    expect(job(pre('{command: [migrate], containerName: web}'))).to.deep.include({
      stage: 'pre',
      onFailure: 'retry',
      timeoutMs: 600_000,
    })
  })

  it("H4 ends a hook with its own timeoutSeconds, else with the strategy's", () => {
    const timeout = (own: string) =>
      job(
        `{type: Recreate, recreate: {timeoutSeconds: 90, mid: {execNewPod: {command: [x], containerName: web}${own}}}}`,
      ).timeoutMs
    expect(timeout('')).to.equal(90_000)
    expect(timeout(', timeoutSeconds: 7')).to.equal(7_000)
  })

  it("H8 H21 runs in the named container's image and settings, without its ports, check, labels and volumes", () => {
    const made = job(
      pre('{command: [migrate, --all], args: [now], env: {MODE: hook, EXTRA: 1}, containerName: web}'),
      `command: [serve]
env: {MODE: web, PORT: 8000}
user: "1000"
working_dir: /srv
ports: ["8000"]
labels: {traefik.enable: "true"}
healthcheck: {test: ok}
hostname: shop
stop_signal: QUIT
stop_grace_period: 1m
restart: always
mem_limit: 64m
cap_drop: [ALL]
read_only: true
tmpfs: /tmp
mounts: [{volume-name: data, mount-path: /data}]`,
      'volumes: [{name: data, persistent-volume: {}}]\n',
    )
    expect(made).to.deep.equal({
      stage: 'pre',
      onFailure: 'retry',
      timeoutMs: 600_000,
      network: { name: 'prod.shop', application: 'shop', mode: 'internal' },
      attachments: [{ name: 'prod.shop.published', application: 'shop', mode: 'published' }],
      volumes: [],
      container: {
        name: 'pre',
        image: {
          reference: 'docker.io/library/web:1',
          pin: { state: 'unknown', reason: 'not resolved yet' },
        },
        entrypoint: ['migrate', '--all'],
        command: ['now'],
        env: {
          MODE: 'hook',
          PORT: '8000',
          EXTRA: '1',
          TALLYMAN_APPLICATION: 'shop',
          TALLYMAN_SERVICE: 'web',
          TALLYMAN_ENVIRONMENT: 'prod',
          TALLYMAN_HOOK: 'pre',
        },
        user: '1000',
        workingDir: '/srv',
        mounts: [{ kind: 'tmpfs', path: '/tmp' }],
        healthcheck: { kind: 'none' },
        restart: { name: 'no' },
        stopGraceMs: 10_000,
        memoryBytes: 67_108_864,
        capDrop: ['ALL'],
        readOnly: true,
      },
    })
  })

  const starts: readonly (readonly [string, string, object])[] = [
    ['command alone: no arguments', 'command: [migrate]', { entrypoint: ['migrate'] }],
    [
      "args alone: the container's entrypoint",
      'args: [migrate]',
      { entrypoint: ['/init'], command: ['migrate'] },
    ],
    ['both', 'command: [sh], args: [-c, x]', { entrypoint: ['sh'], command: ['-c', 'x'] }],
  ]
  for (const [name, exec, expected] of starts)
    it(`H8 H27 starts what it says: ${name}`, () => {
      const { entrypoint, command } = job(
        pre(`{${exec}, containerName: web}`),
        'entrypoint: [/init]\ncmd: [serve]',
      ).container
      expect({ entrypoint, ...(command && { command }) }).to.deep.equal(expected)
    })

  it('H8 mounts the listed volumes where the container does, and as it does; what it does not mount is ignored', () => {
    const made = job(
      pre('{command: [x], containerName: web, volumes: [data, scratch, nowhere]}'),
      `mounts:
  - {volume-name: data, mount-path: /data, read-only: true}
  - {volume-name: scratch, mount-path: /scratch}
  - {volume-name: other, mount-path: /other}`,
      'volumes: [{name: data, persistent-volume: {}}, {name: scratch, ephemeral-volume: {}}, {name: other, persistent-volume: {}}]\n',
    )
    expect(made.container.mounts).to.deep.equal([
      { kind: 'volume', volume: 'prod.shop.data', path: '/data', readOnly: true, exclusive: false },
      { kind: 'ephemeral', path: '/scratch' },
    ])
    expect(made.volumes).to.deep.equal([{ name: 'prod.shop.data', application: 'shop' }])
  })

  it('G15 gives it the files of listed volumes only', () => {
    const files = (listed: string) =>
      job(
        pre(`{command: [x], containerName: web, volumes: [${listed}]}`),
        `mounts:
  - {volume-name: conf, mount-path: /etc/shop}
  - {volume-name: one, files: [{name: a.txt, mount-path: /etc/shop/a.txt}]}`,
        'volumes: [{name: conf, config-map: {items: [{name: shop.conf, data: x}]}}, {name: one, config-map: {items: [{name: a.txt, data: a}]}}]\n',
      ).container.files?.map(({ path }) => path)
    expect(files('')).to.equal(undefined)
    expect(files('conf')).to.deep.equal(['/etc/shop/shop.conf'])
    expect(files('one')).to.deep.equal(['/etc/shop/a.txt'])
  })

  it('takes env as a list of names and values, with variables and secrets', () => {
    const made = job(
      pre(
        '{command: [x], containerName: web, env: [{name: A, value: "${PLACE}!"}, {name: B, value: {secret: token}}]}',
      ),
      '',
      'variables: [{name: PLACE, value: here}]\n',
    )
    expect(made.container.env).to.deep.include({ A: 'here!' })
    expect(JSON.stringify(made)).not.to.include('token')
  })

  const refused: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'H3 mid in a rolling update',
      '{type: RollingUpdate, rollingUpdate: {mid: {execNewPod: {command: [x], containerName: web}}}}',
      [
        '/services/0/strategy/rollingUpdate/mid is for "type: Recreate" only: in a rolling update there is no moment without instances',
      ],
    ],
    [
      'H3 Abort after a rolling update',
      '{rollingUpdate: {post: {failurePolicy: Abort, execNewPod: {command: [x], containerName: web}}}}',
      [
        '/services/0/strategy/rollingUpdate/post/failurePolicy is Abort, but a rolling update is done by then; write Retry or Ignore',
      ],
    ],
    [
      'hooks of Recreate where nobody says Recreate',
      '{recreate: {mid: {execNewPod: {command: [x], containerName: web}}}}',
      ['/services/0/strategy/recreate has hooks, which run only if the strategy says "type: Recreate"'],
    ],
    [
      'H26 a container that the service lacks',
      pre('{command: [x], containerName: db}'),
      [
        '/services/0/strategy/rollingUpdate/pre/execNewPod/containerName "db" is no container of the service web',
      ],
    ],
    [
      'H27 neither command nor args',
      pre('{containerName: web}'),
      [
        '/services/0/strategy/rollingUpdate/pre/execNewPod needs a command, args or both, so that it has something to run',
      ],
    ],
    [
      'H27 an empty command',
      pre('{command: [], containerName: web}'),
      [
        '/services/0/strategy/rollingUpdate/pre/execNewPod needs a command, args or both, so that it has something to run',
      ],
    ],
    [
      'A45 an empty word as a program',
      pre('{command: ["", x], containerName: web}'),
      [
        '/services/0/strategy/rollingUpdate/pre/execNewPod/command begins with an empty word, which is no program',
      ],
    ],
    [
      'one name in env twice',
      pre('{command: [x], containerName: web, env: [{name: A, value: 1}, {name: A, value: 2}]}'),
      ['/services/0/strategy/rollingUpdate/pre/execNewPod/env/1 sets A a second time'],
    ],
  ]
  for (const [name, strategy, problems] of refused)
    it(`refuses ${name}, at its place`, () => {
      expect(jobs(strategy)).to.deep.equal(problems)
    })

  const unread: readonly (readonly [string, string, string])[] = [
    ['execNewPod', 'pre: {failurePolicy: Retry}', '33: /strategy/rollingUpdate/pre/execNewPod is required'],
    [
      'containerName',
      'pre: {execNewPod: {command: [x]}}',
      '46: /strategy/rollingUpdate/pre/execNewPod/containerName is required',
    ],
  ]
  for (const [name, block, problem] of unread)
    it(`H26 requires ${name}`, () => {
      expect(schemaProblems(block)).to.deep.equal([`shop.yaml:3:${problem}`])
    })

  it('H26 refuses an empty name of a volume, a timeout of 0 and a policy of another name', () => {
    const exec = 'execNewPod: {command: [x], containerName: web'
    expect(
      schemaProblems(
        `pre: {${exec}, volumes: [""]}}, post: {${exec}}, timeoutSeconds: 0, failurePolicy: retry}`,
      ).map(problem => problem.replace(/^\S+ /, '')),
    ).to.deep.equal([
      '/strategy/rollingUpdate/pre/execNewPod/volumes/0 must not be empty',
      '/strategy/rollingUpdate/post/timeoutSeconds must be >= 1, not 0',
      '/strategy/rollingUpdate/post/failurePolicy must be one of "Retry", "Abort", "Ignore", not "retry"',
    ])
  })

  it('reads what docs/hooks.md shows', async () => {
    expect(await exampleProblems('hooks')).to.deep.equal([])
  })

  it('runs none for a service without instances', () => {
    expect(jobs(pre('{command: [x], containerName: web}'), '', 'replicas: 0\n')).to.deep.equal([])
  })
})

describe("hooks of an application's strategy", () => {
  const shop = (own: string) => `name: shop
strategy: {rollingUpdate: {pre: {execNewPod: {command: [x], containerName: web}}}}
services:
  - {name: a, containers: [{name: web, image: a}]}
  - {name: b, containers: [{name: b, image: b}]${own}}
`

  it('apply to each service without a strategy of its own', () => {
    const { application, problems } = built(shop(', strategy: {}'))
    expect(problems).to.deep.equal([])
    expect(application.services.map(({ name, jobs = [] }) => [name, jobs.length])).to.deep.equal([
      ['a', 1],
      ['b', 0],
    ])
  })

  it('H26 name a container that each of these has', () => {
    expect(built(shop('')).problems.map(withoutPlace)).to.deep.equal([
      '/strategy/rollingUpdate/pre/execNewPod/containerName "web" is no container of the service b',
    ])
  })
})

describe('hook containers as OpenShift makes them', () => {
  // The reference lets a hook go without a command, which is refused here (H27): so each row gets one.
  const row = (more: string, exec: string) =>
    jobs(
      `{type: Recreate, recreate: {pre: {failurePolicy: Abort, execNewPod: {command: [hook]${exec}}}}}`,
      `env: {ENV1: VAL1}
mem_limit: 10m
mounts: [{volume-name: volume-2, mount-path: /mnt/volume-2, read-only: true}]`,
      `volumes: [{name: volume-1, persistent-volume: {}}, {name: volume-2, persistent-volume: {}}]\n${more}`,
    )

  it('H21 H23 without overrides: image, environment and limits of the container, no volume, never restarted', () => {
    const [made] = row('', ', containerName: web')
    expect(made).to.have.deep.nested.property('container.env', {
      ENV1: 'VAL1',
      TALLYMAN_APPLICATION: 'shop',
      TALLYMAN_SERVICE: 'web',
      TALLYMAN_ENVIRONMENT: 'prod',
      TALLYMAN_HOOK: 'pre',
    })
    expect(made).to.have.nested.property('container.memoryBytes', 10_485_760)
    expect(made).not.to.have.nested.property('container.mounts')
    expect(made).to.have.nested.property('container.restart.name', 'no')
  })

  it('H26 with an unknown container name: refused', () => {
    expect(row('', ', containerName: undefined')).to.deep.equal([
      '/services/0/strategy/recreate/pre/execNewPod/containerName "undefined" is no container of the service web',
    ])
  })
})

function schemaProblems(block: string): readonly string[] {
  const text = `name: shop
services: [{name: web, containers: [{name: web, image: web}]}]
strategy: {rollingUpdate: {${block}}}
`
  return checkSchema('application', parseYaml('shop.yaml', text)).map(problem =>
    formatProblem(problem).replace(' (application-invalid)', ''),
  )
}
