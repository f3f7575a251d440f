import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import type { ResolveContext } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'

const ticketManager = `name: ticket-manager
version: "1.0"
services:
  - name: ticket-manager-service
    containers:
      - name: ticket-blipper
        image: "avassa-public/movie-theaters-demo/ticket-blipper:v1.0"
    mode: replicated
    replicas: 1
`

describe('validateRepository', () => {
  it('finds all that is wrong in every environment and specification, each once, by file and line', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"services": [{"name": "a"}, {"name": "none"}]}',
      'environments/devel/manifest.json': '{"services": [{"name": "a"}, {"nam": "b"}]}',
      'applications/a.yaml': `${specification('a')}        user: "x y"\n        cpus: 0\n`,
      'applications/idle.yaml': specification('other'),
    })
    expect((await validateRepository(snapshot, context)).problems.map(formatProblem)).to.deep.equal([
      'applications/a.yaml:7:15: /services/0/containers/0/user "x y" is no user; write for example 1000:1000 (application-invalid)',
      'applications/a.yaml:8:15: /services/0/containers/0/cpus 0 is not a number of CPUs from 0.01 to 1024 (application-invalid)',
      'applications/idle.yaml:1:7: /name is "other", and the file is named idle (name-mismatch)',
      'environments/devel/manifest.json:1:31: /services/1/nam is not a known key; did you mean "name"? (manifest-invalid)',
    ])
  })

  it('finds what is wrong in deployments, once for all environments, and beside a manifest that cannot be read', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{}',
      'environments/test/manifest.json': '{}',
      'environments/devel/manifest.json': '{',
      'applications/a.yaml': specification('a'),
      'deployments/a.yaml': 'name: a\napplication: a\nplacement: {all-sites: 1}\n',
      'environments/devel/deployments/b.yaml': 'name: c\napplication: a\nplacement: {all-sites: true}\n',
    })
    expect((await validateRepository(snapshot, context)).problems.map(formatProblem)).to.deep.equal([
      'deployments/a.yaml:3:24: /placement/all-sites must be true, not 1 (deployment-invalid)',
      'environments/devel/deployments/b.yaml:1:7: /name is "c", and the file is named b (name-mismatch)',
      'environments/devel/manifest.json:1:2: expected a key in double quotes, found the end of the file (json-invalid)',
    ])
  })

  it('D17 tells of two environments of one name with both files: as an error where the operator names both', async () => {
    const files = {
      'environments/prod/manifest.json': '{}',
      'environments/PROD/manifest.json': '{}',
      'sub/environments/prod/manifest.json': '{}',
    }
    const said = async (environments?: readonly string[]) => {
      const asked = environments === undefined ? context : { ...context, environments }
      const { problems, warnings } = await validateRepository(snapshotOf(files), asked)
      return [problems.map(formatProblem), warnings.map(formatProblem)]
    }
    const both = [
      'environments/prod/manifest.json: is another environment than environments/PROD/manifest.json: the names differ only in upper and lower case (environment-ambiguous)',
      'sub/environments/prod/manifest.json: is another environment of the name prod, which environments/prod/manifest.json has too (environment-ambiguous)',
    ]
    expect(await said()).to.deep.equal([[], both])
    expect(await said(['PROD', 'prod'])).to.deep.equal([both.slice(1), []])
    expect(await said(['sub/environments/prod', 'PROD'])).to.deep.equal([[], []])
  })

  it('G13 warns of two environments whose networks would have one name on an engine', async () => {
    const web = (dockerTag: string) =>
      `{"services": [{"name": "web", "containers": [{"dockerTag": "${dockerTag}"}]}]}`
    const files: Files = {
      'environments/test/manifest.json': '{"services": [{"name": "shop"}]}',
      'environments/test.shop/manifest.json': web('1'),
      'environments/test.other/manifest.json': web('1'),
      'teams/a/environments/test/manifest.json': web('2'),
      'applications/shop.yaml': specification('shop'),
    }
    const { problems, warnings } = await validateRepository(snapshotOf(files), context)
    expect(problems).to.deep.equal([])
    expect(warnings.map(formatProblem)).to.deep.equal([
      'environments/test.shop/manifest.json: the network test.shop would have the name of one of test: rename one of the two if they run on one engine (name-taken)',
      'teams/a/environments/test/manifest.json: is another environment of the name test, which environments/test/manifest.json has too (environment-ambiguous)',
    ])
  })

  it('finds nothing wrong with the example of the applications document', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"services": [{"name": "ticket-manager"}]}',
      'applications/ticket-manager.yaml': ticketManager,
    })
    expect(await validateRepository(snapshot, context)).to.deep.equal({ problems: [], warnings: [] })
  })

  for (const name of ['ticket-manager', 'shop', 'notes'])
    it(`finds nothing wrong with fixtures/${name}`, async () => {
      expect(
        (await validateRepository(snapshotOf(filesOf(`fixtures/${name}`)), context)).problems,
      ).to.deep.equal([])
    })

  it('D15 finds what breaks the schema, a grammar and a reference in one specification in one go', async () => {
    const text = `name: a
services:
  - name: web
    replicas: many
    containers:
      - name: web
        image: "a:1"
        cpus: 0
        mounts: [{volume-name: none, mount-path: /x}]
        healthcheck: {interval: 5}
requires: {none: "*"}
`
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"services": [{"name": "a"}]}',
      'applications/a.yaml': text,
    })
    expect((await validateRepository(snapshot, context)).problems.map(formatProblem)).to.deep.equal([
      'applications/a.yaml:4:15: /services/0/replicas must be a whole number, not "many" (application-invalid)',
      'applications/a.yaml:8:15: /services/0/containers/0/cpus 0 is not a number of CPUs from 0.01 to 1024 (application-invalid)',
      'applications/a.yaml:9:32: /services/0/containers/0/mounts/0/volume-name "none" is no volume of the service (application-invalid)',
      'applications/a.yaml:10:33: /services/0/containers/0/healthcheck/interval must be a text, not 5; write 5s (application-invalid)',
      'applications/a.yaml:11:18: a requires none, which neither the manifest nor a deployment names (requires-unsatisfied)',
    ])
  })

  it('D15 tells no consequence of what breaks the schema: nothing is missed that is only misspelled', async () => {
    const text = `name: a
services:
  - name: web
    volumes: [{name: data, persistent-volum: {}}]
    containers:
      - {name: web, image: "a:1", mounts: [{volume-name: data, mount-path: 5}], env: {A: [1]}}
`
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"services": [{"name": "a"}]}',
      'applications/a.yaml': text,
    })
    expect(
      (await validateRepository(snapshot, context)).problems.map(({ message }) => message),
    ).to.deep.equal([
      '/services/0/volumes/0/persistent-volum is not a known key; did you mean "persistent-volume"?',
      '/services/0/containers/0/mounts/0/mount-path must be a text, not 5; put it in quotes: "5"',
      '/services/0/containers/0/env/A must be a text or a number or true or false or an object, not a list',
    ])
  })

  it('D15 tells what is wrong with specifications beside a manifest that cannot be read', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"services": [{"name": "a"}, {"name": "a"}, {"nam": "b"}]}',
      'applications/a.yaml': `${specification('a')}        cpus: 0\n`,
    })
    expect((await validateRepository(snapshot, context)).problems.map(({ code }) => code)).to.deep.equal([
      'application-invalid',
      'duplicate-service',
      'manifest-invalid',
    ])
  })

  it('E1 says that a manifest.yaml makes no environment, and warns of one beside a manifest.json', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{"includes": ["manifest.yml"]}',
      'environments/prod/manifest.yaml': '{}',
      'environments/prod/manifest.yml': '{}',
      'environments/test/manifest.yaml': '{}',
    })
    const { problems, warnings } = await validateRepository(snapshot, context)
    expect(problems.map(formatProblem)).to.deep.equal([
      'environments/test/manifest.yaml: is not read, and its directory has no manifest.json: it is no environment (manifest-misnamed)',
    ])
    expect(warnings.map(formatProblem)).to.deep.equal([
      'environments/prod/manifest.yaml: stands beside manifest.json, and is not read (manifest-misnamed)',
    ])
  })

  it('E3 warns of a service that names nothing to run', async () => {
    const snapshot = snapshotOf({ 'environments/prod/manifest.json': '{"services": [{"name": "a"}]}' })
    const { problems, warnings } = await validateRepository(snapshot, context)
    expect(problems).to.deep.equal([])
    expect(warnings.map(({ code }) => code)).to.deep.equal(['nothing-to-run'])
  })

  it('names an environment whose name cannot be used, and goes on with the others', async () => {
    const snapshot = snapshotOf({
      'environments/host/manifest.json': '{}',
      'environments/pr od/manifest.json': '{}',
      'environments/test/manifest.json': '{"services": 1}',
    })
    const codes = (await validateRepository(snapshot, context)).problems.map(({ code }) => code)
    expect(codes).to.have.members(['environment-invalid', 'environment-invalid', 'manifest-invalid'])
  })

  it('fails where there is no environment at all', async () => {
    expect(await rejection(validateRepository(snapshotOf({}), context))).to.have.property(
      'code',
      'environment-not-found',
    )
  })
})

const context: ResolveContext = {
  source: 'https://git.example.com/ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

/** The files of a directory of this project by their paths in it. */
function filesOf(directory: string): Files {
  const root = fileURLToPath(new URL(`../../../${directory}`, import.meta.url))
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(path => [relative(root, path), readFileSync(path, 'utf8')]),
  )
}

/** Six lines; more may follow: of the container (by eight blanks), of the service (by four), of the application. */
function specification(name: string, image = name): string {
  return `name: ${name}
services:
  - name: web
    containers:
      - name: web
        image: "${image}:1"
`
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it went on'),
    (error: unknown) => error,
  )
}
