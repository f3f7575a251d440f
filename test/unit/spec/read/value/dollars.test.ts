import { expect } from 'chai'
import { maps } from '../../../../../lib/spec/build/expand.ts'
import { Secret } from '../../../../../lib/state/secret/secret.ts'
import type { Secrets } from '../../../../../lib/state/secret/secrets.ts'
import { readText } from '../../../../docs/documents.ts'
import { built, container, service } from '../../built.ts'

const secrets: Secrets = {
  find: name => (name === 'vault/db/user' ? secrets.compose('ada') : undefined),
  below: () => [],
  compose: text => new Secret(text, 'mark'),
  mark: 'all',
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the specification's own syntax
const variables =
  'variables: [{name: TAG, value: 2}, {name: USER, value-from-vault-secret: {vault: vault, secret: db, key: user}}]'

/** What such a container sets. */
const read = (lines: string) => container(lines, variables, { secrets })

/** What is wrong with such a container. */
const problems = (lines: string, more = variables) =>
  service(lines, more, { secrets }).problems.map(problem =>
    problem.replace(/^\S+ \/services\/0\//, '').replace(' (application-invalid)', ''),
  )

describe('dollars in a specification (A46)', () => {
  for (const [lines, set] of [
    ['command: sh -c "kill $$$$ $${HOME} $HOME"', { command: ['sh', '-c', 'kill $$ ${HOME} $HOME'] }],
    ['command: [echo, "$${A", "$$$${", "a}${TAG}"]', { command: ['echo', '${A', '$${', 'a}2'] }],
    ['command: [serve, "${TAG}", $?, $!]', { command: ['serve', '2', '$?', '$!'] }],
    ['entrypoint: ["/bin/$$", "$("]', { entrypoint: ['/bin/$', '$('] }],
    ['labels: {auth: "ada:$$apr1$$x", x-v: "${TAG}"}', { labels: { auth: 'ada:$apr1$x', 'x-v': '2' } }],
    ['labels: ["rule=Host(`v${TAG}.a.example`)"]', { labels: { rule: 'Host(`v2.a.example`)' } }],
    [
      'healthcheck: {test: "pg_isready -U $$POSTGRES_USER"}',
      { healthcheck: { kind: 'command', test: ['CMD-SHELL', 'pg_isready -U $POSTGRES_USER'] } },
    ],
    [
      'healthcheck: {test: [CMD, echo, "$POSTGRES_USER $$"]}',
      { healthcheck: { kind: 'command', test: ['CMD', 'echo', '$POSTGRES_USER $'] } },
    ],
    ['hostname: web-${TAG}', { hostname: 'web-2' }],
    ['working_dir: /srv/$$a', { workingDir: '/srv/$a' }],
    ['tmpfs: /run/${TAG}', { mounts: [{ kind: 'tmpfs', path: '/run/2' }] }],
    ['ports: ["808${TAG}:80"]', { ports: [{ target: 80, published: 8082, protocol: 'tcp' }] }],
    ['extra_hosts: {db: "10.0.0.${TAG}"}', { extraHosts: ['db:10.0.0.2'] }],
    ['sysctls: {net.core.somaxconn: "${TAG}"}', { sysctls: { 'net.core.somaxconn': '2' } }],
    [
      'logging: {driver: json-file, options: {tag: "$$${TAG}"}}',
      { logging: { driver: 'json-file', options: { tag: '$2' } } },
    ],
    ['env: {A: "$$${TAG}", B: "$$$$"}', { env: { A: '$2', B: '$$' } }],
  ] as const)
    it(`A46 reads them as Compose does: ${lines}`, () => {
      expect(read(lines)).to.deep.equal(set)
    })

  it('A46 reads them in probes', () => {
    const { instance } = service('probes: {liveness: {command: [ok, "$$${TAG}"]}}', variables, { secrets })
    expect(instance?.containers[0].healthcheck).to.deep.include({ test: ['CMD', 'ok', '$2'] })
  })

  it('A46 takes images from variables, and pins them by what comes out', () => {
    const { application, problems } = built(
      `name: shop
services:
  - name: web
    variables: [{name: TEAM, value: eu}]
    containers: [{name: web, image: "\${TEAM}/web:1"}]`,
      { entry: { containers: [{ dockerName: 'eu/web', dockerTag: '2' }] } },
    )
    expect(problems).to.deep.equal([])
    const [instance] = application.services[0]?.instances ?? []
    expect(instance?.containers[0].image.reference).to.equal('docker.io/eu/web:2')
  })

  it('A46 reads them in volumes and routes', () => {
    const volume = `${variables}\nvolumes: [{name: v, persistent-volume: {driver_opts: {type: tmpfs, o: "size=\${TAG}m", device: tmpfs}}}]`
    const { instance } = service('mounts: [{volume-name: v, mount-path: /v}]', volume, { secrets })
    expect(instance?.volumes[0]?.driverOptions).to.include({ o: 'size=2m' })
  })

  it('A46 reads them in hooks', () => {
    const hook = 'pre: {execNewPod: {containerName: web, command: [run, "$$${TAG}"], args: ["$${A}"]}}'
    const { service: made } = service('', `${variables}\nstrategy: {rollingUpdate: {${hook}}}`, { secrets })
    expect(made?.jobs?.[0]?.container).to.deep.include({ entrypoint: ['run', '$2'], command: ['${A}'] })
  })

  it('A46 reads them in values of variables, which name no other', () => {
    const more = 'variables: [{name: A, value: "$$5"}, {name: B, value: "${A}"}]'
    expect(problems('env: {C: "${A}"}', more)).to.deep.equal([
      'variables/1/value names the variable "A", and no variable names another; for a dollar as it stands write $$, as in $${A}',
    ])
    expect(problems('env: {C: "${A}"}', 'variables: [{name: A, value: "5${"}]')).to.deep.equal([
      'variables/0/value has a ${ that no } closes; for a dollar as it stands write $$, as in $${',
    ])
    expect(container('env: {C: "${A}"}', 'variables: [{name: A, value: "$$5"}]')).to.deep.equal({
      env: { C: '$5' },
    })
  })

  describe('A46 G16 reads them in the names of secrets', () => {
    const named: Secrets = { ...secrets, find: name => secrets.compose(`${name}!`) }
    const more =
      'variables: [{name: S, value: prod}, {name: V, value-from-vault-secret: {vault: a$$, secret: b, key: c}}]'
    const table = [
      ['of a variable of a container', 'env: {A: {secret: "db/${S}$$"}}', '', 'db/prod$!'],
      [
        'of a service of the Pallet contract',
        '',
        'pallet: {domain: a.example, services: [{type: postgres, url: {secret: "db/${S}$$"}}]}',
        'db/prod$!',
      ],
      ['of a variable, which names no other', 'env: {A: "${V}"}', '', 'a$/b/c!'],
      [
        'of a file',
        'mounts: [{volume-name: v, mount-path: /v}]',
        'volumes: [{name: v, secret: {items: [{name: f, secret: "db/${S}$$"}]}}]',
        'db/prod$!',
      ],
      [
        'of a vault-secret',
        'mounts: [{volume-name: v, files: [{name: f, mount-path: /v}]}]',
        'volumes: [{name: v, vault-secret: {vault: "${S}", secret: $$}}]',
        'prod/$/f!',
      ],
    ] as const
    for (const [what, lines, besides, secret] of table)
      it(what, () => {
        const { instance, problems: found } = service(lines, `${more}\n${besides}`, {
          secrets: { ...named, below: () => ['f'] },
        })
        expect(found).to.deep.equal([])
        const [{ env = {}, files = [] } = {}] = instance?.containers ?? []
        const texts = [...Object.values(env), ...files.map(({ content }) => content)]
        expect(texts.flatMap(text => (text instanceof Secret ? [text.reveal()] : []))).to.deep.equal([secret])
      })

    it('and refuses a variable there that is none, that is a secret, or another one in that of a variable', () => {
      expect(problems('env: {A: {secret: "${NONE}"}}')[0]).to.match(
        /^containers\/0\/env\/A names the variable "NONE"/,
      )
      expect(problems('env: {A: {secret: "${USER}"}}')[0]).to.match(/"USER", which is a secret/)
      const vault = 'variables: [{name: A, value-from-vault-secret: {vault: "${B}", secret: b, key: c}}]'
      expect(problems('', vault)[1]).to.match(
        /^variables\/0\/value-from-vault-secret\/vault names the variable "B", and no variable names another/,
      )
    })
  })

  it('A46 takes the contents of files, and notes, as they stand', () => {
    const volume =
      'volumes: [{name: v, config-map: {items: [{name: a, data: "$$ ${X} $Y"}]}}]\nx-note: "${X}"'
    const { instance, problems } = service('mounts: [{volume-name: v, mount-path: /v}]\nx-a: "${X}"', volume)
    expect(problems).to.deep.equal([])
    expect(instance?.containers[0].files?.map(({ content }) => content)).to.deep.equal(['$$ ${X} $Y'])
  })

  for (const [lines, problem] of [
    [
      'command: [echo, "${HOME}"]',
      'containers/0/command/1 names the variable "HOME", and the service has none of that name; for a dollar as it stands write $$, as in $${HOME}',
    ],
    [
      'labels: {a: "${TAG:-1}"}',
      'containers/0/labels/a names the variable "TAG:-1", and the service has none of that name; for a dollar as it stands write $$, as in $${TAG:-1}',
    ],
    [
      'labels: {a: "${USER}"}',
      'containers/0/labels/a names the variable "USER", which is a secret; only env and files of secret volumes take one',
    ],
    [
      'labels: {a: "x${TAG}-${A"}',
      'containers/0/labels/a has a ${ that no } closes; for a dollar as it stands write $$, as in $${',
    ],
    [
      'env: {A: "${"}',
      'containers/0/env A has a ${ that no } closes; for a dollar as it stands write $$, as in $${',
    ],
    [
      'environment: ["A=$$${A"]',
      'containers/0/environment A has a ${ that no } closes; for a dollar as it stands write $$, as in $${',
    ],
    [
      'command: login ${USER}',
      'containers/0/command names the variable "USER", which is a secret; only env and files of secret volumes take one',
    ],
  ] as const)
    it(`A46 G16 names the place of ${lines}`, () => {
      expect(problems(lines)).to.deep.equal([problem])
    })

  it('A46 knows every map whose keys are the user’s own', () => {
    const schema: unknown = JSON.parse(readText('schemas/application.schema.json'))
    const readElsewhere = ['env', 'environment', 'requires']
    expect([...new Set(mapsIn(schema))].sort()).to.deep.equal([...maps, ...readElsewhere].sort())
  })
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the specification's own syntax

/** The keys of a schema whose values are maps, by name. */
function mapsIn(schema: unknown, name = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const isMap = 'additionalProperties' in schema && typeof schema.additionalProperties === 'object'
  return [...(isMap ? [name] : []), ...Object.entries(schema).flatMap(([key, inner]) => mapsIn(inner, key))]
}
